import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import type { PayerChange } from '../../../core/accounts/key-taker.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import { readKey } from '../../../core/accounts/read-key.ts';
import { writeMetadata } from '../../forms/form-metadata.ts';
import { type LinkFields, readLinkFields } from '../../forms/read-link-fields.ts';
import { type FieldErrors, fieldOf } from '../../forms/view-values.ts';
import { FIELDS } from '../../ui/ids.ts';
import {
  ALREADY_REMOVED,
  addKeyForm,
  INSTANCE_REMOVED,
  instanceInUse,
  instanceRemoved,
  keyAddedNotice,
  keyKnownAlready,
  keyReplacedNotice,
  replaceKeyForm,
} from '../../ui/setup/key-forms.ts';
import { KEY_FAULTS, keyRefusalSentence } from '../../ui/setup/key-words.ts';
import { CHECKING_KEY_VIEW } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answerAdmin, type FormHandler, type FormResult } from './submission.ts';

/** **Add a key**: the new key is tested before it is saved. */
export const submitAddKey: FormHandler = async (deps, form) => {
  const { view, values, showErrors } = form;
  const fields = readLinkFields(values);
  if (Object.keys(fields.errors).length > 0) return showErrors(fields.errors);

  async function work(person: Person): Promise<FormResult> {
    const added = await addInstance(deps, person, fields);
    if ('errors' in added) return added;
    const { instance, credits, isKnown } = added;
    // Books the figure, so that it is shown.
    await deps.core.credit.read(instance);
    const { name: instanceName, keyHint } = instance;
    return {
      notice: isKnown ? keyKnownAlready(instanceName) : keyAddedNotice({ instanceName, keyHint, credits }),
    };
  }

  await answerAdmin(deps, form, work, {
    word: 'link',
    waiting: CHECKING_KEY_VIEW,
    again: async (notice) =>
      addKeyForm({
        metadata: view.private_metadata,
        nameValue: fields.name,
        notice,
        keyFieldId: `${FIELDS.apiKey}_${view.hash}`,
      }),
  });
};

/**
 * Tests a form's new key and saves it as an instance; `isKnown`: the workspace had this key already. Else the errors at
 * the form's fields, and nothing was saved.
 */
export async function addInstance(
  { core }: SlackDeps,
  person: Person,
  fields: Pick<LinkFields, 'name' | 'key'>,
): Promise<{ instance: InstanceView; credits: number; isKnown: boolean } | { errors: FieldErrors }> {
  const key = readKey(fields.key);
  if ('fault' in key) return { errors: { [FIELDS.apiKey]: KEY_FAULTS[key.fault] } };
  const taken = await core.instances.add({ name: fields.name, key: key.key, by: person.id });
  if (!('instance' in taken)) return { errors: { [FIELDS.apiKey]: keyRefusalSentence(taken) } };
  const { instance, credits } = taken;
  return { instance, credits, isKnown: taken.kind === 'known' };
}

/** **Replace key**: the new key is tested first. If another account is behind it, the form asks about that. */
export const submitReplaceKey: FormHandler = async (deps, form) => {
  const { view, values, metadata, showErrors } = form;
  const typed = readKey(fieldOf(values, FIELDS.apiKey)?.value ?? '');
  if ('fault' in typed) return showErrors({ [FIELDS.apiKey]: KEY_FAULTS[typed.fault] });
  const { key } = typed;
  const accepted = fieldOf(values, FIELDS.acceptAccount)?.selected_options ?? [];
  const find = () => deps.core.instances.get(metadata.instance ?? '');
  const again = (
    { name, keyHint }: InstanceView,
    more: { otherAccount?: { was: string; now: string; change: PayerChange }; notice?: string },
  ) =>
    replaceKeyForm({
      instanceName: name,
      keyHint,
      metadata: writeMetadata({ ...metadata, payerChange: more.otherAccount?.change }),
      keyFieldId: `${FIELDS.apiKey}_${view.hash}`,
      ...more,
    });

  async function work(): Promise<FormResult> {
    const instance = await find();
    if (!instance) return { notice: INSTANCE_REMOVED };
    const taken = await deps.core.instances.replaceKey(instance, key, {
      // Another key may have been pasted, or another admin may have replaced it, since the form asked.
      acceptOtherAccount: accepted.length > 0 && (metadata.payerChange ?? false),
    });
    if (taken.kind === 'removed') return { notice: INSTANCE_REMOVED };
    if (taken.kind === 'other_account') return { view: again(instance, { otherAccount: taken }) };
    if (!('instance' in taken)) return { errors: { [FIELDS.apiKey]: keyRefusalSentence(taken) } };
    const { keyHint } = taken.instance;
    // Ends the alert about a refused key, and books the figure of what may be another account.
    await deps.core.credit.read(taken.instance);
    return { notice: keyReplacedNotice({ instanceName: instance.name, keyHint, credits: taken.credits }) };
  }

  await answerAdmin(deps, form, work, {
    waiting: CHECKING_KEY_VIEW,
    async again(notice) {
      const instance = await find();
      return instance && again(instance, { notice });
    },
  });
};

/** **Remove instance**: forgets it and its key, unless channels or open sends still need it. */
export const submitRemoveInstance: FormHandler = async (deps, form) => {
  async function work(): Promise<FormResult> {
    const instance = await deps.core.instances.get(form.metadata.instance ?? '');
    if (!instance) return { notice: ALREADY_REMOVED };
    const removed = await deps.core.instances.remove(instance);
    const { name: instanceName } = instance;
    if (removed.kind === 'removed') return { notice: instanceRemoved(instanceName) };
    const channels = removed.links.map((link) => link.channel);
    return { notice: instanceInUse({ instanceName, channels, sends: removed.sends }) };
  }

  await answerAdmin(deps, form, work);
};
