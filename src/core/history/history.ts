import { historyDetails, type Sources } from './history-details.ts';
import { historyLines } from './history-lines.ts';
import { type HistoryCursor, historyPage } from './history-pages.ts';
import type { HistoryAsked } from './history-query.ts';

/** What was sent. The caller has checked that the person may see the channel; this part masks numbers. */
export function createHistory(sources: Sources) {
  const { ledger } = sources;
  return {
    page: (asked: HistoryAsked, cursor?: HistoryCursor) => historyPage(ledger, asked, cursor),
    /** Undefined if nothing of the channel has this id. */
    details: (asked: Pick<HistoryAsked, 'channel' | 'person'>, id: string) =>
      historyDetails(sources, asked, id),
    /** Every message, some at a time. */
    lines: (asked: HistoryAsked) => historyLines(ledger, asked),
  };
}
