import { sendOptOutsFile } from '../../files/opt-outs-file.ts';
import { writeMetadata } from '../../forms/form-metadata.ts';
import { openModal } from '../../forms/open-modal.ts';
import { optOutRefusal } from '../../people/opt-out-right.ts';
import { optOutImportForm } from '../../ui/limits/opt-out-forms.ts';
import { EXPORT_BEGUN } from '../../ui/reports/history-export.ts';
import { TITLES } from '../../ui/views.ts';
import { type ClickHandler, forAdmins } from './action.ts';

/** **Import**: the form for many numbers. */
export const importOptOuts: ClickHandler = async (deps, { person, channel, triggerId, to }) => {
  await openModal(deps, triggerId, TITLES.optOutImport, async () => {
    const refusal = await optOutRefusal(deps, person, channel);
    return refusal ? refusal.text : optOutImportForm(writeMetadata({ channel, to }));
  });
};

/** **Export CSV**: all numbers, whole, to an admin's direct messages. */
export const exportOptOuts = forAdmins('optouts', async (deps, { person, answer }) => {
  await answer(EXPORT_BEGUN);
  await sendOptOutsFile(deps, person);
});
