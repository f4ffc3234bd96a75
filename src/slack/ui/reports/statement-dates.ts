import type { ModalView } from '@slack/types';
import type { Days } from '../../../core/accounts/statement.ts';
import { dayFields } from '../day-fields.ts';
import { VIEWS } from '../ids.ts';
import { modal } from '../modal.ts';
import { isoDay } from '../utc-days.ts';
import { TITLES } from '../views.ts';

/** A statement of more days would take too long to make. */
export const MOST_STATEMENT_DAYS = 366;

export function statementDatesForm({ days, metadata }: { days: Days; metadata: string }): ModalView {
  return modal({
    id: VIEWS.statementDates,
    title: TITLES.statement,
    submit: 'Show',
    metadata,
    blocks: dayFields(
      { from: isoDay(days.from), to: isoDay(days.to) },
      { placeholder: 'Choose', hints: { from: 'Days are in UTC.' } },
    ),
  });
}

export const DAYS_TO_COME = 'These days are still to come.';
export const TOO_MANY_DAYS = `Choose at most ${MOST_STATEMENT_DAYS} days.`;
/** In the form's place, where the statement took a while. */
export const STATEMENT_SHOWN = '✅ The statement is where you asked for it.';
