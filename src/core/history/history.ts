import type { Ledger } from '../../ledger/ledger.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Sends } from '../sends/sends.ts';
import { historyDetails } from './history-details.ts';
import { historyLines } from './history-lines.ts';
import { type HistoryCursor, historyPage } from './history-pages.ts';
import type { HistoryAsked } from './history-query.ts';

/** What was sent. The caller has checked that the person may see the channel; this part masks numbers. */
export function createHistory(deps: {
  ledger: Ledger;
  sends: Pick<Sends, 'view'>;
  jobs: Pick<Jobs, 'view'>;
}) {
  const { ledger, sends, jobs } = deps;
  return {
    page: (asked: HistoryAsked, cursor?: HistoryCursor) => historyPage(ledger, asked, cursor),
    /** Undefined if nothing of the channel has this id. */
    details: (asked: Pick<HistoryAsked, 'channel' | 'person'>, id: string) =>
      historyDetails({ ledger, sendView: sends.view, jobView: jobs.view }, asked, id),
    /** Every message, some at a time. */
    lines: (asked: HistoryAsked) => historyLines(ledger, asked),
  };
}
