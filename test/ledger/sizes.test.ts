import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkSizeAt, withSizesAdded } from '../../src/ledger/model/sizes.ts';

const list = (length: number) => Array.from({ length }, () => ({ phone: '44', text: 'Hi' }));

test('each chunk has its size, however they were appended', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.integer({ min: 1, max: 3 }))), (steps) => {
      const sizes = steps.reduce<ReturnType<typeof withSizesAdded>>(
        (before, lengths) => withSizesAdded(before, lengths.map(list)),
        [],
      );
      const all = steps.flat();
      expect(all.map((_, index) => chunkSizeAt(sizes, index))).toEqual(all);
      expect(chunkSizeAt(sizes, all.length)).toBeUndefined();
    }),
  );
});

test('chunks of the same size are one run', () => {
  expect(withSizesAdded(withSizesAdded([], [list(2), list(2)]), [list(2), list(1)])).toEqual([
    [3, 2],
    [1, 1],
  ]);
});
