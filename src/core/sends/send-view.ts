import type { Ledger } from '../../ledger/ledger.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { ChunkState, UnsentFor } from '../../ledger/model/outcome-types.ts';
import type { SendWithFirstChunk } from '../../ledger/model/send-record.ts';
import { isUndecidedSend } from '../../ledger/model/send-states.ts';
import { countSegments, type SegmentCount } from '../texts/segments.ts';
import { ChunkResult, Evidence } from './chunk-result.ts';
import { type CommonView, commonView } from './common-view.ts';
import { SendDetails } from './send-details.ts';

/** A single send as people see it: everything the preview and the receipt say. */
export interface SendView
  extends CommonView,
    Pick<ChunkRecord, 'deadline' | 'settledAt' | 'resentAs' | 'saidSentBy' | 'leftBy'> {
  /** Both are empty once a draft that nobody sent is forgotten. */
  e164: string;
  text: string;
  segments: SegmentCount;
  details: SendDetails;
  /** The message's state, once it was decided. */
  outcome: ChunkRecord['state'];
  /** Why it was not sent, if that reason counts as an outcome. */
  barredFor?: UnsentFor;
  result?: ChunkResult;
  evidence?: Evidence;
}

/** How many unknown texts are counted: of what goes beyond that, people read "more than 100". */
export const MOST_UNDECIDED = 100;

/** Whether nobody has decided it: a draft, or a request for approval. */
export function isOpenDraft({ state }: Pick<SendView, 'state'>): boolean {
  return isUndecidedSend(state);
}

/** The single send as it is now; undefined if there is none with this id. */
export async function readSendView(ledger: Ledger, id: string): Promise<SendView | undefined> {
  const found = await ledger.findWithFirstChunk(id);
  return found?.send.kind === 'single' ? sendView(found) : undefined;
}

/** A single send, from what the ledger says of it. */
export function sendView({ send, chunk }: SendWithFirstChunk): SendView {
  const details = SendDetails.parse(send.details);
  const text = chunk?.messages[0]?.text ?? details.text ?? '';
  return {
    ...commonView(send),
    e164: details.e164,
    text,
    segments: countSegments(text),
    details,
    // A draft that is withdrawn or has expired keeps no chunk.
    outcome: chunk?.state ?? 'cancelled',
    ...(send.undoneBy !== undefined && { barredFor: 'undone' as const }),
    ...(chunk && outcomeOf(chunk)),
  };
}

function outcomeOf(chunk: ChunkRecord) {
  const { barredFor, deadline, settledAt, resentAs, saidSentBy, leftBy } = chunk;
  const evidence = chunk.evidence === undefined ? undefined : Evidence.parse(chunk.evidence);
  const result = chunk.result === undefined ? WITHOUT_ANSWER[chunk.state] : ChunkResult.parse(chunk.result);
  return defined({ result, barredFor, evidence, deadline, settledAt, resentAs, saidSentBy, leftBy });
}

/** Why a chunk that ended like this has no answer. */
const WITHOUT_ANSWER: { [state in ChunkState]: ChunkResult | undefined } = {
  pending: undefined,
  sending: undefined,
  sent: undefined,
  rejected: undefined,
  not_sent: { cause: 'given_up' },
  unknown: { cause: 'interrupted' },
  cancelled: undefined,
  split: undefined,
};
