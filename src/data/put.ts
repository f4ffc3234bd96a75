import type { Collection } from '../store/collection.ts';
import type { Steps } from '../store/steps.ts';

/** A document to be written. */
export interface Put {
  of: Collection<unknown>;
  id: string;
  value: unknown;
}

/** What one commit carries, in documents and in characters: the store serves nobody else meanwhile. */
const AT_ONCE = 100;
const CHARACTERS_AT_ONCE = 1_000_000;

/** A document to be written. */
export function put<T>(of: Collection<T>, id: string, value: T): Put {
  return { of: of as Collection<unknown>, id, value };
}

/** Writes documents over whatever is there, each once, with their places in all indexes. */
export async function putAll(steps: Steps, all: Iterable<Put> | AsyncIterable<Put>): Promise<void> {
  let batch: Put[] = [];
  let characters = 0;
  const flush = async () => {
    const puts = batch;
    batch = [];
    characters = 0;
    await steps.run((view) => {
      for (const { of, id, value } of puts) {
        view.getAssumingAbsent(of, id);
        view.put(of, id, value);
      }
    });
  };
  for await (const one of all) {
    batch.push(one);
    characters += JSON.stringify(one.value).length;
    if (batch.length >= AT_ONCE || characters >= CHARACTERS_AT_ONCE) await flush();
  }
  if (batch.length > 0) await flush();
}
