import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import type { PayerChange } from '../../../core/accounts/key-taker.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import { readKey } from '../../../core/accounts/read-key.ts';
import { fieldOf, writeMetadata } from '../../forms/form-data.ts';
import { type LinkFields, readLinkFields } from '../../forms/read-link-fields.ts';
import { FIELDS } from '../../ui/ids.ts';
import * as keys from '../../ui/setup/key-forms.ts';
import { KEY_FAULTS, keyRefusalSentence } from '../../ui/setup/key-words.ts';
import { CHECKING_KEY_VIEW, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { ClickHandler } from '../click.ts';
import { adminOf, answered, answeredWith, type Submission } from '../submission.ts';
import { instanceForm, instanceOf } from './instance-forms.ts';

const waiting = () => CHECKING_KEY_VIEW;

/** **Add a key**: tests the new key before it saves it. */
export const submitAddKey = answeredWith({ waiting, again: addKeyAgain }, async (deps, form) => {
  const fields = readLinkFields(form.values);
  if (Object.keys(fields.errors).length > 0) return { errors: fields.errors };
  const added = await addInstance(deps, await adminOf(deps, form, 'link'), fields);
  if ('errors' in added) return added;
  const { kind, instance, credits } = added;
  // Books the figure, so that it is shown.
  await deps.core.credit.read(instance);
  if (kind === 'known') return { notice: keys.keyKnownAlready(instance.name) };
  return { notice: keys.keyAddedNotice(instance, credits) };
});

async function addKeyAgain(_deps: SlackDeps, { view, values }: Submission, notice: string) {
  const { private_metadata: metadata, hash } = view;
  const { name: nameValue } = readLinkFields(values);
  return keys.addKeyForm({ metadata, nameValue, notice, hash });
}

/** Tests a form's new key and saves it as an instance; `known`: the workspace had it. With errors, it saves nothing. */
export async function addInstance({ core }: SlackDeps, person: Person, fields: LinkFields) {
  const key = readKey(fields.key);
  if ('fault' in key) return { errors: { [FIELDS.apiKey]: KEY_FAULTS[key.fault] } };
  const taken = await core.instances.add({ name: fields.name, key: key.key, by: person.id });
  return 'instance' in taken ? taken : { errors: { [FIELDS.apiKey]: keyRefusalSentence(taken) } };
}

/** **Replace key**: tests the new key first. If another account is behind it, the form asks about that. */
export const submitReplaceKey = answeredWith({ waiting, again: replaceKeyAgain }, async (deps, form) => {
  const { values, metadata } = form;
  const typed = readKey(fieldOf(values, FIELDS.apiKey)?.value ?? '');
  if ('fault' in typed) return { errors: { [FIELDS.apiKey]: KEY_FAULTS[typed.fault] } };
  const accepted = fieldOf(values, FIELDS.acceptAccount)?.selected_options ?? [];
  await adminOf(deps, form);
  const instance = await instanceOf(deps, metadata);
  if (!instance) return { notice: keys.INSTANCE_REMOVED };
  const taken = await deps.core.instances.replaceKey(instance, typed.key, {
    // Since the form asked, the person may have pasted another key, or another admin may have replaced it.
    acceptOtherAccount: accepted.length > 0 && (metadata.payerChange ?? false),
  });
  if (taken.kind === 'removed') return { notice: keys.INSTANCE_REMOVED };
  if (taken.kind === 'other_account') return { view: keyFormAgain(form, instance, { otherAccount: taken }) };
  if (!('instance' in taken)) return { errors: { [FIELDS.apiKey]: keyRefusalSentence(taken) } };
  // Ends the alert about a refused key, and books the figure of what may be another account.
  await deps.core.credit.read(taken.instance);
  return { notice: keys.keyReplacedNotice(taken.instance, taken.credits) };
});

async function replaceKeyAgain(deps: SlackDeps, form: Submission, notice: string) {
  const instance = await instanceOf(deps, form.metadata);
  return instance && keyFormAgain(form, instance, { notice });
}

function keyFormAgain(
  { view, metadata }: Submission,
  instance: InstanceView,
  more: { otherAccount?: { was: string; now: string; change: PayerChange }; notice?: string },
) {
  return keys.replaceKeyForm({
    instance,
    metadata: writeMetadata({ ...metadata, payerChange: more.otherAccount?.change }),
    hash: view.hash,
    ...more,
  });
}

/** **Remove instance**: forgets it and its key, unless channels or open sends still need it. */
export const submitRemoveInstance = answered(async (deps, form) => {
  await adminOf(deps, form);
  const instance = await instanceOf(deps, form.metadata);
  if (!instance) return { notice: keys.INSTANCE_REMOVED };
  const removed = await deps.core.instances.remove(instance);
  if (removed.kind === 'removed') return { notice: keys.instanceRemoved(instance.name) };
  const channels = removed.links.map((link) => link.channel);
  return { notice: keys.instanceInUse(instance.name, channels, removed.sends) };
});

/** **Add a key**: an instance that no channel is linked to yet. */
export const addKey: ClickHandler = (_deps, { open, to }) =>
  open(TITLES.addKeyForm, () => keys.addKeyForm({ metadata: writeMetadata({ to }) }));

/** **Replace key**. */
export const keyForm = instanceForm(TITLES.replaceKeyForm, async (_deps, instance, metadata) =>
  keys.replaceKeyForm({ instance, metadata: writeMetadata(metadata) }),
);

/** **Remove instance**: asks first. On Home, for an instance without a channel: no channel has settings for it. */
export const removeForm = instanceForm(TITLES.removeInstanceForm, async (deps, instance, metadata) => {
  const channels = (await deps.core.links.ofInstance(instance)).map((link) => link.channel);
  return keys.removeInstanceForm({ instance, channels, metadata: writeMetadata(metadata) });
});
