import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { halve, MOST_REQUESTS, splitInvalid } from '../../../src/core/dispatch/split-chunk.ts';
import type { LedgerMessage } from '../../../src/ledger/model/chunk-record.ts';

const messages = (count: number): LedgerMessage[] =>
  Array.from({ length: count }, (_, row) => ({ phone: `44207946${1000 + row}`, text: 'Hello', row }));
const at = (children: LedgerMessage[][]) => children.map((child) => child.map(({ row }) => row));

describe('a chunk that was refused as invalid', () => {
  test.each([
    'messages.2.phone',
    'messages[2].phone',
    '/messages/2/phone',
    '2.phone',
    'messages.2',
    'Messages.2.x',
  ])('goes on without the one that %s names', (field) => {
    expect(at(splitInvalid(messages(4), [field]))).toEqual([[0, 1, 3], [2]]);
  });

  test('is halved if no message is named', () => {
    for (const fields of [[], [''], ['phone']]) {
      expect(at(splitInvalid(messages(5), fields))).toEqual([
        [0, 1, 2],
        [3, 4],
      ]);
    }
  });

  test('is halved if an unknown message is named, or all of them', () => {
    const all = [0, 1, 2].map((index) => `messages.${index}`);
    expect(at(splitInvalid(messages(3), all))).toEqual([[0, 1], [2]]);
    expect(at(splitInvalid(messages(3), ['messages.7']))).toEqual([[0, 1], [2]]);
  });

  test('takes no more requests than there may be, however many are named', () => {
    const fields = Array.from({ length: 60 }, (_, index) => `messages.${index}`);
    const children = splitInvalid(messages(100), fields);
    expect(children.length + 1).toBeLessThanOrEqual(MOST_REQUESTS);
    expect(children[0]).toHaveLength(40);
    expect(children.at(-1)).toHaveLength(60 - (children.length - 2));
  });

  test('loses nobody and doubles nobody', () => {
    const field = fc.oneof(
      fc.nat(120).map((index) => `messages.${index}.phone`),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 100 }),
        fc.array(field, { maxLength: 130, size: 'max' }),
        (count, fields) => {
          for (const children of [splitInvalid(messages(count), fields), halve(messages(count))]) {
            expect(children.length).toBeGreaterThan(1);
            expect(children.every((child) => child.length > 0)).toBe(true);
            expect(children.flat().toSorted((a, b) => Number(a.row) - Number(b.row))).toEqual(
              messages(count),
            );
          }
        },
      ),
    );
  });
});
