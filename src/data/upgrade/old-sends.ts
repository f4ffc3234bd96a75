import { type ChunkDocument, chunkIdOf, chunks, texts } from '../../ledger/model/chunk-documents.ts';
import { isOpenState } from '../../ledger/model/chunk-progress.ts';
import type { ChunkRef, LedgerMessage } from '../../ledger/model/chunk-record.ts';
import type { SplitBudget } from '../../ledger/model/chunk-states.ts';
import type { Json } from '../../ledger/model/json.ts';
import type { ChunkState } from '../../ledger/model/outcome-types.ts';
import { type ChunkProgress, sends } from '../../ledger/model/send-documents.ts';
import type { SendKind, SendRecord, SendState } from '../../ledger/model/send-record.ts';
import { emptyCounts, withChunkRecounted } from '../../ledger/model/tally.ts';
import { type Put, put } from '../put.ts';
import { sendOf } from './old-documents.ts';
import { type Fields, jsonIn, numbersIn, type OldStore, stringsIn, wholeNumberIn } from './old-store.ts';

/** A chunk with what others must know of it: its send, its texts, and the credits that its answer named. */
export interface OldChunk {
  ref: ChunkRef;
  send: SendRecord;
  chunk: ChunkDocument;
  messages: LedgerMessage[];
  creditsUsed: number;
}

/** The documents of one send; its own comes last. `keyOf` finds an attempt’s key; `note` is called for each chunk. */
export async function* documentsOfSend(
  old: OldStore,
  fields: Fields,
  keyOf: (token: string | undefined) => string | undefined,
  note: (chunk: OldChunk) => void,
): AsyncIterable<Put> {
  const record = recordOf(fields);
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
    const chunk = chunkOf(ref, chunkFields, keyOf(chunkFields.token));
    const messages = JSON.parse(chunkFields.messages ?? '') as LedgerMessage[];
    const { creditsUsed = 0 } = numbersIn(chunkFields, ['creditsUsed']);
    const { staleAt } = numbersIn(chunkFields, ['staleAt']);
    const { state, attempt, neverStarted = 0, root } = chunk;
    const isDrafted = chunk.parent === undefined;
    const isFresh = isDrafted && state === 'pending' && attempt === 0;

    work.chunks += 1;
    if (isDrafted) work.drafted += 1;
    if (isDrafted && !isFresh) {
      // What was drafted before it and never taken waits like what was.
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
    // Only where a single text is one chunk are its words in its send.
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
  yield put(sends, record.id, sendOf({ ...send, ...(first ? { messages: first } : {}) }));
}

function recordOf(fields: Fields): SendRecord {
  const { id = '', team = '', place: channelId = '', instance = '', details = '', topics = '' } = fields;
  return {
    id,
    team,
    channelId,
    instance,
    kind: fields.kind as SendKind,
    state: fields.state as SendState,
    details: JSON.parse(details) as Json,
    topics: JSON.parse(topics) as string[],
    createdAt: wholeNumberIn(fields, 'createdAt') ?? 0,
    expiresAt: wholeNumberIn(fields, 'expiresAt') ?? 0,
    inFlightLimit: wholeNumberIn(fields, 'inFlightLimit') ?? 0,
    unknownRun: wholeNumberIn(fields, 'unknownRun') ?? 0,
    ...jsonIn<Json, 'keeps'>(fields, ['keeps']),
    ...jsonIn<{ send: string; indexes: number[] }, 'resends'>(fields, ['resends']),
    ...numbersIn(fields, ['decidedAt', 'endedAt', 'servedAt']),
    ...stringsIn(fields, ['decidedBy', 'pauseReason']),
  };
}

function chunkOf({ index }: ChunkRef, fields: Fields, rateLimitKey: string | undefined): ChunkDocument {
  const { neverStarted = 0, refusals = 0 } = numbersIn(fields, ['neverStarted', 'refusals']);
  return {
    state: fields.state as ChunkState,
    size: wholeNumberIn(fields, 'size') ?? 0,
    root: wholeNumberIn(fields, 'root') ?? index,
    attempt: wholeNumberIn(fields, 'attempt') ?? 0,
    ...numbersIn(fields, ['parent', 'deadline', 'notBefore', 'settledAt']),
    ...stringsIn(fields, ['token', 'account', 'otherStatus', 'resentAs', 'saidSentBy']),
    ...jsonIn<Json, 'result' | 'evidence'>(fields, ['result', 'evidence']),
    ...(neverStarted > 0 ? { neverStarted } : {}),
    ...(refusals > 0 ? { refusals } : {}),
    ...(rateLimitKey === undefined ? {} : { rateLimitKey }),
  };
}
