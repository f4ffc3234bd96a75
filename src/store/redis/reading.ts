import type { ChunkRecord, ChunkRef, SendRecord, Tally } from '../ledger.ts';
import type { Family } from '../transitions.ts';
import type { Context } from './context.ts';
import { chunkOf, type Fields, fieldsOf, sendOf, tallyOf } from './rows.ts';
import type { Deadline, Reply } from './run.ts';

/** A send as it was read, with what its version was. */
export interface StoredSend {
  record: SendRecord;
  version: string;
  /** How many chunks it has. */
  chunks: number;
  tally: Tally;
}

/** A chunk as it was read, and what is known of the drafted chunk that it descends from (or is). */
export interface StoredChunk {
  record: ChunkRecord;
  /** The index of that chunk. */
  root: number;
  /** How many of its attempts proved that no request left. */
  neverStarted: number;
  family: Family;
}

/** What was read, at a moment of the store's clock. */
export interface Reading {
  at: number;
  sends: (StoredSend | undefined)[];
  chunks: (StoredChunk | undefined)[];
  /** Whether the key of an attempt rests, where its token was asked for. */
  rests: boolean;
}

/** Reads sends and chunks in one step, and whether the key of an attempt rests. */
export async function read(
  { runner }: Context,
  sends: string[],
  chunks: ChunkRef[],
  deadline: Deadline,
  token?: string,
): Promise<Reading> {
  return readingOf(chunks, await runner.run('load', { sends, chunks, token }, { deadline }));
}

/** What a script read, in the order in which it was asked for. */
export function readingOf(refs: ChunkRef[], [at, sends, chunks, rests]: Reply[]): Reading {
  return {
    at: Number(at),
    sends: (sends as Reply[]).map((fields) => storedSend(fieldsOf(fields))),
    chunks: (chunks as Reply[][]).map(([own, root], i) =>
      storedChunk(refs[i] as ChunkRef, fieldsOf(own), fieldsOf(root)),
    ),
    rests: rests === 'rests',
  };
}

/** A send from its hash. */
export function storedSend(fields: Fields | undefined): StoredSend | undefined {
  return (
    fields && {
      record: sendOf(fields),
      version: fields.get('v') ?? '',
      chunks: Number(fields.get('chunks') ?? 0),
      tally: tallyOf(fields),
    }
  );
}

/** A chunk from its hash, and from that of the drafted chunk where it descends from another. */
export function storedChunk(
  ref: ChunkRef,
  fields: Fields | undefined,
  rootFields?: Fields,
): StoredChunk | undefined {
  if (!fields) return undefined;
  const record = chunkOf(ref.send, ref.index, fields);
  const root = rootFields ?? fields;
  const counted = (name: string) => Number(root.get(name) ?? 0);
  const isOpen = record.state === 'pending' || record.state === 'sending';
  return {
    record,
    root: Number(fields.get('root') ?? ref.index),
    neverStarted: Number(fields.get('neverStarted') ?? 0),
    family: {
      requests: counted('attempt') - counted('neverStarted') + counted('familyRequests'),
      // A drafted chunk has no part in its own count.
      open: counted('familyOpen') - (rootFields && isOpen ? 1 : 0),
    },
  };
}

/** How many chunks of a send are pending or in flight. */
export function openChunks({ tally }: StoredSend): number {
  return tally.states.pending.chunks + tally.states.sending.chunks;
}
