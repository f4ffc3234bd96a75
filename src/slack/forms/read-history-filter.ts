import { DAY_MS } from '../../core/accounts/periods.ts';
import { beginningOf } from '../../core/budgets/calendar.ts';
import { HISTORY_OUTCOMES } from '../../core/history/history-outcomes.ts';
import type { HistoryFilter } from '../../core/history/history-query.ts';
import { type Country, readNumber } from '../../core/texts/phone.ts';
import { DAYS_REVERSED } from '../ui/day-fields.ts';
import { FIELDS } from '../ui/ids.ts';
import { numberSentence } from '../ui/texts/number-problems.ts';
import { chosenOf, type FieldErrors, fieldOf, typedIn, type ViewValues } from './view-values.ts';

/** The filter form as submitted; `errors` by block. Days are those of the time zone. */
export function readHistoryFilter(
  values: ViewValues,
  { timeZone, country }: { timeZone: string; country: Country | undefined },
): { filter: HistoryFilter } | { errors: FieldErrors } {
  const by = fieldOf(values, FIELDS.person)?.selected_user ?? undefined;
  const typed = typedIn(values, FIELDS.number);
  const outcome = chosenOf(values, FIELDS.outcome, HISTORY_OUTCOMES);
  const first = fieldOf(values, FIELDS.fromDay)?.selected_date ?? undefined;
  const last = fieldOf(values, FIELDS.toDay)?.selected_date ?? undefined;
  const read = typed === '' ? undefined : readNumber(typed, country);
  if (read && read.kind !== 'number') return { errors: { [FIELDS.number]: numberSentence(read) } };
  // Days sort as texts do.
  if (first !== undefined && last !== undefined && last < first) {
    return { errors: { [FIELDS.toDay]: DAYS_REVERSED } };
  }
  return {
    filter: {
      ...(by === undefined ? {} : { by }),
      ...(read ? { e164: read.e164 } : {}),
      ...(outcome ? { outcome } : {}),
      ...(first === undefined ? {} : { from: beginningOf(Date.parse(first), timeZone) }),
      ...(last === undefined ? {} : { to: beginningOf(Date.parse(last) + DAY_MS, timeZone) }),
    },
  };
}
