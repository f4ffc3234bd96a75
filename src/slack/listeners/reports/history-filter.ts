import { DAY_MS } from '../../../core/accounts/periods.ts';
import { beginningOf } from '../../../core/budgets/calendar.ts';
import { HISTORY_OUTCOMES } from '../../../core/history/history-outcomes.ts';
import type { HistoryFilter } from '../../../core/history/history-query.ts';
import { readNumber } from '../../../core/texts/phone.ts';
import { chosenOf, fieldOf, typedIn, writeMetadata } from '../../forms/form-data.ts';
import { FIELDS } from '../../ui/ids.ts';
import { historyFilterForm } from '../../ui/reports/history-filter-form.ts';
import { numberSentence } from '../../ui/texts/typed-problems.ts';
import { DAYS_REVERSED } from '../../ui/utc-days.ts';
import { TITLES } from '../../ui/views.ts';
import type { ClickHandler } from '../click.ts';
import { answered, submitterOf } from '../submission.ts';
import { showHistory, stateOf } from './history.ts';

/**
 * The history's filter. The page that it was opened from shows what the filter finds. Days are those of the person's own
 * time zone.
 */
export const submitHistoryFilter = answered(async (deps, form) => {
  const { values, metadata } = form;
  const { to, channel = '', all = false } = metadata;
  const person = await submitterOf(deps, form);
  const timeZone = await deps.access.timeZone(person.id);
  const by = fieldOf(values, FIELDS.person)?.selected_user;
  const typed = typedIn(values, FIELDS.number);
  const read = typed === '' ? undefined : readNumber(typed, await deps.rights.countryIn(channel));
  if (read && read.kind !== 'number') return { errors: { [FIELDS.number]: numberSentence(read) } };
  const outcome = chosenOf(values, FIELDS.outcome, HISTORY_OUTCOMES);
  const first = fieldOf(values, FIELDS.fromDay)?.selected_date;
  const last = fieldOf(values, FIELDS.toDay)?.selected_date;
  // Days sort as texts do.
  if (first && last && last < first) return { errors: { [FIELDS.toDay]: DAYS_REVERSED } };
  const filter: HistoryFilter = {
    ...(by && { by }),
    ...(read && { e164: read.e164 }),
    ...(outcome && { outcome }),
    ...(first && { from: beginningOf(Date.parse(first), timeZone) }),
    ...(last && { to: beginningOf(Date.parse(last) + DAY_MS, timeZone) }),
  };
  await showHistory(deps, { person, channel, to }, { ...(all && { all }), filter }, { replaces: true });
  return { closes: true };
});

/** **Filter**: the form for what to look for, filled in with the present filter. */
export const openFilter: ClickHandler = async (deps, click) => {
  const { person, channel, open, to } = click;
  const { all = false, filter = {} } = stateOf(click);
  await open(TITLES.historyFilter, async () => {
    const timeZone = await deps.access.timeZone(person.id);
    return historyFilterForm(filter, { timeZone, metadata: writeMetadata({ to, channel, all }) });
  });
};
