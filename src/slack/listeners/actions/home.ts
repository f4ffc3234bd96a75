import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { writeMetadata } from '../../forms/form-metadata.ts';
import { openLinkForm } from '../../forms/open-link-form.ts';
import { openModal } from '../../forms/open-modal.ts';
import { adminsOnly } from '../../ui/access-refusals.ts';
import { addKeyForm } from '../../ui/setup/key-forms.ts';
import { TITLES } from '../../ui/views.ts';
import type { ClickHandler } from './action.ts';

/** **Add a key**: an instance that no channel is linked to yet. */
export const addKey: ClickHandler = async (deps, { person, triggerId, to, answer }) => {
  if (!mayAdminister(person)) return answer(adminsOnly('link'));
  await openModal(deps, triggerId, TITLES.addKeyForm, addKeyForm({ metadata: writeMetadata({ to }) }));
};

/** **Link a channel**, where no channel is at hand: the form asks for it. */
export const linkSomeChannel: ClickHandler = async (deps, click) => {
  if (!mayAdminister(click.person)) return click.answer(adminsOnly('link'));
  await openLinkForm(deps, { ...click, channel: undefined });
};
