import type { ModalView } from '@slack/types';
import { dateOf } from '../../../core/budgets/calendar.ts';
import { HISTORY_OUTCOMES } from '../../../core/history/history-outcomes.ts';
import type { HistoryFilter } from '../../../core/history/history-query.ts';
import { FIELDS, VIEWS } from '../ids.ts';
import { dayInput, type FieldElement, field, modal, option, select, textInput } from '../modal.ts';
import { TITLES } from '../views.ts';
import { capitalised } from '../words.ts';
import { OUTCOME_WORDS } from './history-words.ts';

/** Asks what to look for in the history, from the present filter on; all fields may stay empty. `timeZone`: the person's own. */
export function historyFilterForm(
  { by, e164, outcome, from, to }: HistoryFilter,
  { timeZone, metadata }: { timeZone: string; metadata: string },
): ModalView {
  const fromDay = from === undefined ? undefined : dateOf(from, timeZone);
  const toDay = to === undefined ? undefined : dateOf(to - 1, timeZone);
  const outcomes = HISTORY_OUTCOMES.map((each) => option(each, capitalised(OUTCOME_WORDS[each])));
  const optional = { optional: true };
  const person: FieldElement = { type: 'users_select', ...(by !== undefined && { initial_user: by }) };
  return modal(VIEWS.historyFilterForm, { title: TITLES.historyFilter, submit: 'Show', metadata }, [
    field(FIELDS.person, 'Who sent it', person, optional),
    field(FIELDS.number, 'Number', textInput({ initial: e164, placeholder: '+44 …' }), optional),
    field(
      FIELDS.outcome,
      'Outcome',
      select({ options: outcomes }, { chosen: outcome, placeholder: 'Any' }),
      optional,
    ),
    field(FIELDS.fromDay, 'From', dayInput(fromDay, 'Any day'), optional),
    field(FIELDS.toDay, 'To', dayInput(toDay, 'Any day'), { ...optional, hint: 'This day counts too.' }),
  ]);
}
