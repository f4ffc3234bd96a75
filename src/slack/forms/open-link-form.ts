import type { LinkedView } from '../../core/accounts/instance-view.ts';
import { DEFAULT_SETTINGS } from '../../core/accounts/links.ts';
import { refusalFacts } from '../answers/refusal-facts.ts';
import type { SlackRequest } from '../requests/slack-request.ts';
import { INVITE_FIRST } from '../ui/access-refusals.ts';
import { linkForm } from '../ui/setup/link-form.ts';
import { settingsForm } from '../ui/setup/settings-form.ts';
import { TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { writeMetadata } from './form-metadata.ts';
import { openModal } from './open-modal.ts';

type FormRequest = Pick<SlackRequest, 'channel' | 'triggerId' | 'to'>;

/**
 * Opens the form that links a channel to an instance: without `channel`, one that the person chooses in it. Where the bot
 * is not in the channel, says what to do first.
 */
export async function openLinkForm(
  deps: SlackDeps,
  { channel, triggerId, to }: Omit<FormRequest, 'channel'> & { channel: string | undefined },
): Promise<void> {
  if (channel !== undefined && !(await deps.conversations.botIsMember(channel)))
    return deps.replies.toPerson(to, INVITE_FIRST);

  await openModal(deps, triggerId, TITLES.linkForm, async () => {
    const instances = await deps.core.instances.list();
    const linked = channel === undefined ? undefined : await deps.core.links.find(channel);
    return linkForm({
      channel,
      instances,
      selected: linked?.instance.id ?? instances[0]?.id,
      settings: linked?.link ?? DEFAULT_SETTINGS,
      metadata: writeMetadata({ channel, to }),
    });
  });
}

/** Opens the settings of a channel's link. */
export async function openSettingsForm(
  deps: SlackDeps,
  request: FormRequest & { linked: LinkedView },
): Promise<void> {
  const { channel, triggerId, to, linked } = request;
  await openModal(deps, triggerId, TITLES.settingsForm, async () => {
    const facts = await refusalFacts(deps, linked.instance);
    const shared = await deps.core.refusals.isShared(linked.instance);
    const { most } = deps.core.keepDays;
    const keepDays = await deps.core.keepDays.now();
    return settingsForm({
      instanceName: linked.instance.name,
      keyHint: linked.instance.keyHint,
      linkedBy: linked.link.linkedBy,
      linkedAt: linked.link.linkedAt,
      settings: linked.link,
      refusals: { ...facts, shared },
      keepDays: { now: keepDays, most },
      metadata: writeMetadata({
        channel,
        to,
        instance: linked.instance.id,
        shown: { refusals: facts.rule.mode, shared, keepDays },
      }),
    });
  });
}
