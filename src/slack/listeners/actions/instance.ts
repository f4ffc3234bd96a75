import type { View } from '@slack/types';
import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { type FormMetadata, withChosenPeople, writeMetadata } from '../../forms/form-metadata.ts';
import { openModal } from '../../forms/open-modal.ts';
import { readLinkFields } from '../../forms/read-link-fields.ts';
import { refusalCheckView } from '../../forms/refusal-check-view.ts';
import { adminsOf } from '../../people/usable-link.ts';
import { keyIsForAdmins } from '../../ui/access-refusals.ts';
import { message } from '../../ui/blocks.ts';
import { FIELDS } from '../../ui/ids.ts';
import {
  addKeyForm,
  INSTANCE_REMOVED,
  removeInstanceForm,
  replaceKeyForm,
} from '../../ui/setup/key-forms.ts';
import { linkForm } from '../../ui/setup/link-form.ts';
import { withPeople } from '../../ui/setup/link-form-fields.ts';
import { checkIsForAdmins, INSTANCE_GONE } from '../../ui/setup/refusal-check-forms.ts';
import { TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { type ClickHandler, forAdmins, type ViewClickHandler } from './action.ts';

/** The instance select of the link form: shows the fields of a new instance, or hides them. */
export const chooseInstance: ViewClickHandler = async (deps, { view, metadata }) => {
  const fields = readLinkFields(view.state.values);
  await deps.web.views.update({
    view_id: view.id,
    hash: view.hash,
    view: linkForm({
      channel: metadata.channel,
      instances: await deps.core.instances.list(),
      selected: fields.instance,
      settings: fields.settings,
      nameValue: fields.name,
      metadata: writeMetadata(metadata),
    }),
  });
};

/** The "Who can send" select of the link form and the settings. Slack keeps what was typed in the other fields. */
export const chooseWhoCanSend: ViewClickHandler = async (deps, { view, metadata }) => {
  const { values } = view.state;
  const { settings } = readLinkFields(values);
  const peopleBefore = metadata.people ?? metadata.settings?.people ?? [];
  const people = FIELDS.people in values ? settings.people : peopleBefore;
  const { callback_id, title, submit, close, blocks } = view;
  await deps.web.views.update({
    view_id: view.id,
    hash: view.hash,
    view: {
      type: 'modal',
      callback_id,
      title,
      blocks: withPeople(blocks, settings.whoCanSend, people),
      ...(submit && { submit }),
      ...(close && { close }),
      private_metadata: writeMetadata(withChosenPeople(metadata, people)),
    },
  });
};

/** **Add a key**: an instance that no channel is linked to yet. */
export const addKey = forAdmins('link', async (deps, { triggerId, to }) => {
  const metadata = writeMetadata({ to });
  await openModal(deps, triggerId, TITLES.addKeyForm, () => addKeyForm({ metadata }));
});

/** **Replace key**, on top of the settings. */
export const openKeyForm = pushForm(async (_deps, { name, keyHint }, metadata) =>
  replaceKeyForm({ instanceName: name, keyHint, metadata: writeMetadata(metadata) }),
);

/** **Replace key** at a message. */
export const replaceRefusedKey: ClickHandler = async (deps, { person, value, triggerId, to, answer }) => {
  if (!mayAdminister(person)) return answer(keyIsForAdmins(await adminsOf(deps)));
  const instance = await deps.core.instances.get(value);
  if (!instance) return answer(message(INSTANCE_REMOVED));
  const { id, name: instanceName, keyHint } = instance;
  const metadata = writeMetadata({ to, instance: id });
  await openModal(deps, triggerId, TITLES.replaceKeyForm, () =>
    replaceKeyForm({ instanceName, keyHint, metadata }),
  );
};

/** **Remove instance**, on top of the settings: asks first. */
export const openRemoveForm = pushForm(async (deps, instance, metadata) => {
  const links = await deps.core.links.ofInstance(instance);
  return removeInstanceForm({
    instanceName: instance.name,
    keyHint: instance.keyHint,
    channels: links.map((link) => link.channel),
    metadata: writeMetadata(metadata),
  });
});

/** **How does my provider refuse?**, on top of the settings. */
export const openCheckForm = pushForm(refusalCheckView);

/** **How does my provider refuse?** on a job's card, **Finish the check** in direct messages. */
export const checkRefusals: ClickHandler = async (deps, { person, value, triggerId, to, answer }) => {
  if (!mayAdminister(person)) return answer(checkIsForAdmins(await adminsOf(deps)));
  const instance = await deps.core.instances.get(value);
  if (!instance) return answer(INSTANCE_GONE);
  await openModal(deps, triggerId, TITLES.refusalCheck, () =>
    refusalCheckView(deps, instance, { to, instance: instance.id }),
  );
};

/** Puts a form about the settings' instance on top of them. */
function pushForm(
  make: (deps: SlackDeps, instance: InstanceView, metadata: FormMetadata) => Promise<View>,
): ViewClickHandler {
  return async (deps, { triggerId, metadata }) => {
    const instance = await deps.core.instances.get(metadata.instance ?? '');
    if (!instance) return;
    await deps.web.views.push({ trigger_id: triggerId, view: await make(deps, instance, metadata) });
  };
}
