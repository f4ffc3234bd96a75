import type { Ledger } from '../../ledger/ledger.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Sends } from '../sends/sends.ts';
import { type HistoryDetails, historyDetails } from './history-details.ts';
import { type HistoryLine, historyLines } from './history-lines.ts';
import { type HistoryCursor, type HistoryPage, historyPage } from './history-pages.ts';
import type { HistoryAsked } from './history-query.ts';

/** What was sent. The caller has checked that the person may see the channel; this part masks numbers. */
export interface History {
  page(asked: HistoryAsked, cursor?: HistoryCursor): Promise<HistoryPage>;
  /** Undefined if nothing of the channel has this id. */
  details(asked: Pick<HistoryAsked, 'channel' | 'person'>, id: string): Promise<HistoryDetails | undefined>;
  /** Every message, some at a time. */
  lines(asked: HistoryAsked): AsyncIterable<HistoryLine[]>;
}

export function createHistory(deps: {
  ledger: Ledger;
  sends: Pick<Sends, 'view'>;
  jobs: Pick<Jobs, 'view'>;
}): History {
  const { ledger, sends, jobs } = deps;
  return {
    page: (asked, cursor) => historyPage(ledger, asked, cursor),
    details: (asked, id) => historyDetails({ ledger, sendView: sends.view, jobView: jobs.view }, asked, id),
    lines: (asked) => historyLines(ledger, asked),
  };
}
