import { defined } from '../../ledger/model/defined.ts';
import type { ChunkState, UnsentFor } from '../../ledger/model/outcome-types.ts';
import type { SendWithFirstChunk } from '../../ledger/model/send-record.ts';
import { isUndecidedSend } from '../../ledger/model/send-states.ts';
import { isDecidable } from '../../ledger/model/unknown-chunks.ts';
import { countSegments } from '../texts/segments.ts';
import { ChunkResult, Evidence } from './chunk-result.ts';
import { commonView } from './common-view.ts';
import { resendableAt } from './may-arrive.ts';
import { SendDetails } from './send-details.ts';

export type SendView = ReturnType<typeof sendView>;

/** We count this many unknown texts at most. Beyond that, people read "more than 100". */
export const MOST_UNDECIDED = 100;

/** Whether nobody has decided it: a draft, or a request for approval. */
export function isOpenDraft({ state }: Pick<SendView, 'state'>): boolean {
  return isUndecidedSend(state);
}

/** A single send as people see it at `now` (ms, the store's clock): everything the preview and the receipt say. */
export function sendView({ send, chunk }: SendWithFirstChunk, now: number) {
  const details = SendDetails.parse(send.details);
  /** Empty once a draft that nobody sent is forgotten, as is the number. */
  const text = chunk?.messages[0]?.text ?? details.text ?? '';
  const { result, evidence, settledAt, resentAs, saidSentBy, leftBy, sentBefore } = chunk ?? {};
  const undone = send.undoneBy === undefined ? undefined : 'undone';
  // A text that has ended does not wait: the store has lost its outcome.
  const state = send.state === 'finished' && chunk?.state === 'pending' ? 'unknown' : chunk?.state;
  const lost: Evidence | undefined = state === chunk?.state ? undefined : { verdict: 'none' };
  const barredFor: UnsentFor | undefined = chunk?.barredFor ?? undone;
  const canResendAt = chunk && isDecidable(chunk) ? resendableAt([chunk]) : undefined;
  return {
    ...commonView(send),
    e164: details.e164,
    text,
    segments: countSegments(text),
    details,
    /** The message's state, once it was decided. A draft that is withdrawn or has expired keeps no chunk. */
    outcome: state ?? 'cancelled',
    ...defined({
      result: result === undefined ? state && WITHOUT_ANSWER[state] : ChunkResult.parse(result),
      evidence: evidence === undefined ? lost : Evidence.parse(evidence),
      /** Why it was not sent, if that reason counts as an outcome. */
      barredFor,
      settledAt,
      /** When a person may send it again (ms, the store's clock), and whether that is now. */
      resendableAt: canResendAt,
      mayResend: canResendAt !== undefined && canResendAt <= now ? (true as const) : undefined,
      resentAs,
      saidSentBy,
      leftBy,
      sentBefore,
    }),
  };
}

/** Why a chunk that ended like this has no answer. */
const WITHOUT_ANSWER: { [state in ChunkState]: ChunkResult | undefined } = {
  not_sent: { cause: 'given_up' },
  unknown: { cause: 'interrupted' },
  pending: undefined,
  sending: undefined,
  sent: undefined,
  rejected: undefined,
  cancelled: undefined,
  split: undefined,
};
