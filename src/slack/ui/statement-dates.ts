import type { ModalView } from '@slack/types';
import type { Days } from '../../core/accounts/statement.ts';
import { plain } from './blocks.ts';
import { FIELDS, VIEWS } from './ids.ts';
import { field, modal } from './modal.ts';
import { isoDay } from './utc-days.ts';
import { TITLES } from './views.ts';

/** A statement of more days would take too long to make. */
export const MOST_STATEMENT_DAYS = 366;

/** Asks for the days of a statement. */
export function statementDatesForm({ days, metadata }: { days: Days; metadata: string }): ModalView {
  const picker = (id: string, day: number) =>
    ({ type: 'datepicker', action_id: id, initial_date: isoDay(day), placeholder: plain('Choose') }) as const;
  return modal({
    id: VIEWS.statementDates,
    title: TITLES.statement,
    submit: 'Show',
    metadata,
    blocks: [
      field(FIELDS.fromDay, 'From', picker(FIELDS.fromDay, days.from), { hint: 'Days are in UTC.' }),
      field(FIELDS.toDay, 'To', picker(FIELDS.toDay, days.to)),
    ],
  });
}

export const DAYS_TURNED_ROUND = 'This day is before the first one.';
export const DAYS_TO_COME = 'These days are still to come.';
export const TOO_MANY_DAYS = `Choose at most ${MOST_STATEMENT_DAYS} days.`;
/** Once the statement is there. */
export const STATEMENT_SHOWN = '✅ The statement is where you asked for it.';
