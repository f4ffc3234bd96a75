import { keyText } from '../../../src/store/keys.ts';
import type { Address, Change, Engine, IndexRange } from '../../../src/store/store.ts';

const COUNT: Address = { collection: 'count', id: 'all' };
const OPEN = { collection: 'thing', index: 'open' };
const ALL: IndexRange = { ...OPEN, from: '', to: '~' };
/** The store holds this many things at most: each further commit also deletes the oldest. */
const MOST = 20;

/**
 * Writes thing after thing, each with an entry and a new count in the same commit. Calls `done` with each number after
 * its commit. Rejects at the first error.
 */
export async function countThings(engine: Engine, done: (count: number) => void): Promise<never> {
  const [found] = (await engine.read([COUNT], [])).documents;
  let version = found?.version;
  for (let count = Number(found?.text ?? 0) + 1; ; count += 1) {
    const change = nextThing(engine, count, version);
    const answer = await engine.commit(change);
    if (answer.outcome !== 'ok') throw new Error(answer.outcome);
    version = String(count);
    done(count);
  }
}

function nextThing(engine: Engine, count: number, version: string | undefined): Change {
  const thing = (n: number): Address => ({ collection: 'thing', id: String(n) });
  const entry = (n: number) => ({ ...OPEN, key: keyText([n]), id: String(n) });
  const stored = (text: string) => ({ version: String(count), text });
  const old = count - MOST;
  return {
    expected: [
      { address: COUNT, version },
      { address: thing(count), version: undefined },
    ],
    puts: [
      { address: COUNT, stored: stored(String(count)) },
      { address: thing(count), stored: stored(JSON.stringify('x'.repeat(500))) },
    ],
    deletes: old > 0 ? [thing(old)] : [],
    entries: { added: [entry(count)], removed: old > 0 ? [entry(old)] : [] },
    at: engine.now(),
    isSynced: true,
  };
}

/** The stored things, and those that whole commits would leave: the last count, and the things up to it. */
export async function thingsIn(engine: Engine) {
  const { documents, ranges } = await engine.read([COUNT], [ALL]);
  const count = Number(documents[0]?.text ?? 0);
  const first = Math.max(1, count - MOST + 1);
  return {
    count,
    found: (ranges[0] ?? []).map(({ id }) => Number(id)),
    wanted: Array.from({ length: count - first + 1 }, (_, i) => first + i),
  };
}
