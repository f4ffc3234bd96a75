import type { AccountDocument } from '../../ledger/accounts/account-documents.ts';
import type { NamedState } from '../../ledger/accounts/named-states.ts';
import type { ChunkDocument } from '../../ledger/model/chunk-documents.ts';
import type { LedgerMessage } from '../../ledger/model/chunk-record.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import type { OutboxDocument, WaitingRow } from '../../ledger/outbox/outbox-documents.ts';

/** What a store of the formats before documents holds, in tables of SQLite or in hashes of Redis. */
export interface OldStore {
  sends(): Rows<OldSend>;
  /** In the order of their indexes, without gaps. */
  chunksOf(send: string): Rows<OldChunk>;
  permits(): Rows<{ token: string; lane: string; liveUntil: number }>;
  rests(): Rows<{ lane: string; until: number }>;
  accounts(): Rows<OldAccount>;
  episodes(): Rows<NamedState>;
  /** Rows of the outbox. */
  rows(): Rows<OldRow>;
  seen(): Rows<{ key: string; expiresAt: number }>;
}

type Rows<T> = Iterable<T> | AsyncIterable<T>;

/** `creditsUsed`, in Redis: the sum of its chunks. */
export type OldSend = Omit<SendRecord, 'channelId'> & { place: string; creditsUsed?: number };

type OldChunk = Omit<ChunkDocument, 'root'> & {
  root?: number;
  staleAt?: number;
  messages: LedgerMessage[];
  creditsUsed?: number;
};

type OldAccount = Pick<AccountDocument, 'credits' | 'asOf'> & {
  id: string;
  activity: number;
  receiptsSince?: number;
  anchor?: number;
  anchoredAt?: number;
};

type OldRow = WaitingRow &
  Omit<OutboxDocument, 'waiting'> & {
    id: string;
    state: 'due' | 'posting' | 'posted';
    /** While `token` posts the row: when that poster counts as gone. */
    deadline?: number;
  };

/** Fields of words. All others hold JSON, most of them a number. */
const WORDS = new Set([
  ...['id', 'team', 'place', 'instance', 'kind', 'state', 'decidedBy', 'pauseReason', 'token', 'account'],
  ...['otherStatus', 'resentAs', 'saidSentBy', 'lane', 'name', 'topic', 'subject', 'key'],
]);
/** Fields where 0 means none. */
const NONE_IF_ZERO = new Set(['servedAt', 'neverStarted', 'spacing']);
/** What no document keeps: where a chunk is, a version, and what the chunks of a send say together. */
const NOT_KEPT = /^(send|idx|v|chunks|family\w+)$|\./;

/** A field of a row as SQLite or Redis gives it. */
export type Text = [name: string, text: string];

/** The values of a row. Times are rounded up: some old ones have fractions. */
export function valuesOf(texts: Text[]): { [name: string]: unknown } {
  const values: { [name: string]: unknown } = {};
  for (const [name, text] of texts) {
    if (NOT_KEPT.test(name)) continue;
    const value: unknown = WORDS.has(name) ? text : JSON.parse(text);
    if (value === 0 && NONE_IF_ZERO.has(name)) continue;
    values[name] = typeof value === 'number' ? Math.ceil(value) : value;
  }
  return values;
}
