import type { ModalView } from '@slack/types';
import { limitsOf } from '../../core/accounts/channel-limits.ts';
import type { LinkedView } from '../../core/accounts/instance-view.ts';
import { DEFAULT_SETTINGS, LinkSettings } from '../../core/accounts/links.ts';
import { refusalFacts } from '../answers/refusal-facts.ts';
import type { SlackRequest } from '../requests/slack-request.ts';
import { INVITE_FIRST } from '../ui/access-refusals.ts';
import { limitsForm } from '../ui/limits/limits-form.ts';
import { linkForm } from '../ui/setup/link-form.ts';
import { settingsForm } from '../ui/setup/settings-form.ts';
import { TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { type FormMetadata, writeMetadata } from './form-metadata.ts';
import { openModal } from './open-modal.ts';
import { rememberedPeople } from './shown-people.ts';

/** An admin's wish to change a channel's link. */
type LinkRequest = SlackRequest & { linked: LinkedView };

/**
 * Opens the form that links a channel to an instance: without `channel`, one that the person chooses in it. Where the bot
 * is not in the channel, says what to do first.
 */
export async function openLinkForm(
  deps: SlackDeps,
  { channel, triggerId, to, answer }: Omit<SlackRequest, 'channel'> & { channel: string | undefined },
): Promise<void> {
  if (channel !== undefined && !(await deps.conversations.botIsMember(channel))) return answer(INVITE_FIRST);

  await openModal(deps, triggerId, TITLES.linkForm, async () => {
    const instances = await deps.core.instances.list();
    const linked = channel === undefined ? undefined : await deps.core.links.find(channel);
    const settings = linked?.link ?? DEFAULT_SETTINGS;
    return linkForm({
      channel,
      instances,
      selected: linked?.instance.id ?? instances[0]?.id,
      settings,
      // Also those of no link: another admin may make one meanwhile.
      metadata: writeMetadata({
        channel,
        to,
        ...rememberedOf(settings),
        instance: linked?.instance.id,
        isLeaving: linked?.link.leaving !== undefined,
      }),
    });
  });
}

/** Opens the settings of a channel's link. */
export async function openSettingsForm(deps: SlackDeps, request: LinkRequest): Promise<void> {
  const { channel, triggerId, to } = request;
  const { link, instance } = request.linked;
  await openModal(deps, triggerId, TITLES.settingsForm, async () => {
    const facts = await refusalFacts(deps, instance);
    const shared = await deps.core.refusals.isShared(instance);
    const { most } = deps.core.keepDays;
    const keepDays = await deps.core.keepDays.now();
    return settingsForm({
      instanceName: instance.name,
      keyHint: instance.keyHint,
      linkedBy: link.linkedBy,
      linkedAt: link.linkedAt,
      settings: link,
      refusals: { ...facts, shared },
      keepDays: { now: keepDays, most },
      metadata: writeMetadata({
        channel,
        to,
        instance: instance.id,
        shown: { refusals: facts.rule.mode, shared, keepDays },
        ...rememberedOf(link),
      }),
    });
  });
}

/** A link's settings as a form shows them. */
function rememberedOf(link: LinkSettings): Pick<FormMetadata, 'settings' | 'peopleDigest'> {
  const { people, ...rest } = rememberedPeople(link.people);
  return { settings: { ...LinkSettings.parse(link), people }, ...rest };
}

/** Opens the limits of a channel's link. */
export async function openLimitsForm(deps: SlackDeps, request: LinkRequest): Promise<void> {
  await openModal(deps, request.triggerId, TITLES.limitsForm, () => limitsView(deps, request));
}

/** The limits of a channel's link. Until somebody chose a time zone, the admin's own is proposed. */
export async function limitsView(
  { core, access }: Pick<SlackDeps, 'core' | 'access'>,
  { channel, linked: { link }, person, to }: Pick<LinkRequest, 'channel' | 'linked' | 'person' | 'to'>,
): Promise<ModalView> {
  const { isTimeZoneChosen, listUndoMs, ...now } = await core.rules.now();
  const rules = { ...now, timeZone: isTimeZoneChosen ? now.timeZone : await access.timeZone(person.id) };
  const limits = limitsOf(link);
  const { people: approvers, ...rest } = rememberedPeople(limits.approvers);
  return limitsForm({
    channel,
    limits,
    rules,
    listUndoMs,
    budgets: await core.links.budgets(link, person.id),
    metadata: writeMetadata({
      channel,
      to,
      rules,
      areRulesNew: !isTimeZoneChosen,
      limits: { ...limits, approvers },
      ...rest,
    }),
  });
}
