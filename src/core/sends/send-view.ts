import type { Ledger } from '../../ledger/ledger.ts';
import type { SendApproval } from '../../ledger/model/approval-types.ts';
import { isUndecidedSend } from '../../ledger/model/transitions.ts';
import type {
  ChunkRecord,
  SendRecord,
  SendWithFirstChunk,
  UnknownChunks,
  UnsentFor,
} from '../../ledger/model/types.ts';
import { countSegments, type SegmentCount } from '../texts/segments.ts';
import { ChunkResult, Evidence } from './outcome.ts';
import { SendDetails } from './send-details.ts';

/** A single send as people see it: everything the preview and the receipt say. */
export interface SendView {
  id: string;
  team: string;
  channel: string;
  instance: string;
  state: SendRecord['state'];
  /** Both are empty once a draft that nobody sent is forgotten. */
  e164: string;
  text: string;
  segments: SegmentCount;
  details: SendDetails;
  decidedBy?: string;
  decidedAt?: number;
  /** When it begins (ms since 1970); until then it can be undone. */
  startsAt?: number;
  /** Who undid it: nothing was sent. */
  undoneBy?: string;
  expiresAt: number;
  /** The message's state, once it was decided. */
  outcome: ChunkRecord['state'];
  /** Of one that is not sent: why, where that is an outcome of its own. */
  barredFor?: UnsentFor;
  result?: ChunkResult;
  evidence?: Evidence;
  /** From when on an unknown message may be sent again by a person. */
  deadline?: number;
  settledAt?: number;
  resentAs?: string;
  /** Who said of an unknown text that it arrived. */
  saidSentBy?: string;
  resends?: UnknownChunks;
  approval?: SendApproval;
}

/** Whether nobody has decided it: a draft, or a request for approval. */
export function isOpenDraft({ state }: Pick<SendView, 'state'>): boolean {
  return isUndecidedSend(state);
}

/** The single send as it stands; undefined where there is none of this id. */
export async function readSendView(ledger: Ledger, id: string): Promise<SendView | undefined> {
  const found = await ledger.findWithFirstChunk(id);
  return found?.send.kind === 'single' ? sendView(found) : undefined;
}

/** A single send, from what the ledger says of it. */
export function sendView({ send, chunk }: SendWithFirstChunk): SendView {
  const details = SendDetails.parse(send.details);
  const text = chunk?.messages[0]?.text ?? details.text ?? '';
  return {
    id: send.id,
    team: send.team,
    channel: send.channelId,
    instance: send.instance,
    state: send.state,
    e164: details.e164,
    text,
    segments: countSegments(text),
    details,
    expiresAt: send.expiresAt,
    // A draft that is withdrawn or has expired keeps no chunk.
    outcome: chunk?.state ?? 'cancelled',
    ...(send.decidedBy === undefined ? {} : { decidedBy: send.decidedBy }),
    ...(send.decidedAt === undefined ? {} : { decidedAt: send.decidedAt }),
    ...(send.startsAt === undefined ? {} : { startsAt: send.startsAt }),
    ...(send.undoneBy === undefined ? {} : { undoneBy: send.undoneBy, barredFor: 'undone' as const }),
    ...(chunk && outcomeOf(chunk)),
    ...(send.resends === undefined ? {} : { resends: send.resends }),
    ...(send.approval && { approval: send.approval }),
  };
}

function outcomeOf(
  chunk: ChunkRecord,
): Pick<
  SendView,
  'barredFor' | 'result' | 'evidence' | 'deadline' | 'settledAt' | 'resentAs' | 'saidSentBy'
> {
  return {
    ...(chunk.barredFor === undefined ? {} : { barredFor: chunk.barredFor }),
    ...resultOf(chunk),
    ...(chunk.evidence === undefined ? {} : { evidence: Evidence.parse(chunk.evidence) }),
    ...(chunk.deadline === undefined ? {} : { deadline: chunk.deadline }),
    ...(chunk.settledAt === undefined ? {} : { settledAt: chunk.settledAt }),
    ...(chunk.resentAs === undefined ? {} : { resentAs: chunk.resentAs }),
    ...(chunk.saidSentBy === undefined ? {} : { saidSentBy: chunk.saidSentBy }),
  };
}

/** What the answer said; without an answer, why there is none. */
function resultOf(chunk: ChunkRecord): { result?: ChunkResult } {
  if (chunk.result !== undefined) return { result: ChunkResult.parse(chunk.result) };
  if (chunk.state === 'unknown') return { result: { cause: 'interrupted' } };
  return chunk.state === 'not_sent' ? { result: { cause: 'given_up' } } : {};
}
