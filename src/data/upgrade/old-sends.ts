import type { SplitBudget } from '../../ledger/model/apply-settlement.ts';
import { type ChunkDocument, chunkIdOf, chunks, texts } from '../../ledger/model/chunk-documents.ts';
import { isOpenState } from '../../ledger/model/chunk-progress.ts';
import type { ChunkRef, LedgerMessage } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import { type SendDocument, sends } from '../../ledger/model/send-documents.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { emptyCounts, withChunkRecounted } from '../../ledger/model/tally.ts';
import { type Put, put } from '../put.ts';
import type { OldSend, OldStore } from './old-store.ts';

/** A chunk with its send, its texts, and the credits that its answer named. */
export interface ChunkOfSend {
  ref: ChunkRef;
  send: SendRecord;
  chunk: ChunkDocument;
  messages: LedgerMessage[];
  creditsUsed: number;
}

/** The documents of one send, its own last. `keyOf` finds the key of an attempt by its token; `note` gets each chunk. */
export async function* documentsOfSend(
  old: OldStore,
  { place: channelId, creditsUsed: _sum, ...rest }: OldSend,
  keyOf: (token?: string) => string | undefined,
  note: (chunk: ChunkOfSend) => void,
): AsyncIterable<Put> {
  const record: SendRecord = { ...rest, channelId };
  const work: SendDocument['work'] = { chunks: 0, drafted: 0, next: 0 };
  const back: { [index: string]: number } = {};
  const inFlight: { [index: string]: number } = {};
  /** Of each drafted chunk, by its index; of those in `splitRoots`, the send keeps it while a part is open. */
  const budgets = new Map<number, SplitBudget>();
  const splitRoots = new Set<number>();
  let tally = emptyCounts();
  let first: LedgerMessage[] | undefined;

  for await (const { messages, creditsUsed = 0, staleAt, ...kept } of old.chunksOf(record.id)) {
    const ref: ChunkRef = { send: record.id, index: work.chunks };
    const { index } = ref;
    const { root = index, token } = kept;
    const chunk: ChunkDocument = { ...kept, root, ...defined({ rateLimitKey: keyOf(token) }) };
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
    if (!isDrafted) splitRoots.add(root);
    const { requests, open } = budgets.get(root) ?? { requests: 0, open: 0 };
    budgets.set(root, {
      requests: requests + attempt - neverStarted,
      open: open + (isOpenState(state) ? 1 : 0),
    });
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
  const isKept = ([root, { open }]: [number, SplitBudget]) =>
    open > 0 && splitRoots.has(root) && record.state !== 'stopped';
  const splitBudgets = Object.fromEntries([...budgets].filter(isKept));
  const send = { record, work: { ...work, back, inFlight, splitBudgets }, tally };
  yield put(sends, record.id, { ...send, ...(first && { messages: first }) });
}
