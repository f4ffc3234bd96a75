import type { HistoryEntry } from '../../ledger/history/history-types.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Person } from '../accounts/permissions.ts';
import { JobDetails } from '../jobs/job-details.ts';
import { SendDetails } from '../sends/send-details.ts';
import {
  HISTORY_OUTCOMES,
  type HistoryOutcome,
  type OutcomeCounts,
  outcomeCounts,
} from './history-outcomes.ts';
import { seesNumbers, shownNumber } from './history-query.ts';

interface RowOfAny {
  id: string;
  channel: string;
  /** Who decided it, and when: ms since 1970. */
  by: string;
  at: number;
  /** Charged so far. */
  credits: number;
}

/** A single text. `number`: as the reader may see it; undefined once it was forgotten. */
export interface SingleRow extends RowOfAny {
  kind: 'single';
  number: string | undefined;
  outcome: HistoryOutcome;
  /** Whether somebody said of an unknown text that it arrived. */
  saidSent?: true;
  /** The service's word, where the outcome is `other_status`. */
  otherStatus?: string;
}

/** A job. `file`: the name of its list, where that was a file. */
export interface JobRow extends RowOfAny {
  kind: 'job';
  file?: string;
  isResend: boolean;
  counts: OutcomeCounts;
  total: number;
}

export type HistoryRow = SingleRow | JobRow;

/** All that a row needs of a job's details. */
const Given = JobDetails.pick({ given: true });

/** All that it needs of a text's details, once the text has no message any more. */
const WithNumber = SendDetails.pick({ e164: true });

/** The digits of a single text's number; undefined or empty once it was forgotten. */
export function digitsOf({ send, messages }: Pick<HistoryEntry, 'send' | 'messages'>): string | undefined {
  // What was undone has its number in its details, for a while.
  return send.undoneBy === undefined ? messages[0]?.phone : WithNumber.parse(send.details).e164.slice(1);
}

/** What the history says of these sends to this person. Only for an unknown text it reads more than the entry. */
export function historyRows(
  ledger: Pick<Ledger, 'findWithFirstChunk'>,
  entries: readonly HistoryEntry[],
  person: Person,
): Promise<HistoryRow[]> {
  return Promise.all(
    entries.map(async (entry) => {
      const row = historyRow(entry, person);
      if (row.kind === 'job' || row.outcome !== 'unknown') return row;
      const found = await ledger.findWithFirstChunk(row.id);
      return found?.chunk?.saidSentBy === undefined ? row : { ...row, saidSent: true };
    }),
  );
}

function historyRow(entry: HistoryEntry, person: Person): HistoryRow {
  const { send, tally } = entry;
  const { id, channelId: channel, decidedBy: by = '', decidedAt: at = 0 } = send;
  const common = { id, channel, by, at, credits: tally.creditsUsed };
  const counts = outcomeCounts(tally);
  if (send.kind === 'job') {
    const { file } = Given.parse(send.details).given;
    const total = Object.values(counts).reduce((sum, messages) => sum + messages, 0);
    return {
      ...common,
      kind: 'job',
      ...(file ? { file: file.name } : {}),
      isResend: send.resends !== undefined,
      counts,
      total,
    };
  }
  const [otherStatus] = Object.keys(tally.otherStatuses);
  return {
    ...common,
    kind: 'single',
    number: shownNumber(digitsOf(entry), seesNumbers(person, send)),
    outcome: HISTORY_OUTCOMES.find((outcome) => counts[outcome] > 0) ?? 'under_way',
    ...(otherStatus === undefined ? {} : { otherStatus }),
  };
}
