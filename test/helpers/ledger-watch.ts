import assert from 'node:assert/strict';
import type { ChunkRecord } from '../../src/ledger/model/chunk-record.ts';
import type { ChunkState } from '../../src/ledger/model/outcome-types.ts';
import type { SendState } from '../../src/ledger/model/send-record.ts';

/**
 * Watches the engine from outside and knows only the promise, none of its rules: a chunk that was handed out comes
 * back only on its owner's word, unknown never becomes pending, each message is in one chunk, one decision wins.
 */
export interface Watch {
  /** A draft was written with this many messages. */
  drafted(send: string, messages: number): void;
  decided(send: string): void;
  undone(send: string): void;
  taken(chunk: ChunkRecord): void;
  /** A settlement was accepted, with this chunk as its result. */
  settled(chunk: ChunkRecord): void;
  /** All chunks of a send as they are now. */
  seen(id: string, state: SendState, chunks: ChunkRecord[]): void;
}

const FINAL: readonly ChunkState[] = ['sent', 'rejected', 'not_sent', 'cancelled', 'split'];
/** The states that may follow unknown: by a late answer, never by another try. */
const LATE: readonly ChunkState[] = ['unknown', 'sent', 'rejected', 'not_sent', 'split'];

const WITHDRAWN: readonly SendState[] = ['cancelled', 'superseded', 'declined', 'expired'];

export function createWatch(): Watch {
  const sizes = new Map<string, number>();
  const winners = new Set<string>();
  const undone = new Set<string>();
  const owned = new Map<string, 'out' | 'given back'>();
  const before = new Map<string, ChunkState>();
  const name = (chunk: ChunkRecord) => `${chunk.send}.${chunk.index}`;

  return {
    drafted: (send, messages) => sizes.set(send, messages),
    decided(send) {
      assert(!winners.has(send), 'a second decision won');
      winners.add(send);
    },
    undone(send) {
      assert(![...owned.keys()].some((chunk) => chunk.startsWith(`${send}.`)), 'undone, and yet taken');
      undone.add(send);
    },
    taken(chunk) {
      assert(!undone.has(chunk.send), 'taken after it was undone');
      assert(winners.has(chunk.send), 'taken without a confirmation');
      assert(owned.get(name(chunk)) !== 'out', 'handed out twice');
      owned.set(name(chunk), 'out');
    },
    settled(chunk) {
      if (chunk.state === 'pending') owned.set(name(chunk), 'given back');
    },
    seen(id, state, chunks) {
      const isWithdrawn = WITHDRAWN.includes(state);
      if (isWithdrawn && chunks.length === 0) return;
      const standing = chunks.filter((chunk) => chunk.state !== 'split');
      const messages = standing.flatMap((chunk) => chunk.messages.map(({ phone }) => phone));
      assert.equal(messages.length, sizes.get(id), 'messages vanished or multiplied');
      assert.equal(new Set(messages).size, messages.length, 'a message has two places');
      if (state === 'finished' || state === 'running') assert(winners.has(id), 'runs without a confirmation');
      for (const chunk of chunks) {
        const was = before.get(name(chunk));
        if (was === 'unknown') assert(LATE.includes(chunk.state), 'unknown was forgotten');
        if (was && FINAL.includes(was)) assert.equal(chunk.state, was, 'a final state changed');
        if (was === 'sending' && chunk.state === 'pending') {
          assert.equal(owned.get(name(chunk)), 'given back', 'back to pending without its owner');
        }
        if (chunk.parent !== undefined) {
          assert.equal(before.get(`${id}.${chunk.parent}`), 'split', 'its parent was not split');
        }
        if (state === 'finished') {
          assert(chunk.state !== 'pending' && chunk.state !== 'sending', 'finished with something open');
        }
        before.set(name(chunk), chunk.state);
      }
    },
  };
}
