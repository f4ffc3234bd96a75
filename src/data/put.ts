import { randomBytes } from 'node:crypto';
import { addressOf, type Collection } from '../store/collection.ts';
import { entriesOf, keysOf } from '../store/known-document.ts';
import type { Address, Engine } from '../store/store.ts';
import { StoreTroubleError } from '../store/store-error.ts';

/** A document to write. */
export interface Put {
  of: Collection<unknown>;
  id: string;
  value: unknown;
}

/** The most that one commit carries, in documents and in characters: during a commit the store serves nobody else. */
const AT_ONCE = 100;
const CHARACTERS_AT_ONCE = 1_000_000;
/** How long one commit may take, in ms. */
const COMMIT_MS = 10_000;

export function put<T>(of: Collection<T>, id: string, value: T): Put {
  return { of: of as Collection<unknown>, id, value };
}

/** Writes documents as `commitPuts` does, in commits of limited size. */
export async function putAll(engine: Engine, all: Iterable<Put> | AsyncIterable<Put>): Promise<void> {
  let batch: Put[] = [];
  let characters = 0;
  for await (const one of all) {
    batch.push(one);
    characters += JSON.stringify(one.value).length;
    if (batch.length < AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    await commitPuts(engine, batch);
    batch = [];
    characters = 0;
  }
  await commitPuts(engine, batch);
}

/**
 * Writes documents over older ones, with their entries in all indexes, in one commit. Older entries stay: clear
 * the indexes first, or write into an empty store. Nobody else may write meanwhile.
 * @throws StoreTroubleError as the engine does
 */
export async function commitPuts(engine: Engine, puts: Put[], deletes: Address[] = []): Promise<void> {
  if (puts.length === 0) return;
  const change = {
    expected: [],
    puts: puts.map(({ of, id, value }) => ({
      address: addressOf(of, id),
      stored: { version: randomBytes(9).toString('base64url'), text: JSON.stringify(value) },
      isAtRest: of.isAtRest?.(value) ?? false,
    })),
    deletes,
    entries: {
      added: puts.flatMap(({ of, id, value }) => {
        const address = addressOf(of, id);
        return entriesOf(address, keysOf(of, { address, value }), {});
      }),
      removed: [],
    },
    isSynced: true,
  };
  const until = performance.now() + COMMIT_MS;
  for (;;) {
    const { outcome } = await engine.commit({ ...change, at: engine.now() }, until);
    if (outcome === 'ok') return;
    if (performance.now() >= until) throw new StoreTroubleError('late', 'The store took too long.');
  }
}
