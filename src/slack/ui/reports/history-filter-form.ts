import type { ModalView } from '@slack/types';
import { HISTORY_OUTCOMES, type HistoryOutcome } from '../../../core/history/history-outcomes.ts';
import { FIELDS, VIEWS } from '../ids.ts';
import { dayInput, type FieldElement, field, modal, option, select, textInput } from '../modal.ts';
import { TITLES } from '../views.ts';
import { capitalised } from '../words.ts';
import { OUTCOME_WORDS } from './history-words.ts';

/** Asks what to look for in the history; all fields may stay empty. Days are `2026-11-22`, in the person's own time zone. */
export function historyFilterForm(facts: {
  by?: string | undefined;
  number?: string | undefined;
  outcome?: HistoryOutcome | undefined;
  fromDay?: string | undefined;
  toDay?: string | undefined;
  metadata: string;
}): ModalView {
  const { by, number, outcome, fromDay, toDay, metadata } = facts;
  const outcomes = HISTORY_OUTCOMES.map((each) => option(each, capitalised(OUTCOME_WORDS[each])));
  const optional = { optional: true };
  const person: FieldElement = { type: 'users_select', ...(by !== undefined && { initial_user: by }) };
  return modal(VIEWS.historyFilterForm, { title: TITLES.historyFilter, submit: 'Show', metadata }, [
    field(FIELDS.person, 'Who sent it', person, optional),
    field(FIELDS.number, 'Number', textInput({ initial: number, placeholder: '+44 …' }), optional),
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
