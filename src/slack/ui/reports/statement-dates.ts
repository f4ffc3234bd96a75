import type { ModalView } from '@slack/types';
import type { Days } from '../../../core/accounts/statement.ts';
import { FIELDS, VIEWS } from '../ids.ts';
import { dayInput, field, modal } from '../modal.ts';
import { isoDay } from '../utc-days.ts';
import { TITLES } from '../views.ts';

/** A statement of more days would take too long to make. */
export const MOST_STATEMENT_DAYS = 366;

export function statementDatesForm({ days, metadata }: { days: Days; metadata: string }): ModalView {
  return modal(VIEWS.statementDates, { title: TITLES.statement, submit: 'Show', metadata }, [
    field(FIELDS.fromDay, 'From', dayInput(isoDay(days.from), 'Choose'), { hint: 'Days are in UTC.' }),
    field(FIELDS.toDay, 'To', dayInput(isoDay(days.to), 'Choose')),
  ]);
}

export const DAYS_TO_COME = 'These days are still to come.';
export const TOO_MANY_DAYS = `Choose at most ${MOST_STATEMENT_DAYS} days.`;
/** In the form's place, where the statement took a while. */
export const STATEMENT_SHOWN = '✅ The statement is where you asked for it.';
