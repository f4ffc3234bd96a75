import { describe, expect, test } from 'vitest';
import { remains } from '../../src/core/history/remains.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import { chunkIdOf, chunks, texts } from '../../src/ledger/model/chunk-documents.ts';
import { sends } from '../../src/ledger/model/send-documents.ts';
import { type OptOutRecord, optOuts } from '../../src/ledger/opt-outs/opt-out-documents.ts';
import { keyPermits } from '../../src/ledger/permits/permit-documents.ts';
import { addressOf, type Collection } from '../../src/store/collection.ts';
import { createSteps } from '../../src/store/steps.ts';
import { damageDocument } from '../helpers/damage-document.ts';
import {
  aJob,
  aPart,
  aSingle,
  confirmed,
  drain,
  forJobs,
  forSingles,
  freshToken,
  handClock,
  LIMITS,
  NOT_SENT,
  REJECTED,
  resolvedPerMessage,
  SENT,
  sentFor,
  states,
  taken,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';
import { hashOf } from './ledger.contract.numbers.ts';

/** Ledgers on one store, and steps that lose a document of it. A process remembers its reads, so another one looks. */
function start() {
  const clock = handClock();
  const engine = createMemoryEngine(clock.now);
  const boot = () => createLedger(createSteps(engine), { ...LIMITS, permits: 100 });
  return { clock, engine, steps: createSteps(engine), boot };
}

/** How a chunk may go: lost with its entries, or its text is cut in half. */
const WAYS: [
  string,
  (world: ReturnType<typeof start>, id: string, of?: Collection<never>) => Promise<void>,
][] = [
  [
    'lost',
    ({ steps }, id, of = chunks) =>
      steps.run((view) => {
        view.get(of, id);
        view.delete(of, id);
      }),
  ],
  ['damaged', ({ engine }, id, of = chunks) => damageDocument(engine, addressOf(of, id))],
];

describe.each(WAYS)('a resend whose chunk is %s', (_how, spoil) => {
  /** A list of three whose answer was lost, and a resend of it, one text a request. */
  async function resent() {
    const world = start();
    const ledger = world.boot();
    const first = aJob('first', [3]);
    await confirmed(ledger, first);
    const late = await taken(ledger, forJobs());
    await ledger.settle(late.ref, late.token, UNANSWERED);
    world.clock.advance(LIMITS.leaseMs);
    const resends = { send: 'first', indexes: [0] };
    const alone = first.chunks.flat().map((message) => [message]);
    await confirmed(ledger, aJob('again', [], { chunks: alone, resends }));
    return { world, ledger, late, resends };
  }

  test('is held back if a late answer may have sent its texts', async () => {
    const { world, ledger, late, resends } = await resent();
    await ledger.settle(late.ref, late.token, sentFor(3));
    await spoil(world, 'first/0');
    expect(await world.boot().sentAfterAll(resends)).toBe('forgotten');
  });

  test('is held back if a late answer may have sent a part of them', async () => {
    const { world, ledger, late, resends } = await resent();
    const [one, ...others] = late.chunk.messages;
    const parts = [aPart('sent', one ? [one] : []), aPart('unknown', others)];
    await ledger.settle(late.ref, late.token, resolvedPerMessage(parts));
    await spoil(world, 'first/1');
    expect(await world.boot().sentAfterAll(resends)).toBe('forgotten');
  });

  test('gives nothing back when it is stopped: it may have reached anybody', async () => {
    const { world, ledger } = await resent();
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, SENT);
    await spoil(world, 'again/0');
    expect(await world.boot().stop('again')).toBe(true);
    expect(await world.boot().chunks('first')).toMatchObject([{ state: 'unknown', resentAs: 'again' }]);
  });

  test('gives nothing back when it ends: its own resend may have reached somebody', async () => {
    const { world, ledger } = await resent();
    const late = await taken(ledger, forJobs());
    await ledger.settle(late.ref, late.token, UNANSWERED);
    world.clock.advance(LIMITS.leaseMs);
    await confirmed(ledger, aJob('third', [1], { resends: { send: 'again', indexes: [0] } }));
    await ledger.settle(late.ref, late.token, REJECTED);
    await spoil(world, 'again/0');
    const after = world.boot();
    for (let chunk = 0; chunk < 3; chunk += 1) {
      const { ref, token } = await taken(after, forJobs());
      await after.settle(ref, token, ref.send === 'third' ? SENT : REJECTED);
    }
    expect((await after.find('again'))?.state).toBe('finished');
    expect(await after.chunks('first')).toMatchObject([{ state: 'unknown', resentAs: 'again' }]);
  });
});

describe.each(WAYS)('the words of a chunk that is %s', (_how, spoil) => {
  const words = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ hash: `words ${at}`, repeatGuardMs: 1000 }));
  const found = { send: 'j1', state: 'unknown' };

  async function claimed(sizes: number[]) {
    const world = start();
    const ledger = world.boot();
    const send = await confirmed(ledger, aJob('j1', sizes));
    const attempt = await taken(ledger, forJobs());
    const { token, chunk } = attempt;
    const claim = { index: 0, token, words: words(chunk.messages.length) };
    expect(await ledger.claimChunk(send, claim)).toEqual([]);
    return { world, ledger, ...attempt };
  }

  test('may have gone out, also if its job was stopped: the next person is asked', async () => {
    const { world, ledger, ref, token } = await claimed([1, 1]);
    await ledger.settle(ref, token, SENT);
    await ledger.stop('j1');
    await spoil(world, 'j1/0');
    expect(await world.boot().sameWords('T1', 'words 0')).toMatchObject(found);
  });

  test('may have gone out, if it was a part of another one', async () => {
    const { world, ledger, ref, token, chunk } = await claimed([2]);
    const parts = chunk.messages.map((message, at) => aPart(at === 0 ? 'sent' : 'unknown', [message]));
    await ledger.settle(ref, token, resolvedPerMessage(parts));
    await spoil(world, 'j1/1');
    expect(await world.boot().sameWords('T1', 'words 0')).toMatchObject(found);
  });

  test('may have gone out, if the texts of such a part are gone', async () => {
    const { world, ledger, ref, token, chunk } = await claimed([2]);
    const parts = chunk.messages.map((message, at) => aPart(at === 0 ? 'sent' : 'unknown', [message]));
    await ledger.settle(ref, token, resolvedPerMessage(parts));
    await spoil(world, 'j1/1', texts);
    expect(await world.boot().sameWords('T1', 'words 0')).toMatchObject(found);
  });
});

test.each(['finished', 'stopped'])(
  'in a job that has %s, a part that is damaged is unknown, and no person can decide about it',
  async (how) => {
    const { engine, boot } = start();
    const ledger = boot();
    await confirmed(ledger, aJob('j1', [2, 2, 2]));
    const rest = how === 'stopped' ? 1 : 3;
    for (let chunk = 0; chunk < rest; chunk += 1) {
      const { ref, token } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, sentFor(2));
    }
    await damageDocument(engine, addressOf(chunks, 'j1/0'));
    const after = boot();
    await after.stop('j1');
    const others = how === 'stopped' ? 'cancelled' : 'sent';
    expect(await states(after, 'j1')).toEqual(['unknown', others, others]);
    expect(await after.chunks('j1', { limit: 1 })).toMatchObject([{ messages: [{}, {}] }]);
    expect(await after.chunks('j1', { state: 'unknown' })).toEqual([]);
    expect(await after.saySent({ send: 'j1', indexes: [0] }, 'U1')).toMatchObject({ won: false });
  },
);

test('the words of a damaged send may have gone out: the next person is asked', async () => {
  const { boot, engine } = start();
  const words = { hash: 'hello', repeatGuardMs: 1000 };
  await boot().draft(aSingle('s1'));
  await boot().decide('s1', { to: 'running', by: 'U1', words });
  await damageDocument(engine, addressOf(sends, 's1'));
  expect(await boot().sameWords('T1', 'hello')).toMatchObject({ send: 's1', by: 'U1', state: 'unknown' });
});

test('damaged permits of a key count as taken: no window has more requests than the limit', async () => {
  const { clock, engine } = start();
  const boot = () => createLedger(createSteps(engine), { ...LIMITS, permits: 2 });
  for (const id of ['s1', 's2', 's3']) await confirmed(boot(), aSingle(id));
  const { ref, token } = await taken(boot());
  await taken(boot());
  await damageDocument(engine, addressOf(keyPermits, 'k1'));
  const wait = await boot().take(forSingles());
  expect(wait.kind).toBe('wait');
  await boot().settle(ref, token, SENT);
  // The request without an answer may still be on its way.
  clock.advance(LIMITS.leaseMs + LIMITS.windowMs);
  expect(await boot().permit('k1', 'interactive', freshToken())).toMatchObject({ kind: 'wait' });
  clock.advance((wait.kind === 'wait' ? wait.until : 0) - clock.now());
  expect(await boot().take(forSingles())).toMatchObject({ kind: 'taken', send: { id: 's3' } });
  expect(await boot().permit('k1', 'interactive', freshToken())).toMatchObject({ kind: 'taken' });
});

const ERASED = { phone: '', text: '' };
const PHONE = '447946095800';
const toPhone = aSingle('s1', { chunks: [[{ phone: PHONE, text: 'Hello' }]] });

describe('a job that has lost the messages of a chunk', () => {
  async function halfLost() {
    const { clock, steps, boot } = start();
    await confirmed(boot(), aJob('j1', [2, 2, 2]));
    await steps.run((view) => view.delete(texts, chunkIdOf({ send: 'j1', index: 1 })));
    return { clock, ledger: boot() };
  }

  test('goes on with the others, and ends', async () => {
    const { ledger } = await halfLost();
    const held: unknown[] = [];
    for (const settlement of [SENT, NOT_SENT, SENT]) {
      const request = forJobs();
      const found = await ledger.take(request);
      if (found.kind !== 'taken') throw new Error(`it is ${found.kind}`);
      held.push(found.chunk.messages);
      await ledger.settle(found.chunk, request.token, settlement);
    }
    expect(held[1]).toEqual([ERASED, ERASED]);
    expect(await states(ledger, 'j1')).toEqual(['sent', 'not_sent', 'sent']);
    expect((await ledger.find('j1'))?.state).toBe('finished');
  });

  test('can be stopped, and read, and its unknown texts get their evidence', async () => {
    const { ledger, clock } = await halfLost();
    const marker = () => ledger.markBalanceRead('a1');
    await ledger.recordBalance(await marker(), 100);
    for (const settlement of [SENT, UNANSWERED]) {
      const { ref, token } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, settlement);
    }
    expect(await ledger.stop('j1')).toBe(true);
    expect(await ledger.chunks('j1', { state: 'unknown' })).toMatchObject([{ messages: [ERASED, ERASED] }]);
    expect(await ledger.unknowns('T1')).toHaveLength(1);
    clock.advance(LIMITS.leaseMs);
    const { unknowns = [] } = (await ledger.evidenceCase('a1')) ?? {};
    expect(unknowns).toHaveLength(1);
    const evidence = unknowns.map((chunk) => ({ ref: chunk, evidence: { verdict: 'none' } }));
    expect(await ledger.recordEvidence(await marker(), 98, evidence)).toBe(true);
    expect(await ledger.evidenceCase('a1')).toBeUndefined();
  });

  test('does not keep other sends from being listed and forgotten', async () => {
    const { ledger, clock } = await halfLost();
    for (let chunk = 0; chunk < 3; chunk += 1) {
      const { ref, token } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, SENT);
    }
    await confirmed(ledger, toPhone);
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, SENT);
    await drain(ledger);
    while (await ledger.listNumbers(hashOf));
    expect(await ledger.lookUp('T1', hashOf('T1', PHONE), 0)).toHaveLength(1);
    clock.advance(1);
    while ((await ledger.forgetEnded({ team: 'T1', endedBefore: clock.now(), remains })) > 0);
    expect(await ledger.nextKept()).toBeUndefined();
  });
});

test('an opt-out that has lost its changes still holds, until somebody opts the number in', async () => {
  const { boot, steps } = start();
  const cause = { by: 'U1', via: 'command' } as const;
  const change = (to: 'out' | 'in', hash: string) =>
    boot().changeOptOuts({ team: 'T1', to, cause, entries: [{ hash, sealed: `sealed ${hash}` }] });
  for (const hash of ['a', 'b']) await change('out', hash);
  await steps.run((view) => {
    const { changes: _lost, ...rest } = view.get(optOuts, 'T1/a') as OptOutRecord;
    view.put(optOuts, 'T1/a', rest as OptOutRecord);
  });
  expect(await boot().whichOptedOut('T1', ['a', 'b', 'c'])).toEqual(new Set(['a', 'b']));
  expect(await boot().optOut('T1', 'a')).toMatchObject({ hash: 'a', changes: [] });
  expect(await boot().listOptOuts('T1', { limit: 5 })).toHaveLength(2);
  expect(await boot().deleteOver('optIns', Number.MAX_SAFE_INTEGER)).toBe(0);
  expect(await change('in', 'a')).toBe(1);
  expect(await boot().whichOptedOut('T1', ['a', 'b'])).toEqual(new Set(['b']));
});

test('chunks whose send is lost keep no others from the look-up, however many they are', async () => {
  const { boot, steps } = start();
  const ledger = boot();
  await confirmed(
    ledger,
    aJob(
      'j1',
      Array.from({ length: 60 }, () => 1),
    ),
  );
  for (let chunk = 0; chunk < 55; chunk += 1) {
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, NOT_SENT);
  }
  await confirmed(ledger, toPhone);
  const { ref, token } = await taken(ledger);
  await ledger.settle(ref, token, SENT);
  await steps.run((view) => {
    if (view.get(sends, 'j1')) view.delete(sends, 'j1');
  });
  for (let rounds = 0; await ledger.listNumbers(hashOf); rounds += 1) expect(rounds).toBeLessThan(10);
  expect(await ledger.lookUp('T1', hashOf('T1', PHONE), 0)).toHaveLength(1);
});
