import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyText, startingWith } from '../../src/store/keys.ts';
import type {
  Address,
  Change,
  CommitResult,
  IndexEntry,
  IndexRange,
  RangeEntry,
  Snapshot,
} from '../../src/store/store.ts';
import { newVersion, type OpenEngine } from './engine.contract.ts';
import { handClock } from './helpers/hand-clock.ts';

const COLLECTIONS = ['send', 'lane'];
/** Ids in the order of their bytes. */
const IDS = ['a', 'a:b', 'b', 'z', '\uffff', '🎉'];
const INDEXES = ['work', 'age'];

/** A document's number is its key in each index, so the model needs no entries. */
interface Document {
  version: string;
  number: number;
}

type Model = Map<string, Document>;

const nameOf = ({ collection, id }: Address) => `${collection} ${id}`;
const keyOf = (index: string, number: number) => keyText(index === 'age' ? [number] : ['k', number % 3]);
const textOf = ({ number }: Document) => JSON.stringify({ number });

const anAddress = fc.record({ collection: fc.constantFrom(...COLLECTIONS), id: fc.constantFrom(...IDS) });
const aRange: fc.Arbitrary<IndexRange> = fc
  .record({
    collection: fc.constantFrom(...COLLECTIONS),
    index: fc.constantFrom(...INDEXES),
    ends: fc.option(fc.tuple(fc.nat(20), fc.nat(20)), { nil: undefined }),
    limit: fc.option(fc.nat(4), { nil: undefined }),
    isReverse: fc.boolean(),
  })
  .map(({ ends, limit, index, ...rest }) => ({
    ...rest,
    index,
    ...(ends ? { from: keyOf(index, ends[0]), to: keyOf(index, ends[1]) } : startingWith([])),
    ...(limit === undefined ? {} : { limit }),
  }));

function oneIn(count: number): fc.Arbitrary<boolean> {
  return fc.nat(count - 1).map((n) => n === 0);
}

const aCommit = fc.record({
  kind: fc.constant('commit' as const),
  /** The new value of each address; `undefined` deletes the document. */
  changes: fc.uniqueArray(fc.tuple(anAddress, fc.option(fc.nat(20), { nil: undefined })), {
    maxLength: 4,
    selector: ([address]) => nameOf(address),
  }),
  /** Computed from the state before the last commit, as by a slower client. */
  isStale: oneIn(4),
  isBlind: oneIn(4),
  isSynced: fc.boolean(),
  before: fc.constantFrom(undefined, undefined, undefined, undefined, 1000, 1, 0),
  off: fc.constantFrom(0, 0, 0, 0, 0, 1999, -3000),
});
const aRead = fc.record({
  kind: fc.constant('read' as const),
  addresses: fc.array(anAddress, { maxLength: 4 }),
  ranges: fc.array(aRange, { maxLength: 3 }),
});
const aRepeat = fc.record({ kind: fc.constant('repeat' as const) });

/** Random commits and reads give the same on the engine as on a plain Map. */
export function engineModel(name: string, open: OpenEngine): void {
  test(`an engine answers as a plain Map would (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(aCommit, aRead, aRepeat), { minLength: 5, maxLength: 40 }),
        async (steps) => {
          const clock = handClock();
          const rig = await open(clock);
          try {
            let model: Model = new Map();
            let earlier = model;
            let last: Change | undefined;
            for (const step of steps) {
              clock.advance(1);
              if (step.kind === 'read') {
                const found = await rig.engine.read(step.addresses, step.ranges);
                expect(found).toEqual(readingOf(model, clock.now(), step.addresses, step.ranges));
                continue;
              }
              if (step.kind === 'commit') last = changeOf(step, step.isStale ? earlier : model, clock.now());
              if (!last) continue;
              const { next, answer } = commitTo(model, last, clock.now());
              expect(await rig.engine.commit(last)).toEqual(answer);
              if (next !== model) earlier = model;
              model = next;
            }
          } finally {
            await rig.close();
          }
        },
      ),
      { numRuns: 60 },
    );
  });
}

function changeOf(
  step: typeof aCommit extends fc.Arbitrary<infer Step> ? Step : never,
  seen: Model,
  now: number,
): Change {
  const version = newVersion();
  const entriesOf = ({ collection, id }: Address, number: number | undefined): IndexEntry[] =>
    number === undefined
      ? []
      : INDEXES.map((index) => ({ collection, index, key: keyOf(index, number), id }));
  const isBlind = step.isBlind && !step.isStale;
  return {
    expected: isBlind
      ? []
      : step.changes.map(([address]) => ({ address, version: seen.get(nameOf(address))?.version })),
    puts: step.changes.flatMap(([address, number]) =>
      number === undefined ? [] : [{ address, stored: { version, text: textOf({ version, number }) } }],
    ),
    deletes: step.changes.flatMap(([address, number]) => (number === undefined ? [address] : [])),
    entries: {
      removed: step.changes.flatMap(([address]) => entriesOf(address, seen.get(nameOf(address))?.number)),
      added: step.changes.flatMap(([address, number]) => entriesOf(address, number)),
    },
    ...(step.before === undefined ? {} : { before: now + step.before }),
    at: now + step.off,
    isSynced: step.isSynced,
  };
}

function commitTo(model: Model, change: Change, now: number): { next: Model; answer: CommitResult } {
  const { expected, puts, deletes, before = Infinity, at } = change;
  const versionAt = (address: Address) => model.get(nameOf(address))?.version;
  if (puts.some(({ address, stored }) => versionAt(address) === stored.version)) {
    return { next: model, answer: { outcome: 'ok', now } };
  }
  const isLate = now >= before || Math.abs(now - at) > 2000;
  const isSame = expected.every(({ address, version }) => versionAt(address) === version);
  if (isLate || !isSame) {
    const addresses = expected.map(({ address }) => address);
    const reading = readingOf(model, now, addresses, []);
    return { next: model, answer: { outcome: isLate ? 'late' : 'conflict', reading } };
  }
  const next = new Map(model);
  for (const { address, stored } of puts) {
    next.set(nameOf(address), { version: stored.version, number: JSON.parse(stored.text).number });
  }
  for (const address of deletes) next.delete(nameOf(address));
  return { next, answer: { outcome: 'ok', now } };
}

function readingOf(model: Model, now: number, addresses: Address[], ranges: IndexRange[]): Snapshot {
  return {
    now,
    documents: addresses.map((address) => {
      const document = model.get(nameOf(address));
      return document && { version: document.version, text: textOf(document) };
    }),
    ranges: ranges.map((range) => rangeOf(model, range)),
  };
}

function rangeOf(model: Model, { collection, index, from, to, limit, isReverse }: IndexRange): RangeEntry[] {
  const found = IDS.flatMap((id) => {
    const document = model.get(nameOf({ collection, id }));
    return document
      ? [
          {
            ...{ id, key: keyOf(index, document.number) },
            stored: { version: document.version, text: textOf(document) },
          },
        ]
      : [];
  }).filter(({ key }) => key >= from && key < to);
  found.sort((one, other) => (one.key === other.key ? 0 : one.key < other.key ? -1 : 1));
  return (isReverse ? found.toReversed() : found).slice(0, limit);
}
