import type { View } from '../../store/view.ts';
import { putChunk, recordReceipt, takeChargeBack } from '../accounts/accounts.ts';
import { countOutcome } from '../accounts/outcome-counts.ts';
import { recordSpending } from '../accounts/spending.ts';
import type { AppliedSettlement } from '../model/apply-settlement.ts';
import type { Settlement } from '../model/attempt-types.ts';
import type { ChunkDocument } from '../model/chunk-documents.ts';
import { isOpenState, withChunkChanged } from '../model/chunk-progress.ts';
import type { ChunkRecord } from '../model/chunk-record.ts';
import { defined } from '../model/defined.ts';
import type { FoundChunk } from '../model/read-chunks.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { withoutJudgement, withPriced } from '../rules/budget-usage.ts';

/** A chunk before and after an answer. */
export interface SettledChunk {
  was: ChunkDocument;
  is: ChunkDocument;
  settlement: Settlement;
}

/** Writes a chunk as its answer left it, and counts its outcome. */
export function writeSettledChunk(
  view: View,
  { send, document: was, record: { index } }: FoundChunk,
  { chunk, settlement }: AppliedSettlement,
): SettledChunk {
  const neverStarted = (was.neverStarted ?? 0) + (settlement.request === 'never_started' ? 1 : 0);
  const is = countOutcome(view, send, was, {
    ...documentFrom(was, chunk),
    ...(neverStarted > 0 ? { neverStarted } : {}),
  });
  putChunk(view, { send: send.record.id, index }, was, is);
  return { was, is, settlement };
}

/** A chunk's document after a settlement: the new record, and what only the document holds. */
function documentFrom(was: ChunkDocument, record: ChunkRecord): ChunkDocument {
  const { send: _send, index: _index, messages: _messages, refusals, ...rest } = record;
  const { size, root, rateLimitKey, chargeFound, judged, judgedByWord, listed } = was;
  const isUnknown = record.state === 'unknown';
  // A settled chunk no longer needs its key. The token stays, in case the same answer comes twice.
  const needsKey = isUnknown || isOpenState(record.state);
  return {
    ...rest,
    size,
    root,
    ...(refusals > 0 && { refusals }),
    ...(needsKey && defined({ rateLimitKey })),
    ...(isUnknown && defined({ chargeFound, judged })),
    ...(isUnknown && judged !== undefined && defined({ judgedByWord })),
    ...defined({ listed }),
  };
}

/** The send with a settled chunk in its progress, its tally and its budget. */
export function withSettledChunk(send: SendDocument, index: number, settled: SettledChunk): SendDocument {
  const { was, is, settlement } = settled;
  const creditsUsed = 'receipt' in settlement ? settlement.receipt.creditsUsed : 0;
  const priced = 'receipt' in settlement ? withPriced(send, was.size) : send;
  const changed = withChunkChanged(priced, index, was, is);
  const tally = { ...changed.tally, creditsUsed: changed.tally.creditsUsed + creditsUsed };
  const after = { ...changed, tally };
  return is.judged === undefined ? withoutJudgement(after, was) : after;
}

/** Books the chunk's charge by the answer, in place of any charge that evidence found before. */
export function bookCharge(
  view: View,
  account: string,
  { send, messages }: { send: SendDocument; messages: number },
  { was, is, settlement }: SettledChunk,
): void {
  if ('receipt' in settlement) {
    const { receipt } = settlement;
    const isCounted = recordReceipt(view, account, receipt, was);
    const spent = { credits: receipt.creditsUsed, messages: countSent(settlement, messages) };
    recordSpending(view, send, spent, isCounted ? account : undefined);
  } else if (is.state !== 'unknown') takeChargeBack(view, account, was);
}

/** How many of a chunk's messages the answer says were sent. */
function countSent(settlement: Settlement, messages: number): number {
  if (settlement.to === 'sent') return messages;
  if (settlement.to !== 'resolved_per_message') return 0;
  const sent = settlement.parts.filter(({ state }) => state === 'sent');
  return sent.reduce((sum, part) => sum + part.messages.length, 0);
}
