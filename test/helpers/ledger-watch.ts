import { expect } from 'vitest';
import type { ChunkRecord, ChunkState, SendState } from '../../src/store/ledger.ts';

/**
 * Watches the engine from outside, with no knowledge of its rules but the promise itself: what was handed out comes
 * back only on its owner's word, unknown never goes back, every message has one place, one decision wins.
 */
export interface Watch {
  /** A draft was written with so many messages. */
  drafted(send: string, messages: number): void;
  decided(send: string): void;
  taken(chunk: ChunkRecord): void;
  /** A settlement was accepted, and the chunk stands so. */
  settled(chunk: ChunkRecord): void;
  /** All chunks of a send as they stand now. */
  seen(id: string, state: SendState, chunks: ChunkRecord[]): void;
}

const FINAL: readonly ChunkState[] = ['sent', 'rejected', 'not_sent', 'cancelled', 'split'];
/** What may become of unknown: a late answer's word, never another try. */
const LATE: readonly ChunkState[] = ['unknown', 'sent', 'rejected', 'not_sent', 'split'];

export function createWatch(): Watch {
  const sizes = new Map<string, number>();
  const winners = new Set<string>();
  const owned = new Map<string, 'out' | 'given back'>();
  const before = new Map<string, ChunkState>();
  const name = (chunk: ChunkRecord) => `${chunk.send}.${chunk.index}`;

  return {
    drafted: (send, messages) => sizes.set(send, messages),
    decided(send) {
      expect(winners, 'a second decision won').not.toContain(send);
      winners.add(send);
    },
    taken(chunk) {
      expect(winners, 'taken without a confirmation').toContain(chunk.send);
      expect(owned.get(name(chunk)), 'handed out twice').not.toBe('out');
      owned.set(name(chunk), 'out');
    },
    settled(chunk) {
      if (chunk.state === 'pending') owned.set(name(chunk), 'given back');
    },
    seen(id, state, chunks) {
      const isWithdrawn = state === 'cancelled' || state === 'superseded' || state === 'expired';
      if (isWithdrawn && chunks.length === 0) return;
      const standing = chunks.filter((chunk) => chunk.state !== 'split');
      const messages = standing.flatMap((chunk) => chunk.messages.map(({ phone }) => phone));
      expect(messages.length, 'messages vanished or multiplied').toBe(sizes.get(id));
      expect(new Set(messages).size, 'a message has two places').toBe(messages.length);
      if (state === 'finished' || state === 'running') expect(winners).toContain(id);
      for (const chunk of chunks) {
        const was = before.get(name(chunk));
        if (was === 'unknown') expect(LATE).toContain(chunk.state);
        if (was && FINAL.includes(was)) expect(chunk.state, 'a final state changed').toBe(was);
        if (was === 'sending' && chunk.state === 'pending') {
          expect(owned.get(name(chunk)), 'back to pending without its owner').toBe('given back');
        }
        if (chunk.parent !== undefined) expect(before.get(`${id}.${chunk.parent}`)).toBe('split');
        if (state === 'finished') expect(['pending', 'sending']).not.toContain(chunk.state);
        before.set(name(chunk), chunk.state);
      }
    },
  };
}
