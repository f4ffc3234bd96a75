import { dayOf } from '../../../core/accounts/periods.ts';
import type { Days } from '../../../core/accounts/statement.ts';
import { statementFor } from '../../answers/show-statement.ts';
import { readMetadata } from '../../forms/form-metadata.ts';
import { fieldOf, type ViewValues } from '../../forms/view-values.ts';
import { DAYS_REVERSED } from '../../ui/day-fields.ts';
import { FIELDS } from '../../ui/ids.ts';
import {
  DAYS_TO_COME,
  MOST_STATEMENT_DAYS,
  STATEMENT_SHOWN,
  TOO_MANY_DAYS,
} from '../../ui/reports/statement-dates.ts';
import { noticeView, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answerAdmin, type FormResult, type ViewHandler } from './submission.ts';

/** The form for the days of a statement. The statement appears where it was asked for. */
export function submitStatementDates(deps: SlackDeps): ViewHandler {
  return async (args) => {
    const { ack, view } = args;
    const days = daysIn(view.state.values);
    if (typeof days === 'string') {
      return ack({ response_action: 'errors', errors: { [FIELDS.toDay]: days } });
    }
    const { instance, to } = readMetadata(view.private_metadata);

    const work = async (): Promise<FormResult> => {
      await deps.replies.toPerson(to, await statementFor(deps, { instance, days, now: Date.now() }));
      return { closes: noticeView(TITLES.statement, STATEMENT_SHOWN) };
    };

    await answerAdmin(deps, args, work, { title: TITLES.statement, word: 'statement' });
  };
}

/** The chosen days up to today, or what is wrong with them. */
function daysIn(values: ViewValues): Days | string {
  const [from, to] = [FIELDS.fromDay, FIELDS.toDay].map((id) =>
    dayOf(Date.parse(fieldOf(values, id)?.selected_date ?? '')),
  ) as [number, number];
  if (!(from <= to)) return DAYS_REVERSED;
  const today = dayOf(Date.now());
  if (from > today) return DAYS_TO_COME;
  return to - from < MOST_STATEMENT_DAYS ? { from, to: Math.min(to, today) } : TOO_MANY_DAYS;
}
