import { describe, expect, test } from 'vitest';
import {
  emptyLeaf,
  entriesOf,
  HASH_CHARACTERS,
  type LeafEntry,
  leavesAfter,
  leavesWith,
  MOST_OF_ONE_HASH,
} from '../../src/ledger/look-up/number-leaf.ts';

function entry(at: number, over: Partial<LeafEntry> = {}): LeafEntry {
  const hash = Buffer.from(String(at * 7919 + 104_729)).toString('base64url');
  return {
    hash: hash.slice(-HASH_CHARACTERS).padStart(HASH_CHARACTERS, '-'),
    minute: 29_000_000 + at,
    outcome: 's',
    by: `U${at % 5}`,
    channelId: `C${at % 3}`,
    ...over,
  };
}

function sorted(entries: LeafEntry[]): LeafEntry[] {
  return entries.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
}

describe('leaves of the look-up', () => {
  test('give back what was put in, sorted by hash', () => {
    const entries = Array.from({ length: 90 }, (_, at) => entry(at, { outcome: 'srnua'[at % 5] as 's' }));
    const [leaf, ...others] = leavesWith(emptyLeaf('T1'), entries);
    expect(others).toEqual([]);
    const back = leaf ? entriesOf(leaf) : [];
    expect(back).toEqual(sorted(entries));
    expect(leaf).toMatchObject({ start: '', oldest: 29_000_000, people: expect.any(Array) });
    expect(leaf?.people).toHaveLength(5);
    expect(leaf).not.toHaveProperty('end');
  });

  test('are split so that each range has its own leaf, one beginning where the one before ends', () => {
    const entries = Array.from({ length: 1000 }, (_, at) => entry(at));
    const leaves = leavesWith(emptyLeaf('T1'), entries);
    expect(leaves.length).toBeGreaterThan(9);
    expect(leaves.flatMap(entriesOf)).toEqual(sorted(entries));
    for (const [at, { start, end, entries: text }] of leaves.entries()) {
      expect(end).toBe(leaves[at + 1]?.start);
      expect(text.length).toBeLessThan(2000);
      for (const { hash } of entriesOf(leaves[at] ?? emptyLeaf('T1'))) {
        expect(hash >= start && (end === undefined || hash < end)).toBe(true);
      }
    }
  });

  test('keep the newest messages to one number, however many there are', () => {
    const { hash } = entry(1);
    const often = Array.from({ length: 500 }, (_, at) => entry(1, { minute: at }));
    const others = Array.from({ length: 50 }, (_, at) => entry(at + 2));
    const leaves = leavesWith(emptyLeaf('T1'), [...often, ...others]);
    const kept = leaves.flatMap(entriesOf).filter((each) => each.hash === hash);
    expect(kept).toHaveLength(MOST_OF_ONE_HASH);
    expect(kept[0]?.minute).toBe(400);
  });

  test('keep the newest message to a number from each channel, however many others there are', () => {
    const rare = entry(1, { minute: 0, channelId: 'C-rare' });
    const older = entry(1, { minute: 1, channelId: 'C-rare', by: 'U-other' });
    const often = Array.from({ length: 500 }, (_, at) => entry(1, { minute: at + 2, channelId: 'C-often' }));
    const kept = leavesWith(emptyLeaf('T1'), [rare, older, ...often]).flatMap(entriesOf);
    expect(kept).toHaveLength(MOST_OF_ONE_HASH);
    expect(kept.slice(0, 2)).toEqual([older, often.at(1 - MOST_OF_ONE_HASH)]);
    const manyChannels = Array.from({ length: 300 }, (_, at) =>
      entry(1, { minute: at, channelId: `C${at}` }),
    );
    const newest = leavesWith(emptyLeaf('T1'), manyChannels).flatMap(entriesOf);
    expect(newest).toEqual(manyChannels.slice(-MOST_OF_ONE_HASH));
  });

  test('change by entries that come and go: of equal entries, only one goes', () => {
    const [one, other] = [entry(1), entry(2)];
    const comes = (each: LeafEntry) => ({ entry: each, isGone: false });
    const [leaf = emptyLeaf('T1')] = leavesAfter(emptyLeaf('T1'), [one, other, one].map(comes));
    expect(entriesOf(leaf)).toEqual(sorted([one, one, other]));
    const [after = emptyLeaf('T1')] = leavesAfter(leaf, [
      { entry: one, isGone: true },
      { entry: { ...other, outcome: 'u' }, isGone: true },
      comes(entry(0, { by: 'U-new', channelId: 'C-new' })),
    ]);
    expect(entriesOf(after)).toEqual(sorted([entry(0, { by: 'U-new', channelId: 'C-new' }), one, other]));
    expect(after.oldest).toBe(29_000_000);
    const many = leavesAfter(
      after,
      Array.from({ length: 300 }, (_, at) => comes(entry(at + 10))),
    );
    expect(many.flatMap(entriesOf)).toHaveLength(303);
    expect(many.length).toBeGreaterThan(2);
  });
});
