import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import { ChunkResult } from './chunk-result.ts';

/**
 * How long after its deadline a request may still leave our machine, in ms. Linux tries for 102 s to deliver what was
 * written, even if the bot has given the request up or has died.
 */
const STILL_LEAVES_MS = 105_000;

/** Why a request is unknown though something answered it. */
const ANSWERED: readonly unknown[] = ['broken_answer', 'server_error', 'list_refused', 'not_listed'];

/** Until when the service may get an unknown chunk's request, in ms since 1970 by the store's clock. */
export function mayArriveUntil({ deadline = 0, result }: Pick<ChunkRecord, 'deadline' | 'result'>): number {
  const isAnswered = ANSWERED.includes(ChunkResult.safeParse(result).data?.cause);
  return isAnswered ? deadline : deadline + STILL_LEAVES_MS;
}

/**
 * When these unknown chunks may be sent again, in ms since 1970: once the service can no longer get their requests, or once
 * the balance was checked. Unless it shows a charge, that waits for the same.
 */
export function resendableAt(chunks: ChunkRecord[]): number {
  const times = chunks.map((chunk) => (chunk.evidence ? (chunk.deadline ?? 0) : mayArriveUntil(chunk)));
  return Math.max(...times);
}
