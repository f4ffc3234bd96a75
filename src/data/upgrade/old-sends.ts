import { z } from 'zod';
import type { SplitBudget } from '../../ledger/model/apply-settlement.ts';
import { type ChunkDocument, chunkIdOf, chunks, texts } from '../../ledger/model/chunk-documents.ts';
import { isOpenState } from '../../ledger/model/chunk-progress.ts';
import type { ChunkRef, LedgerMessage, UnknownChunks } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { Json } from '../../ledger/model/json.ts';
import type { ChunkState } from '../../ledger/model/outcome-types.ts';
import { type ChunkProgress, sends } from '../../ledger/model/send-documents.ts';
import type { SendKind, SendRecord, SendState } from '../../ledger/model/send-record.ts';
import { emptyCounts, withChunkRecounted } from '../../ledger/model/tally.ts';
import { type Put, put } from '../put.ts';
import { count, type Fields, json, notZero, type OldStore, optional, text, whole } from './old-store.ts';

const OldSend = z
  .object({
    id: text,
    team: text,
    place: text,
    instance: text,
    kind: z.custom<SendKind>(),
    state: z.custom<SendState>(),
    details: json<Json>(),
    topics: json<string[]>(),
    createdAt: count,
    expiresAt: count,
    inFlightLimit: count,
    unknownRun: count,
    keeps: json<Json>().optional(),
    resends: json<UnknownChunks>().optional(),
    ...optional(whole, 'decidedAt', 'endedAt'),
    ...optional(z.string(), 'decidedBy', 'pauseReason'),
    /** 0 means never. */
    servedAt: notZero,
  })
  .transform(({ place: channelId, ...record }): SendRecord => defined({ ...record, channelId }));

const OldChunkFields = z.object({
  state: z.custom<ChunkState>(),
  size: count,
  attempt: count,
  ...optional(whole, 'root', 'parent', 'deadline', 'notBefore', 'settledAt', 'staleAt'),
  ...optional(z.string(), 'token', 'account', 'otherStatus', 'resentAs', 'saidSentBy'),
  ...optional(json<Json>(), 'result', 'evidence'),
  neverStarted: notZero,
  refusals: notZero,
  messages: json<LedgerMessage[]>(),
  creditsUsed: count,
});

/** A chunk with its send, its texts, and the credits that its answer named. */
export interface OldChunk {
  ref: ChunkRef;
  send: SendRecord;
  chunk: ChunkDocument;
  messages: LedgerMessage[];
  creditsUsed: number;
}

/** The documents of one send, its own last. `keyOf` finds the key of an attempt by its token; `note` gets each chunk. */
export async function* documentsOfSend(
  old: OldStore,
  fields: Fields,
  keyOf: (token?: string) => string | undefined,
  note: (chunk: OldChunk) => void,
): AsyncIterable<Put> {
  const record = OldSend.parse(fields);
  const work: ChunkProgress = { chunks: 0, drafted: 0, next: 0 };
  const back: { [index: string]: number } = {};
  const inFlight: { [index: string]: number } = {};
  const splitBudgets: { [root: string]: SplitBudget } = {};
  const budgets = new Map<number, SplitBudget>();
  let tally = emptyCounts();
  let first: LedgerMessage[] | undefined;

  for await (const chunkFields of old.chunksOf(record.id)) {
    const ref: ChunkRef = { send: record.id, index: work.chunks };
    const { index } = ref;
    const { messages, creditsUsed, staleAt, ...kept } = OldChunkFields.parse(chunkFields);
    const { root = index, token } = kept;
    const chunk: ChunkDocument = defined({ ...kept, root, rateLimitKey: keyOf(token) });
    const { state, attempt, neverStarted = 0 } = chunk;
    const isDrafted = chunk.parent === undefined;
    const isFresh = isDrafted && state === 'pending' && attempt === 0;

    work.chunks += 1;
    if (isDrafted) work.drafted += 1;
    if (isDrafted && !isFresh) {
      // Do not skip earlier chunks that nobody took: they wait as if they had been taken and had come back.
      for (let skipped = work.next; skipped < index; skipped += 1) back[skipped] = 0;
      work.next = index + 1;
    }
    if (state === 'pending' && !isFresh) back[index] = chunk.notBefore ?? 0;
    if (state === 'sending') inFlight[index] = chunk.deadline ?? 0;
    if (staleAt !== undefined) work.staleAt = staleAt;
    const budget = budgets.get(root) ?? { requests: 0, open: 0 };
    budgets.set(root, {
      requests: budget.requests + attempt - neverStarted,
      open: budget.open + (isOpenState(state) ? 1 : 0),
    });
    if (!isDrafted) splitBudgets[root] = { requests: 0, open: 0 };
    tally = withChunkRecounted({ ...tally, creditsUsed: tally.creditsUsed + creditsUsed }, undefined, chunk);
    note({ ref, send: record, chunk, messages, creditsUsed });

    if (!isFresh) yield put(chunks, chunkIdOf(ref), chunk);
    if (index === 0 && record.kind === 'single') first = messages;
    else yield put(texts, chunkIdOf(ref), messages);
    // The send of a single text holds its words only while it has one chunk. With a second one, they get a document.
    if (first && index === 1) {
      yield put(texts, chunkIdOf({ ...ref, index: 0 }), first);
      first = undefined;
    }
  }
  for (const root of Object.keys(splitBudgets)) {
    const budget = budgets.get(Number(root));
    if (budget && budget.open > 0 && record.state !== 'stopped') splitBudgets[root] = budget;
    else delete splitBudgets[root];
  }
  const send = { record, work: { ...work, back, inFlight, splitBudgets }, tally };
  yield put(sends, record.id, { ...send, ...(first && { messages: first }) });
}
