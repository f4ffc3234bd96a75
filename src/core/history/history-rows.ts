import type { HistoryEntry } from '../../ledger/history/history.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { Person } from '../accounts/permissions.ts';
import { JobDetails } from '../jobs/job-details.ts';
import { SendDetails } from '../sends/send-details.ts';
import { HISTORY_OUTCOMES, outcomeCounts } from './history-outcomes.ts';
import { seesNumbers, shownNumber } from './history-query.ts';

export type HistoryRow = Awaited<ReturnType<typeof historyRow>>;
export type JobRow = Extract<HistoryRow, { kind: 'job' }>;

/** All that a row needs of a job's details. */
const Given = JobDetails.pick({ given: true });

/** All that it needs of a text's details, once the text has no message any more. */
const WithNumber = SendDetails.pick({ e164: true });

/** The digits of a single text's number; undefined or empty once it was forgotten. */
export function digitsOf({ send, messages }: Pick<HistoryEntry, 'send' | 'messages'>): string | undefined {
  // An undone send has its number in its details, for a while.
  return send.undoneBy === undefined ? messages[0]?.phone : WithNumber.parse(send.details).e164.slice(1);
}

/** What the history says of these sends to this person. Only for an unknown text it reads more than the entry. */
export function historyRows(
  ledger: Pick<Ledger, 'findWithFirstChunk'>,
  entries: readonly HistoryEntry[],
  person: Person,
): Promise<HistoryRow[]> {
  return Promise.all(entries.map((entry) => historyRow(ledger, entry, person)));
}

async function historyRow(ledger: Pick<Ledger, 'findWithFirstChunk'>, entry: HistoryEntry, person: Person) {
  const { send, tally } = entry;
  const { id, channelId: channel, decidedBy: by = '', decidedAt: at = 0 } = send;
  const common = { id, channel, by, at, credits: tally.creditsUsed };
  const counts = outcomeCounts(tally);
  if (send.kind === 'job') {
    const { file, isForgotten } = Given.parse(send.details).given;
    return {
      ...common,
      kind: 'job' as const,
      ...defined({ file: file?.name, isForgotten }),
      isResend: send.resends !== undefined,
      counts,
      total: Object.values(counts).reduce((sum, messages) => sum + messages, 0),
    };
  }
  const outcome = HISTORY_OUTCOMES.find((each) => counts[each] > 0) ?? 'under_way';
  const found = outcome === 'unknown' ? await ledger.findWithFirstChunk(id) : undefined;
  return {
    ...common,
    kind: 'single' as const,
    /** As the reader may see it; undefined once it was forgotten. */
    number: shownNumber(digitsOf(entry), seesNumbers(person, send)),
    outcome,
    /** Whether somebody said of an unknown text that it arrived. */
    ...(found?.chunk?.saidSentBy !== undefined && { saidSent: true as const }),
    /** The service's word, if the outcome is `other_status`. */
    ...defined({ otherStatus: Object.keys(tally.otherStatuses)[0] }),
  };
}
