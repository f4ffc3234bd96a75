import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import { announceLinkChange } from '../../../core/accounts/link-change.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import { type LinkFields, readLinkFields } from '../../forms/read-link-fields.ts';
import { settingsShown } from '../../forms/settings-shown.ts';
import { type FieldErrors, fieldOf } from '../../forms/view-values.ts';
import { botNotInChannel } from '../../ui/access-refusals.ts';
import { FIELDS } from '../../ui/ids.ts';
import { knownKeyNotice } from '../../ui/setup/key-forms.ts';
import { linkForm } from '../../ui/setup/link-form.ts';
import { LINK_FIELD_ERRORS } from '../../ui/setup/link-form-fields.ts';
import { linkedNotice } from '../../ui/setup/link-news.ts';
import { CHECKING_KEY_VIEW } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answerAdmin, type FormHandler, type FormResult } from './submission.ts';
import { addInstance } from './submit-instance.ts';

/** The link form: tests a new key, then saves instance and link; nothing is saved before all is well. */
export const submitLink: FormHandler = async (deps, form) => {
  const { core, log } = deps;
  const { view, values, metadata, showErrors } = form;
  const fields = readLinkFields(values);
  if (Object.keys(fields.errors).length > 0) return showErrors(fields.errors);
  const chosen = fieldOf(values, FIELDS.channel)?.selected_conversation ?? '';
  const channel = metadata.channel ?? chosen;

  async function work(person: Person): Promise<FormResult> {
    const error = await channelError(deps, person, channel, metadata.channel === undefined);
    const instanceBlock = fields.instance === undefined ? FIELDS.instanceName : FIELDS.instance;
    if (error !== undefined) {
      return { errors: { [metadata.channel === undefined ? FIELDS.channel : instanceBlock]: error } };
    }
    const { settings } = fields;
    const now = (await core.links.find(channel))?.link;
    const shown = settingsShown(form, { chosen: settings, now });
    if (shown && 'errors' in shown) return shown;
    const paying = await instanceOf(deps, person, fields, { channel, shown: metadata.instance });
    if ('errors' in paying) return paying;
    const { instance, isKnown } = paying;
    const { name: instanceName } = instance;
    const link = await core.links.save({
      channel,
      instance,
      settings,
      shown,
      keepsLeaving: metadata.isLeaving === false,
      by: person.id,
    });
    if (!link) return { errors: { [instanceBlock]: LINK_FIELD_ERRORS.instanceRemoved } };
    // A form that arrives twice links once more, which changes nothing; its news is posted once.
    if (await core.firstTime(`link:${view.id}:${view.hash}`)) {
      const change = { team: person.team, channel, by: person.id, instanceName, linked: true };
      await announceLinkChange({ announce: core.announce, log }, change);
    }
    // Books the figure, so that a balance below the threshold is said at once.
    const read = await core.credit.read(instance);
    const credits = read.kind === 'ok' ? read.credits : undefined;
    const linked = linkedNotice({ instanceName, channel, credits, leavingBy: link.leaving?.by });
    return { notice: isKnown ? `${linked}\n${knownKeyNotice(instanceName)}` : linked };
  }

  await answerAdmin(deps, form, work, {
    word: 'link',
    waiting: CHECKING_KEY_VIEW,
    again: async (notice) =>
      linkForm({
        channel: metadata.channel,
        instances: await core.instances.list(),
        selected: fields.instance,
        settings: fields.settings,
        nameValue: fields.name,
        metadata: view.private_metadata,
        notice,
        keyFieldId: `${FIELDS.apiKey}_${view.hash}`,
      }),
  });
};

/** Why the channel can't be linked. One that was chosen in the form must be theirs, and must not lose its settings. */
async function channelError(
  { conversations, core }: SlackDeps,
  person: Person,
  channel: string,
  isChosen: boolean,
): Promise<string | undefined> {
  if (!(await conversations.botIsMember(channel))) return botNotInChannel('Link');
  if (!isChosen) return undefined;
  if (!(await conversations.hasMember(channel, person.id))) return LINK_FIELD_ERRORS.notInChannel;
  return (await core.links.find(channel)) ? LINK_FIELD_ERRORS.linkedAlready : undefined;
}

/**
 * The chosen instance, or the new one that the key makes. If the person left the one that was `shown`, another one that an
 * admin chose meanwhile stays.
 */
async function instanceOf(
  deps: SlackDeps,
  person: Person,
  fields: LinkFields,
  { channel, shown }: { channel: string; shown: string | undefined },
): Promise<{ instance: InstanceView; isKnown: boolean } | { errors: FieldErrors }> {
  if (fields.instance !== undefined) {
    const now = fields.instance === shown ? await deps.core.links.find(channel) : undefined;
    const instance = now?.instance ?? (await deps.core.instances.get(fields.instance));
    return instance
      ? { instance, isKnown: false }
      : { errors: { [FIELDS.instance]: LINK_FIELD_ERRORS.instanceRemoved } };
  }
  return addInstance(deps, person, fields);
}
