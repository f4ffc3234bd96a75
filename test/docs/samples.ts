import type { ChunkRecord, LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import type { SendRecord } from '../../src/ledger/model/send-record.ts';

/** The messages of one list. */
export const MESSAGES: LedgerMessage[] = [
  { phone: '442079460001', text: 'Hello' },
  { phone: '442079460002', text: 'Hello' },
];

/** A job, by default a running one. */
export function aSend(over: Partial<SendRecord> = {}): SendRecord {
  const about = { id: 's', team: 'T1', channelId: 'C1', instance: 'i', details: {}, topics: [] };
  return {
    ...about,
    kind: 'job',
    state: 'running',
    createdAt: 0,
    expiresAt: 1,
    inFlightLimit: 8,
    unknownRun: 0,
    ...over,
  };
}

/** A chunk in flight, with the token `t`. */
export function aChunk(over: Partial<ChunkRecord> = {}): ChunkRecord {
  return {
    send: 's',
    index: 0,
    state: 'sending',
    messages: MESSAGES,
    attempt: 1,
    token: 't',
    refusals: 0,
    ...over,
  };
}
