import type { Engine } from '../../src/store/store.ts';

/** How much was read from an engine. */
export interface ReadCount {
  calls: number;
  documents: number;
  /** Characters of JSON. */
  characters: number;
}

/** An engine that counts its reads in `count`. */
export function counting(engine: Engine): Engine & { count: ReadCount } {
  const count: ReadCount = { calls: 0, documents: 0, characters: 0 };
  return {
    ...engine,
    count,
    async read(...asked) {
      const reading = await engine.read(...asked);
      const found = [...reading.documents, ...reading.ranges.flat().map(({ stored }) => stored)].filter(
        (one) => one !== undefined,
      );
      count.calls += 1;
      count.documents += found.length;
      count.characters += found.reduce((sum, { text }) => sum + text.length, 0);
      return reading;
    },
  };
}
