import type { Ledger } from '../../ledger/ledger.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { LedgerLimits } from '../../ledger/model/ledger-limits.ts';
import type { SendRecord, Tally } from '../../ledger/model/send-record.ts';
import { isDecidable, isUndecided } from '../../ledger/model/unknown-chunks.ts';
import { permitsAllowed } from '../../ledger/permits/rate-limit.ts';
import { ChunkResult, Evidence } from '../sends/chunk-result.ts';
import { commonView } from '../sends/common-view.ts';
import { JobDetails } from './job-details.ts';
import type { JobView } from './job-view.ts';
import { readPauseReason } from './pause-reason.ts';

/** The job as it is now, of a send that was read. */
export async function viewOf(ledger: Ledger, limits: LedgerLimits, send: SendRecord): Promise<JobView> {
  const { id, state } = send;
  const tally = await ledger.tally(id);
  const details = JobDetails.parse(send.details);
  const unknown = tally.states.unknown.chunks > 0 ? await ledger.chunks(id, { state: 'unknown' }) : [];
  const { pending, sending } = tally.states;
  const counted = details.oneByOne ? 'messages' : 'chunks';
  const requestsLeft = pending[counted] + sending[counted];
  return {
    ...commonView(send),
    details,
    ...defined({ canUndo: send.ifUndone && (true as const), servedAt: send.servedAt }),
    ...(send.pauseReason !== undefined && { pause: readPauseReason(send.pauseReason) }),
    // A withdrawn draft keeps no chunks: what the list held is in its details.
    counts: { ...countsOf(tally), total: details.list.toSend },
    creditsUsed: tally.creditsUsed,
    ...(state === 'running' ? { msLeft: msToSend(requestsLeft, limits) } : {}),
    ...(state === 'paused' ? { msOneByOne: msToSend(pending.messages + sending.messages, limits) } : {}),
    ...doubtsOf(unknown),
  };
}

/** About how long this number of a job's requests takes under the rate limit, in ms: a burst a window, then the next one. */
export function msToSend(requests: number, { permits, windowMs }: LedgerLimits): number {
  const windows = Math.ceil(requests / permitsAllowed('background', permits));
  return Math.max(0, windows - 1) * windowMs;
}

/** What the rest of a job will take by its estimate, in credits. What its draft left out is in neither. */
export function remainingCredits({ details }: Pick<SendRecord, 'details'>, { states }: Tally): number {
  const { estimate, list } = JobDetails.parse(details);
  const left = states.pending.messages + states.sending.messages;
  return list.toSend === 0 ? 0 : Math.ceil((estimate.credits * left) / list.toSend);
}

/** A send's messages, by what became of them. */
export function countsOf({ states, otherStatuses, barred }: Tally): Omit<JobView['counts'], 'total'> {
  const others = Object.values(otherStatuses).reduce((sum, messages) => sum + messages, 0);
  const { opted_out: optedOut = 0, repeated = 0, undone = 0 } = barred;
  return {
    sent: states.sent.messages - others,
    rejected: states.rejected.messages,
    notSent: states.not_sent.messages - optedOut - repeated - undone,
    optedOut,
    repeated,
    unknown: states.unknown.messages,
    cancelled: states.cancelled.messages,
    left: states.pending.messages + states.sending.messages,
    inFlight: states.sending.messages,
    otherStatuses,
  };
}

function doubtsOf(
  unknown: ChunkRecord[],
): Pick<
  JobView,
  'evidence' | 'listRefused' | 'resendableAt' | 'decidable' | 'leftBy' | 'saidSent' | 'resentAs'
> {
  if (unknown.length === 0) return {};
  const open = unknown.filter(isDecidable);
  const said = unknown.filter(({ saidSentBy }) => saidSentBy !== undefined);
  const by = said[0]?.saidSentBy;
  const resentAs = unknown.find((chunk) => chunk.resentAs !== undefined)?.resentAs;
  const evidence = jointEvidence(unknown);
  return {
    ...defined({ evidence }),
    ...(unknown.some(wasListRefused) && { listRefused: true }),
    decidable: messagesIn(open),
    ...(!open.some(isUndecided) && defined({ leftBy: open[0]?.leftBy })),
    ...(by !== undefined && { saidSent: { by, messages: messagesIn(said) } }),
    ...(open.length > 0
      ? { resendableAt: Math.max(...open.map(({ deadline = 0 }) => deadline)) }
      : defined({ resentAs })),
  };
}

export function messagesIn(chunks: ChunkRecord[]): number {
  return chunks.reduce((sum, { messages }) => sum + messages.length, 0);
}

/** Whether a bulk request was refused with it: sent again in such a request it would be refused again. */
export function wasListRefused({ result }: ChunkRecord): boolean {
  return ChunkResult.safeParse(result).data?.cause === 'list_refused';
}

/** One verdict for all: theirs if they share one, else none. Undefined while one of them has none yet. */
function jointEvidence(unknown: ChunkRecord[]): Evidence | undefined {
  const found = unknown.map(({ evidence }) => Evidence.safeParse(evidence).data);
  const [first] = found;
  if (!first || found.includes(undefined)) return undefined;
  const same = found.every(
    (each) => each?.verdict === first.verdict && each.before === first.before && each.after === first.after,
  );
  return same ? first : { verdict: 'none' };
}
