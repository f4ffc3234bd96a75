import type { Settlement } from '../../ledger/model/attempt-types.ts';
import type { LedgerMessage } from '../../ledger/model/chunk-record.ts';

/** The most requests for a drafted chunk and all its parts. Seven halvings find one bad recipient in a hundred. */
export const MOST_REQUESTS = 40;
/** The chunk itself, its good rest and a remainder take these requests. Single recipients get the others. */
const KEPT = 3;

/**
 * Splits a chunk that the service refused as invalid. If the error's fields name messages, each of those travels alone
 * and the rest together. Otherwise we halve the chunk. The service documents neither the shape of the details ("Errors")
 * nor whether they count from 0. So only the first split uses `fields`; halving finds what they named wrongly.
 */
export function splitInvalid(messages: LedgerMessage[], fields: readonly string[]): LedgerMessage[][] {
  const named = new Set(fields.map(indexIn).filter((index) => index < messages.length));
  if (named.size === 0 || named.size === messages.length) return halve(messages);
  const bad = messages.filter((_, index) => named.has(index));
  const good = messages.filter((_, index) => !named.has(index));
  const alone = bad.slice(0, MOST_REQUESTS - KEPT);
  const remainder = bad.slice(alone.length);
  return [good, ...alone.map((message) => [message]), ...(remainder.length > 0 ? [remainder] : [])];
}

/** Halves a chunk of at least two messages. */
export function halve(messages: LedgerMessage[]): LedgerMessage[][] {
  const middle = Math.ceil(messages.length / 2);
  return [messages.slice(0, middle), messages.slice(middle)];
}

/** `messages.3.phone`, `messages[3]`, `/messages/3/phone`, `3.phone` → 3; infinity if it names no message. */
function indexIn(field: string): number {
  const found = /^\W*(?:messages\W+)?(\d{1,3})(?!\d)/i.exec(field);
  return found ? Number(found[1]) : Number.POSITIVE_INFINITY;
}

/** The service did not send any of the chunk's messages. Its parts may be sent; `otherwise` if it has no requests left. */
export function splitInto(children: LedgerMessage[][], otherwise: Settlement): Settlement & { to: 'split' } {
  return { to: 'split', request: 'answered', children, mostRequests: MOST_REQUESTS, otherwise };
}
