import assert from 'node:assert/strict';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { ChunkRecord } from '../../src/ledger/model/chunk-record.ts';
import type { SendRecord, Tally } from '../../src/ledger/model/send-record.ts';
import { type Model, type ModelChunk, tally as tallyOf, undecided } from './ledger-rules.ts';

/**
 * Compares all sends of a ledger with the model: records, chunks, tallies, and the chunks that need a decision.
 * Resolves with the chunks.
 */
export async function expectSame(model: Model, ledger: Ledger): Promise<ChunkRecord[][]> {
  const standing = await Promise.all(model.sends.map(({ id }) => whatStands(ledger, id)));
  for (const [at, expected] of model.sends.entries()) {
    const { send, chunks, tally } = standing[at] as (typeof standing)[number];
    const sized = chunks.map((chunk) => ({ ...chunk, size: chunk.messages.length }));
    assert.equal(shown(send, sized, tally), shown(expected, expected.chunks, tallyOf(expected)));
    assert.deepEqual(send.details, { all: !expected.forgotten });
  }
  const open = await ledger.unknowns();
  assert.deepEqual(open.map(({ chunk }) => `${chunk.send}.${chunk.index}`).sort(), undecided(model).sort());
  return standing.map(({ chunks }) => chunks);
}

async function whatStands(ledger: Ledger, id: string) {
  const [send, chunks, tally] = await Promise.all([ledger.find(id), ledger.chunks(id), ledger.tally(id)]);
  assert(send, `${id} is gone`);
  return { send, chunks, tally };
}

type Send = Pick<SendRecord, 'state' | 'inFlightLimit' | 'unknownRun'>;
type Chunk = Pick<ChunkRecord, 'state' | 'refusals'> & Pick<ModelChunk, 'size'> & Partial<ModelChunk>;
type Counts = Pick<Tally, 'otherStatuses' | 'creditsUsed'> & {
  states: { [state: string]: { chunks: number; messages: number } };
};

/** A send in a few lines, so that one comparison is enough: a run makes thousands. */
function shown(
  { state: stateOfSend, inFlightLimit = 8, unknownRun = 0 }: Send,
  chunks: Chunk[],
  { states, otherStatuses, creditsUsed }: Counts,
): string {
  const counts = Object.entries(states)
    .filter(([, count]) => count.chunks > 0)
    .map(([state, count]) => `${state}: ${count.chunks} (${count.messages})`)
    .sort();
  const others = Object.entries(otherStatuses).sort();
  return [
    `${stateOfSend}, ${inFlightLimit} in flight, ${unknownRun} unknown in a row`,
    ...chunks.map(({ state, refusals = 0, size, token, resentAs, saidSentBy, leftBy, otherStatus }) =>
      [state, refusals, size, token, resentAs, saidSentBy, leftBy, otherStatus].join(' '),
    ),
    `${counts.join(', ')}; ${others.join(', ')}; ${creditsUsed} credits`,
  ].join('\n');
}
