import { thisMonth } from '../../../core/accounts/periods.ts';
import { statementFor, thresholdOf } from '../../answers/show-statement.ts';
import { balancePicture } from '../../files/balance-picture.ts';
import { statementCsv } from '../../files/statement-csv.ts';
import { handOverFile } from '../../files/upload-file.ts';
import { writeMetadata } from '../../forms/form-metadata.ts';
import { openModal } from '../../forms/open-modal.ts';
import { exportedMessage, STATEMENT_FILE, statementTitle } from '../../ui/reports/statement.ts';
import { outcomesMessage } from '../../ui/reports/statement-charts.ts';
import { readStatementValue, statementDatesForm } from '../../ui/reports/statement-choices.ts';
import { INSTANCE_GONE } from '../../ui/setup/refusal-check-forms.ts';
import { TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { type Click, forAdmins } from './action.ts';

/** **Statement** elsewhere: of this month, beside what was clicked. */
export const showStatement = forAdmins('statement', async (deps, { value, answer }) => {
  const { instance, days } = readStatementValue(value);
  await answer(await statementFor(deps, { instance, days }));
});

/** Another account, or other days: in the statement's place. **Other dates…** asks for them. */
export const chooseStatement = forAdmins('statement', async (deps, { value, triggerId, to, replace }) => {
  const { instance, days: chosen, asks } = readStatementValue(value);
  if (!asks) return replace(await statementFor(deps, { instance, days: chosen }));
  const metadata = writeMetadata({ to, instance });
  const days = thisMonth(deps.core.now());
  await openModal(deps, triggerId, TITLES.statement, () => statementDatesForm({ days, metadata }));
});

/** **Outcomes by day**: what became of texts on the shown days, as it is now. */
export const showOutcomes = forAdmins('statement', async (deps, click) => {
  const found = await shownStatement(deps, click);
  if (found) await click.answer(outcomesMessage(found.instance.userName, found.statement));
});

/** **Export CSV**: the shown statement, as it is now, with a picture of its balance. */
export const exportStatement = forAdmins('statement', async (deps, click) => {
  const found = await shownStatement(deps, click);
  if (!found) return;
  const { person, answer } = click;
  const { instance, statement } = found;
  const comment = statementTitle(instance.userName, statement.days);
  const threshold = await thresholdOf(deps, instance);
  const picture = await handOverFile(
    deps,
    person.id,
    await balancePicture(statement, { threshold, comment }),
  );
  const delivered = await handOverFile(deps, person.id, {
    name: STATEMENT_FILE,
    bytes: statementCsv(statement),
    comment,
  });
  await answer(exportedMessage(delivered, picture));
});

/** The statement that the button is at, as it is now. Where there is none, says why and returns undefined. */
async function shownStatement(deps: SlackDeps, { value, answer }: Click) {
  const { instance: id, days = thisMonth(deps.core.now()) } = readStatementValue(value);
  const instance = await deps.core.instances.get(id);
  if (!instance) return void (await answer(INSTANCE_GONE));
  const statement = await deps.core.statement(instance, days);
  if (statement && 'opening' in statement) return { instance, statement };
  await answer(await statementFor(deps, { instance: id, days }));
  return undefined;
}
