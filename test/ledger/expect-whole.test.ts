import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import { createSteps } from '../../src/store/steps.ts';
import { type Dump, dumpable } from '../helpers/dump-store.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import {
  aJob,
  aPart,
  confirmed,
  forJobs,
  halved,
  handClock,
  inFlight,
  LIMITS,
  messages,
  neverStarted,
  resolvedPerMessage,
  taken,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

/** A ledger with chunks in many states: in flight, waiting again, split, unknown and paid for. */
async function aDump(): Promise<Dump> {
  const engine = dumpable(createMemoryEngine(handClock().now));
  const ledger = createLedger(createSteps(engine), LIMITS);
  await unknownSingle(ledger, 'unknown');
  await inFlight(ledger, 'inFlight');
  await confirmed(ledger, aJob('job', [2, 2, 2, 2]));
  const split = await taken(ledger, forJobs());
  await ledger.settle(split.ref, split.token, halved(split.chunk.messages));
  const again = await taken(ledger, forJobs());
  await ledger.settle(again.ref, again.token, neverStarted(5000));
  const mixed = await taken(ledger, forJobs());
  const [one, two] = mixed.chunk.messages;
  const parts = [aPart('sent', one ? [one] : []), aPart('unknown', two ? [two] : [])];
  await ledger.settle(mixed.ref, mixed.token, resolvedPerMessage(parts));
  return engine.dump();
}

// biome-ignore lint/suspicious/noExplicitAny: these tests break what the types forbid.
type Anything = any;

function change(dump: Dump, collection: string, id: RegExp, edit: (value: Anything) => void): void {
  const found = dump.documents.find((one) => one.collection === collection && id.test(one.id));
  expect(found).toBeDefined();
  edit(found?.value);
}

const FAULTS: { [what: string]: (dump: Dump) => void } = {
  'an entry is missing': (dump) => dump.entries.splice(3, 1),
  'an entry is of nothing': (dump) =>
    dump.entries.push({ ...(dump.entries[0] as Dump['entries'][0]), id: 'x' }),
  'an entry is elsewhere': (dump) => Object.assign(dump.entries[0] ?? {}, { key: 'A1!' }),
  'an index is empty': (dump) => {
    dump.entries = dump.entries.filter(({ index }) => index !== 'work');
  },
  'a tally counts one more': (dump) =>
    change(dump, 'sends', /job/, ({ tally }) => {
      tally.states.sent.messages += 1;
    }),
  'a chunk on its way is not watched': (dump) =>
    change(dump, 'sends', /inFlight/, ({ work }) => {
      work.inFlight = {};
    }),
  'a chunk waits until another time': (dump) =>
    change(dump, 'chunks', /job/, (chunk) => Object.assign(chunk, { notBefore: 1, state: 'pending' })),
  'a chunk was skipped': (dump) =>
    change(dump, 'sends', /job/, ({ work }) => {
      work.next += 1;
    }),
  'a split budget has one more open': (dump) =>
    change(dump, 'sends', /job/, ({ work }) => {
      work.splitBudgets[0].open += 1;
    }),
  'a split budget has one request less': (dump) =>
    change(dump, 'sends', /job/, ({ work }) => {
      work.splitBudgets[0].requests -= 1;
    }),
  'what a chunk says is gone': (dump) => {
    dump.documents = dump.documents.filter(({ collection, id }) => collection !== 'texts' || id !== 'job/3');
  },
  'a chunk says more': (dump) => change(dump, 'texts', /job\/0/, (texts) => texts.push(...messages(1))),
  'texts are of no chunk': (dump) => {
    dump.documents.push({ collection: 'texts', id: 'job/99', value: messages(1) });
  },
  'an account has nothing on its way': (dump) =>
    change(dump, 'accounts', /a1/, (account) => {
      account.inFlight = {};
    }),
  'an account has no doubt': (dump) =>
    change(dump, 'accounts', /a1/, (account) => {
      account.maybeInFlight = {};
    }),
  'an account needs no evidence': (dump) =>
    change(dump, 'accounts', /a1/, (account) => {
      account.unexplained -= 1;
    }),
  'a day costs less': (dump) =>
    change(dump, 'spending', /T1/, (day) => {
      day.credits -= 1;
    }),
};

test('a ledger is whole', async () => {
  expectWhole(await aDump());
});

test.each(Object.keys(FAULTS))('it is found if %s', async (what) => {
  const dump = structuredClone(await aDump());
  FAULTS[what]?.(dump);
  expect(() => expectWhole(dump)).toThrow();
});
