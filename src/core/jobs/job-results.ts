import type { Ledger } from '../../ledger/ledger.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { UnsentFor } from '../../ledger/model/outcome-types.ts';
import { ChunkResult, Evidence } from '../sends/chunk-result.ts';
import { countSegments } from '../texts/segments.ts';

/** What became of one recipient of a job, or of a text. */
export interface JobResult extends Omit<ReturnType<typeof resultsOf>[number], 'barredFor'> {
  barredFor?: UnsentFor;
}

/** A recipient that the service rejected, with the text it was to get and the service's words. */
export type RejectedRecipient = Awaited<ReturnType<typeof rejectedRecipients>>[number];

/** How many chunks are read before others get their turn: at most 500 messages. */
const CHUNKS_AT_ONCE = 5;

/** Every recipient of a job with its outcome, in the list's order. */
export async function jobResults(ledger: Pick<Ledger, 'chunks'>, id: string): Promise<JobResult[]> {
  const results = (await Array.fromAsync(resultsByChunks(ledger, id))).flat();
  return results.sort((one, other) => (one.row ?? 0) - (other.row ?? 0));
}

/** The same in the order of the job's chunks, a few chunks at a time. Each recipient comes once. */
export async function* resultsByChunks(
  ledger: Pick<Ledger, 'chunks'>,
  id: string,
): AsyncGenerator<JobResult[]> {
  /** Chunks that the caller has got: an answer may split one of them meanwhile. */
  const told = new Set<number>();
  for (let from = 0; ; from += CHUNKS_AT_ONCE) {
    const chunks = await ledger.chunks(id, { from, limit: CHUNKS_AT_ONCE });
    const others = chunks.filter(({ index, parent, state }) => {
      const isTold = parent !== undefined && told.has(parent);
      if (isTold || state !== 'split') told.add(index);
      return !isTold;
    });
    yield others.flatMap(resultsOf);
    if (chunks.length < CHUNKS_AT_ONCE) return;
    await new Promise(setImmediate);
  }
}

/** The recipients that the service rejected, in the list's order. */
export async function rejectedRecipients(ledger: Pick<Ledger, 'chunks'>, id: string) {
  const chunks = await ledger.chunks(id, { state: 'rejected' });
  return chunks.flatMap(({ messages, result }) => {
    const { message: reason = '' } = ChunkResult.safeParse(result).data ?? {};
    return messages
      .filter(({ phone }) => phone !== '')
      .map(({ phone, text }) => ({ e164: `+${phone}`, text, reason }));
  });
}

/** What became of the recipients of one chunk. */
export function resultsOf(chunk: ChunkRecord) {
  const { state, otherStatus, barredFor, settledAt: at, saidSentBy } = chunk;
  // Its messages are in its children.
  if (state === 'split') return [];
  const result = ChunkResult.safeParse(chunk.result).data;
  const { cause, code, message: words } = result ?? {};
  const verdict = Evidence.safeParse(chunk.evidence).data?.verdict;
  const credits = creditsOfEach(chunk, result?.creditsUsed);
  const shared = defined({ otherStatus, barredFor, at, cause, code, words, verdict, saidSentBy });
  return chunk.messages.flatMap(({ row, phone }, index) => {
    // An operator has erased it.
    if (phone === '') return [];
    const messageId = result?.messageIds?.[index] ?? result?.messageId;
    return { ...shared, state, e164: `+${phone}`, ...defined({ row, messageId, credits: credits?.[index] }) };
  });
}

/**
 * A chunk's credits, shared out by segments, or equally if only that gives whole credits. If both do, one price for texts
 * of different lengths is less likely. Undefined if neither does, since the price is not documented, or if one of the
 * texts was erased.
 */
function creditsOfEach({ messages }: ChunkRecord, used: number | undefined): number[] | undefined {
  if (used === undefined || messages.some(({ phone }) => phone === '')) return undefined;
  const segments = messages.map(({ text }) => countSegments(text).segments);
  const total = segments.reduce((sum, each) => sum + each, 0);
  const bySegments = used / total;
  if (Number.isInteger(bySegments)) return segments.map((each) => each * bySegments);
  const equally = used / messages.length;
  return Number.isInteger(equally) ? messages.map(() => equally) : undefined;
}
