import type { Ledger } from '../../ledger/ledger.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { LedgerLimits } from '../../ledger/model/ledger-limits.ts';
import type { SendRecord, Tally } from '../../ledger/model/send-record.ts';
import { isDecidable, isUndecided } from '../../ledger/model/unknown-chunks.ts';
import { permitsAllowed } from '../../ledger/permits/rate-limit.ts';
import { ChunkResult, Evidence } from '../sends/chunk-result.ts';
import { commonView } from '../sends/common-view.ts';
import { resendableAt } from '../sends/may-arrive.ts';
import { JobDetails } from './job-details.ts';
import { type PauseReason, readPauseReason } from './pause-reason.ts';

/** Builds what people see of a job from its send. Counts are recipients. */
export async function viewOf(ledger: Ledger, limits: LedgerLimits, send: SendRecord) {
  const { id, state, servedAt, pauseReason, mayLackRequests } = send;
  const tally = await ledger.tally(id);
  const details = JobDetails.parse(send.details);
  const unknown = tally.states.unknown.chunks > 0 ? await ledger.chunks(id, { state: 'unknown' }) : [];
  const { pending, sending } = tally.states;
  const counted = details.oneByOne ? 'messages' : 'chunks';
  const pause = pauseReason === undefined ? undefined : readPauseReason(pauseReason);
  const mayHaveBegun = mayLackRequests !== undefined || details.restored || isHeldAsOld(pause, details);
  const requestsLeft = pending[counted] + sending[counted];
  return {
    ...commonView(send),
    details,
    // A withdrawn draft keeps no chunks: what the list held is in its details.
    counts: { ...countsOf(tally), total: details.list.toSend },
    creditsUsed: tally.creditsUsed,
    ...defined({
      /** No request of it has begun, so it can be undone. */
      canUndo: send.ifUndone && !mayHaveBegun ? (true as const) : undefined,
      /** It may have begun though it seems to wait: the store may lack requests of it. */
      mayHaveBegun: mayHaveBegun ? (true as const) : undefined,
      pause,
      /** When it was last worked on or resumed, ms since 1970. */
      servedAt,
      mayLackRequests,
      /** About how long the rest takes under the rate limit, in ms; while it runs. */
      msLeft: state === 'running' ? msToSend(requestsLeft, limits) : undefined,
      /** The same with one text a request; while it is paused. */
      msOneByOne: state === 'paused' ? msToSend(pending.messages + sending.messages, limits) : undefined,
    }),
    ...doubtsOf(unknown, tally),
  };
}

/** Whether a job is paused, and the store may be an old copy. With a shared key, jobs go on all the same. */
function isHeldAsOld(pause: PauseReason | undefined, { missing }: JobDetails): boolean {
  return pause !== undefined && (pause.why === 'restored' || pause.why === 'books' || missing !== undefined);
}

/** About how long a job takes for its requests, in ms: the rate limit allows one burst in each window. */
export function msToSend(requests: number, { permits, windowMs }: LedgerLimits): number {
  const windows = Math.ceil(requests / permitsAllowed('background', permits));
  return Math.max(0, windows - 1) * windowMs;
}

/** The credits that the rest of a job will take by its estimate. Rows that its draft left out do not count. */
export function remainingCredits({ details }: Pick<SendRecord, 'details'>, { states }: Tally): number {
  const { estimate, list } = JobDetails.parse(details);
  const left = states.pending.messages + states.sending.messages;
  return list.toSend === 0 ? 0 : Math.ceil((estimate.credits * left) / list.toSend);
}

/** A send's messages, by what became of them. */
export function countsOf({ states, otherStatuses, barred }: Tally) {
  const others = Object.values(otherStatuses).reduce((sum, messages) => sum + messages, 0);
  const { opted_out: optedOut = 0, repeated = 0, undone = 0 } = barred;
  return {
    /** Taken by the service with the status "sent". */
    sent: states.sent.messages - others,
    /** Taken with another status, by that status. */
    otherStatuses,
    rejected: states.rejected.messages,
    /** For other reasons than the next two. */
    notSent: states.not_sent.messages - optedOut - repeated - undone,
    optedOut,
    /** Others sent the same words to these numbers. */
    repeated,
    unknown: states.unknown.messages,
    cancelled: states.cancelled.messages,
    /** Pending or in flight. */
    left: states.pending.messages + states.sending.messages,
    inFlight: states.sending.messages,
  };
}

/** What is open about unknown messages; nothing if there are none. */
function doubtsOf(unknown: ChunkRecord[], { states }: Tally) {
  const open = unknown.filter(isDecidable);
  const said = unknown.filter(({ saidSentBy }) => saidSentBy !== undefined);
  const by = said[0]?.saidSentBy;
  const doubts = defined({
    /** What the balance says about them, once the bot has read it. It can't say so of damaged ones. */
    evidence: unknown.length < states.unknown.chunks ? NO_EVIDENCE : jointEvidence(unknown),
    /** About how many of them a person may still decide. */
    decidable: unknown.length > 0 ? messagesIn(open) : undefined,
    /** When they may be sent again (ms since 1970). */
    resendableAt: open.length > 0 ? resendableAt(open) : undefined,
    /** The job that repeats them. */
    resentAs: open.length > 0 ? undefined : unknown.find(({ resentAs }) => resentAs !== undefined)?.resentAs,
    /** Who left all of these as they are; absent while some wait for a decision. */
    leftBy: open.some(isUndecided) ? undefined : open[0]?.leftBy,
    /** How many of them people said had arrived; `by` said it first. */
    saidSent: by === undefined ? undefined : { by, messages: messagesIn(said) },
  });
  // Some were in a bulk request that was refused: the balance says little about those.
  return { ...doubts, ...(unknown.some(wasListRefused) && { listRefused: true }) };
}

export function messagesIn(chunks: ChunkRecord[]): number {
  return chunks.reduce((sum, { messages }) => sum + messages.length, 0);
}

/** Whether the service refused the bulk request that held the chunk: it would refuse the same request again. */
export function wasListRefused({ result }: ChunkRecord): boolean {
  return ChunkResult.safeParse(result).data?.cause === 'list_refused';
}

const NO_EVIDENCE: Evidence = { verdict: 'none' };

/** The verdict that all of them share, else `none`. Undefined while one of them has no evidence yet. */
function jointEvidence(unknown: ChunkRecord[]): Evidence | undefined {
  const found = unknown.map(({ evidence }) => Evidence.safeParse(evidence).data);
  const [first] = found;
  if (!first || found.includes(undefined)) return undefined;
  const same = found.every(
    (each) => each?.verdict === first.verdict && each.before === first.before && each.after === first.after,
  );
  return same ? first : NO_EVIDENCE;
}
