import { DAY_MS } from '../../../core/accounts/periods.ts';
import { beginningOf, dateOf } from '../../../core/budgets/calendar.ts';
import { HISTORY_OUTCOMES } from '../../../core/history/history-outcomes.ts';
import type { HistoryFilter } from '../../../core/history/history-query.ts';
import { type Country, readNumber } from '../../../core/texts/phone.ts';
import {
  chosenOf,
  type FieldErrors,
  fieldOf,
  typedIn,
  type ViewValues,
  writeMetadata,
} from '../../forms/form-data.ts';
import { FIELDS } from '../../ui/ids.ts';
import { HISTORY_GONE } from '../../ui/reports/history.ts';
import { FILTERED, historyFilterForm } from '../../ui/reports/history-filter-form.ts';
import { readHistoryState } from '../../ui/reports/history-state.ts';
import { numberSentence } from '../../ui/texts/typed-problems.ts';
import { DAYS_REVERSED } from '../../ui/utc-days.ts';
import { TITLES } from '../../ui/views.ts';
import type { ClickHandler } from '../click.ts';
import { answerInTime, type FormHandler } from '../submission.ts';
import { showHistory } from './history.ts';

/** The history's filter. The page that it was opened from shows what the filter finds. */
export const submitHistoryFilter: FormHandler = async (deps, form) => {
  const { to, channel = '', all = false } = form.metadata;

  await answerInTime(deps, form, async (person) => {
    const read = readHistoryFilter(form.values, {
      timeZone: await deps.access.timeZone(person.id),
      country: await deps.rights.countryIn(channel),
    });
    if ('errors' in read) return read;
    const state = { ...(all && { all }), filter: read.filter };
    await showHistory(deps, { person, channel, to }, state, { replaces: true });
    return { closes: FILTERED };
  });
};

/** The filter form as submitted; `errors` by block. Days are those of the time zone. */
function readHistoryFilter(
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

/** **Filter**: the form for what to look for, filled in with the present filter. */
export const openFilter: ClickHandler = async (deps, { person, channel, value, open, to, answer }) => {
  const state = readHistoryState(value);
  if (!state) return answer(HISTORY_GONE);
  const { all = false, filter: { by, e164, outcome, from, to: until } = {} } = state;
  await open(TITLES.historyFilter, async () => {
    const timeZone = await deps.access.timeZone(person.id);
    return historyFilterForm({
      by,
      number: e164,
      outcome,
      fromDay: from === undefined ? undefined : dateOf(from, timeZone),
      toDay: until === undefined ? undefined : dateOf(until - 1, timeZone),
      metadata: writeMetadata({ to, channel, all }),
    });
  });
};
