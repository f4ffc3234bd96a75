import { dayOf } from '../../../core/accounts/periods.ts';
import type { Days } from '../../../core/accounts/statement.ts';
import { statementFor } from '../../answers/show-statement.ts';
import { fieldOf, type ViewValues } from '../../forms/view-values.ts';
import { FIELDS } from '../../ui/ids.ts';
import {
  DAYS_TO_COME,
  MOST_STATEMENT_DAYS,
  STATEMENT_SHOWN,
  TOO_MANY_DAYS,
} from '../../ui/reports/statement-choices.ts';
import { DAYS_REVERSED } from '../../ui/utc-days.ts';
import { answerAdmin, type FormHandler, type FormResult } from './submission.ts';

/** The form for the days of a statement. The statement appears where it was asked for. */
export const submitStatementDates: FormHandler = async (deps, form) => {
  const days = daysIn(form.values, dayOf(deps.core.now()));
  if (typeof days === 'string') return form.showErrors({ [FIELDS.toDay]: days });
  const { instance, to } = form.metadata;

  const work = async (): Promise<FormResult> => {
    await deps.replies.toPerson(to, await statementFor(deps, { instance, days }));
    return { closes: STATEMENT_SHOWN };
  };

  await answerAdmin(deps, form, work, { word: 'statement' });
};

/** The chosen days up to today, or what is wrong with them. */
function daysIn(values: ViewValues, today: number): Days | string {
  const [from, to] = [FIELDS.fromDay, FIELDS.toDay].map((id) =>
    dayOf(Date.parse(fieldOf(values, id)?.selected_date ?? '')),
  ) as [number, number];
  if (!(from <= to)) return DAYS_REVERSED;
  if (from > today) return DAYS_TO_COME;
  return to - from < MOST_STATEMENT_DAYS ? { from, to: Math.min(to, today) } : TOO_MANY_DAYS;
}
