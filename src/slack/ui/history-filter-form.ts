import type { InputBlock, ModalView } from '@slack/types';
import { HISTORY_OUTCOMES, type HistoryOutcome } from '../../core/history/outcomes.ts';
import { plain } from './blocks.ts';
import { OUTCOME_WORDS } from './history-words.ts';
import { FIELDS, VIEWS } from './ids.ts';
import { field, modal, option, select, textInput } from './modal.ts';
import { TITLES } from './views.ts';
import { capitalised } from './words.ts';

/** The error at the last day. */
export const DAYS_REVERSED = 'This day is before the first one.';

/** In the form's place, where it took a while. */
export const FILTERED = 'The history shows what was found.';

/** What to look for in the history; all fields may stay empty. Days are `2026-11-22`, of the person's own time zone. */
export function historyFilterForm({
  by,
  number,
  outcome,
  fromDate,
  toDate,
  metadata,
}: {
  by?: string | undefined;
  number?: string | undefined;
  outcome?: HistoryOutcome | undefined;
  fromDate?: string | undefined;
  toDate?: string | undefined;
  metadata: string;
}): ModalView {
  const outcomes = HISTORY_OUTCOMES.map((each) => option(each, capitalised(OUTCOME_WORDS[each])));
  const optional = { optional: true };
  const person: InputBlock['element'] = {
    type: 'users_select',
    action_id: FIELDS.person,
    ...(by !== undefined && { initial_user: by }),
  };
  return modal({
    id: VIEWS.historyFilterForm,
    title: TITLES.historyFilter,
    submit: 'Show',
    metadata,
    blocks: [
      field(FIELDS.person, 'Who sent it', person, optional),
      field(
        FIELDS.number,
        'Number',
        textInput(FIELDS.number, { initial: number, placeholder: '+44 …' }),
        optional,
      ),
      field(
        FIELDS.outcome,
        'Outcome',
        select(FIELDS.outcome, { options: outcomes }, { chosen: outcome, placeholder: 'Any' }),
        optional,
      ),
      field(FIELDS.fromDate, 'From', day(FIELDS.fromDate, fromDate), optional),
      field(FIELDS.toDate, 'To', day(FIELDS.toDate, toDate), { ...optional, hint: 'This day counts too.' }),
    ],
  });
}

function day(id: string, initial: string | undefined): InputBlock['element'] {
  return {
    type: 'datepicker',
    action_id: id,
    placeholder: plain('Any day'),
    ...(initial !== undefined && { initial_date: initial }),
  };
}
