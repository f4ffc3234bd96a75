import type { ModalView } from '@slack/types';
import type { InstanceView, LinkedView } from '../../../core/accounts/instance-view.ts';
import { DEFAULT_SETTINGS, type Link } from '../../../core/accounts/links.ts';
import { mayAdminister, type Person } from '../../../core/accounts/permissions.ts';
import { readKey } from '../../../core/accounts/read-key.ts';
import { type FieldErrors, fieldOf, withChosenPeople, writeMetadata } from '../../forms/form-data.ts';
import { type LinkFields, readLinkFields } from '../../forms/read-link-fields.ts';
import { linkDigest } from '../../forms/shown-digest.ts';
import type { SlackRequest } from '../../requests/slack-request.ts';
import { botNotInChannel, INVITE_FIRST } from '../../ui/access-refusals.ts';
import { FIELDS } from '../../ui/ids.ts';
import { knownKeyNotice } from '../../ui/setup/key-forms.ts';
import { linkForm } from '../../ui/setup/link-form.ts';
import { LINK_FIELD_ERRORS, withPeople } from '../../ui/setup/link-form-fields.ts';
import { linkedNotice } from '../../ui/setup/link-news.ts';
import { CHECKING_KEY_VIEW, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { adminOf, answeredWith, type FormResult, type Submission, submitterOf } from '../submission.ts';
import { addInstance } from './keys.ts';

/** A form as a person saw it when they chose something in it, or submitted it. */
type ShownForm = Pick<Submission, 'view' | 'metadata'>;

/** The link form: tests a new key, then saves instance and link; nothing is saved before all is well. */
export const submitLink = answeredWith({ waiting: () => CHECKING_KEY_VIEW, again }, async (deps, form) => {
  const { core } = deps;
  const { view, values, metadata } = form;
  const fields = readLinkFields(values);
  if (Object.keys(fields.errors).length > 0) return atFields(deps, form, fields);
  const { settings } = fields;
  const isChosen = metadata.channel === undefined;
  const channel = metadata.channel ?? fieldOf(values, FIELDS.channel)?.selected_conversation ?? '';
  const person = await adminOf(deps, form, 'link');
  const error = await channelError(deps, person, channel, isChosen);
  const instanceBlock = fields.instance === undefined ? FIELDS.instanceName : FIELDS.instance;
  if (error !== undefined) return { errors: { [isChosen ? FIELDS.channel : instanceBlock]: error } };
  const changed = isChosen
    ? { errors: { [FIELDS.channel]: LINK_FIELD_ERRORS.linkedAlready } }
    : { errors: { [instanceBlock]: LINK_FIELD_ERRORS.changed } };
  // Slack may deliver a form again once it is saved: then the link is as the form wants it.
  const isAsShown = (link: Link | undefined, instanceId: string) =>
    [metadata.digest, linkDigest({ ...settings, instanceId })].includes(linkDigest(link));
  const now = await core.links.find(channel);
  if (!isAsShown(now?.link, fields.instance ?? withTypedKey(now, fields) ?? '')) return changed;
  const paying = await findOrAddInstance(deps, person, fields);
  if ('errors' in paying) return paying;
  const { instance } = paying;
  const { name: instanceName } = instance;
  const link = await core.links.save({
    channel,
    instance,
    settings,
    isAsShown: (shown) => isAsShown(shown, instance.id),
    by: person.id,
  });
  if (!link) return changed;
  // A form that arrives twice links once more, which changes nothing. Its news is posted once.
  const change = { team: person.team, channel, by: person.id, instanceName };
  await core.links.announceLinked(change, `${view.id}:${view.hash}`);
  // Read and record the balance now, so that the bot warns at once if it is below the threshold.
  const read = await core.credit.read(instance);
  const linked = linkedNotice(change, read.kind === 'ok' ? read.credits : undefined);
  return { notice: paying.kind === 'known' ? `${linked}\n${knownKeyNotice(instanceName)}` : linked };
});

function again(deps: SlackDeps, { view, metadata, values }: Submission, notice: string): Promise<ModalView> {
  const shown = { channel: metadata.channel, metadata: view.private_metadata };
  return withFields(deps, shown, readLinkFields(values), { notice, hash: view.hash });
}

/** Errors at fields. Once they are shown, an admin gets the fields that the form lacks. */
export function atFields(
  deps: SlackDeps,
  form: Submission,
  { errors, lacks }: Pick<LinkFields, 'errors' | 'lacks'>,
): FormResult {
  const choose = lacks === 'key' ? chooseInstance : chooseWhoCanSend;
  async function afterwards(): Promise<void> {
    try {
      if (mayAdminister(await submitterOf(deps, form))) await choose(deps, form);
    } catch (error) {
      deps.log.warn({ err: error }, 'a form could not be given the fields that it lacks');
    }
  }
  return { errors, ...(lacks && { afterwards }) };
}

/** The form with what was chosen and typed in it. */
async function withFields(
  { core }: SlackDeps,
  { channel, metadata }: { channel: string | undefined; metadata: string },
  { instance: selected, settings, name: nameValue }: LinkFields,
  again?: { notice: string; hash: string },
): Promise<ModalView> {
  const instances = await core.instances.list();
  return linkForm({ channel, instances, selected, settings, nameValue, metadata, ...again });
}

/** Why the channel can't be linked. Somebody who chooses a channel in the form must be in it. */
async function channelError(
  { conversations }: SlackDeps,
  person: Person,
  channel: string,
  isChosen: boolean,
): Promise<string | undefined> {
  if (!(await conversations.botIsMember(channel))) return botNotInChannel('Link');
  if (!isChosen || (await conversations.hasMember(channel, person.id))) return undefined;
  return LINK_FIELD_ERRORS.notInChannel;
}

/** The id of the channel's instance, if the hint of the typed key is the hint of its key. */
function withTypedKey(linked: LinkedView | undefined, fields: LinkFields): string | undefined {
  const typed = readKey(fields.key);
  return 'key' in typed && typed.key.hint === linked?.instance.keyHint ? linked.instance.id : undefined;
}

/** The chosen instance; without a choice, one with the typed key, which it adds. */
async function findOrAddInstance(
  deps: SlackDeps,
  person: Person,
  fields: LinkFields,
): Promise<{ kind: 'chosen' | 'saved' | 'known'; instance: InstanceView } | { errors: FieldErrors }> {
  if (fields.instance === undefined) return addInstance(deps, person, fields);
  const instance = await deps.core.instances.get(fields.instance);
  return instance
    ? { kind: 'chosen', instance }
    : { errors: { [FIELDS.instance]: LINK_FIELD_ERRORS.instanceRemoved } };
}

/** Opens the form that links the channel, in which the bot must be. On a Home and in direct messages it asks for a channel. */
export async function openLinkForm(
  deps: SlackDeps,
  { channel: here, inDirectMessage, open, to, answer }: SlackRequest,
): Promise<void> {
  const channel = inDirectMessage ? undefined : here || undefined;
  if (channel !== undefined && !(await deps.conversations.botIsMember(channel))) return answer(INVITE_FIRST);

  await open(TITLES.linkForm, async () => {
    const instances = await deps.core.instances.list();
    const linked = channel === undefined ? undefined : await deps.core.links.find(channel);
    const settings = linked?.link ?? DEFAULT_SETTINGS;
    const metadata = writeMetadata({ channel, to, digest: linkDigest(linked?.link) });
    const selected = (linked?.instance ?? instances[0])?.id;
    return linkForm({ channel, instances, selected, settings, metadata });
  });
}

/** The instance select of the link form: shows the fields of a new instance, or hides them. */
export async function chooseInstance(deps: SlackDeps, { view, metadata }: ShownForm): Promise<void> {
  const { channel } = metadata;
  const fields = readLinkFields(view.state.values);
  await deps.changeView(view, ({ private_metadata: now = '' }) =>
    withFields(deps, { channel, metadata: now }, fields),
  );
}

/** The "Who can send" select of the link form and the settings. Slack keeps what was typed in the other fields. */
export async function chooseWhoCanSend(deps: SlackDeps, { view, metadata }: ShownForm): Promise<void> {
  const { values } = view.state;
  const { settings } = readLinkFields(values);
  const people = FIELDS.people in values ? settings.people : (metadata.people ?? []);
  const { callback_id, title, submit, close } = view;
  await deps.changeView(view, async ({ blocks }) => ({
    type: 'modal',
    callback_id,
    title,
    blocks: withPeople(blocks, settings.whoCanSend, people),
    ...(submit && { submit }),
    ...(close && { close }),
    private_metadata: writeMetadata(withChosenPeople(metadata, people)),
  }));
}
