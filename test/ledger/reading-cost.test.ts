import { describe, expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { type SendDocument, sends } from '../../src/ledger/model/send-documents.ts';
import { createSteps, type Steps } from '../../src/store/steps.ts';
import {
  aJob,
  aPart,
  aSingle,
  confirmed,
  drain,
  forJobs,
  forSingles,
  freshToken,
  type HandClock,
  halved,
  handClock,
  inFlight,
  LIMITS,
  messages,
  neverStarted,
  resolvedPerMessage,
  SENT,
  taken,
  UNANSWERED,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';
import { counting, type ReadCount } from './counting-engine.ts';

/** A ledger that another process filled. Before each of its steps, it remembers nothing. */
async function filled(fill: (ledger: Ledger, steps: Steps, clock: HandClock) => Promise<unknown>) {
  const clock = handClock();
  const engine = counting(createMemoryEngine(clock.now));
  const fresh = () => createLedger(createSteps(engine), LIMITS);
  await fill(fresh(), createSteps(engine), clock);
  async function costOf(step: (ledger: Ledger) => Promise<unknown>): Promise<ReadCount> {
    const before = { ...engine.count };
    await step(fresh());
    const { calls, documents, characters } = engine.count;
    return {
      calls: calls - before.calls,
      documents: documents - before.documents,
      characters: characters - before.characters,
    };
  }
  return { clock, costOf };
}

describe('a job of 10,000 chunks', () => {
  const fill = async (ledger: Ledger) => {
    await ledger.draft(aJob('j1', []));
    for (let i = 0; i < 100; i += 1) {
      await ledger.appendChunks(
        'j1',
        Array.from({ length: 100 }, () => messages(2)),
      );
    }
    await ledger.decide('j1', { to: 'running', by: 'U1' });
  };

  test('is taken from and settled by reading single chunks', async () => {
    const { costOf } = await filled(fill);
    for (const settlement of [SENT, neverStarted(5000), UNANSWERED, 'halved'] as const) {
      const cost = await costOf(async (ledger) => {
        const { ref, token, chunk } = await taken(ledger, forJobs());
        await ledger.settle(ref, token, settlement === 'halved' ? halved(chunk.messages) : settlement);
      });
      expect(cost.documents).toBeLessThan(10);
      expect(cost.characters).toBeLessThan(5000);
    }
  });

  test('is taken from by sixteen workers at once with a few reads, and settled with none', async () => {
    const { costOf } = await filled(fill);
    const cost = await costOf(async (ledger) => {
      const attempts = await Promise.all(Array.from({ length: 8 }, () => taken(ledger, forJobs())));
      await Promise.all(attempts.map(({ ref, token }) => ledger.settle(ref, token, SENT)));
      const more = await Promise.all(Array.from({ length: 16 }, () => taken(ledger, forJobs())));
      await Promise.all(more.map(({ ref, token }) => ledger.settle(ref, token, SENT)));
    });
    expect(cost.calls).toBeLessThan(10);
  });

  test('is counted, paused, resumed, looked after and stopped without reading its chunks', async () => {
    const { costOf } = await filled(fill);
    const steps: ((ledger: Ledger) => Promise<unknown>)[] = [
      (ledger) => ledger.tally('j1'),
      (ledger) => ledger.instancesWithWork('background'),
      (ledger) => ledger.openSends('i1'),
      (ledger) => ledger.takeDueHomes(),
      (ledger) => ledger.history({ team: 'T1', by: 'U1', limit: 4 }),
      (ledger) => ledger.backlog(),
      (ledger) => ledger.pause('j1', 'person'),
      (ledger) => ledger.resume('j1'),
      (ledger) => ledger.recover(),
      (ledger) => ledger.stop('j1'),
    ];
    for (const step of steps) expect((await costOf(step)).documents).toBeLessThan(5);
  });
});

test('hundreds of unknown texts of one account are read, and judged, in a few reads', async () => {
  const { clock, costOf } = await filled(async (ledger, _, time) => {
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 1000);
    for (let i = 0; i < 300; i += 1) {
      time.advance(2000);
      await unknownSingle(ledger, `s${i}`);
    }
  });
  clock.advance(LIMITS.leaseMs);
  const read = await costOf(async (ledger) => {
    expect((await ledger.evidenceCase('a1'))?.unknowns).toHaveLength(300);
  });
  expect(read.calls).toBeLessThan(6);
  const judged = await costOf(async (ledger) => {
    const refs = Array.from({ length: 300 }, (_, i) => ({ send: `s${i}`, index: 0 }));
    const found = refs.map((ref) => ({ ref, evidence: { verdict: 'none' } }));
    expect(await ledger.recordEvidence(await ledger.markBalanceRead('a1'), 1000, found)).toBe(true);
  });
  expect(judged.calls).toBeLessThan(12);
});

describe('a thousand sends that are over', () => {
  test('are read by no step', async () => {
    const { clock, costOf } = await filled(async (ledger) => {
      for (let i = 0; i < 1000; i += 1) {
        const { ref, token } = await inFlight(ledger, `s${i}`, { topics: ['receipt'] });
        // The chunk's permit is free again.
        await ledger.settle(ref, token, neverStarted());
        await ledger.stop(`s${i}`);
        await ledger.draft(aSingle(`d${i}`));
        await ledger.decide(`d${i}`, { to: 'cancelled', by: 'U1' });
        await ledger.firstTime(`click${i}`, 1000);
      }
      await drain(ledger);
    });
    const lookers: ((ledger: Ledger) => Promise<unknown>)[] = [
      (ledger) => ledger.take(forSingles()),
      (ledger) => ledger.take(forJobs()),
      (ledger) => ledger.openSends('i1'),
      (ledger) => ledger.instancesWithWork('interactive'),
      (ledger) => ledger.expireDrafts('T1', 'C1'),
      (ledger) => ledger.unknowns('T1'),
      (ledger) => ledger.evidenceCase('a1'),
      (ledger) => ledger.pendingWork(),
      (ledger) => ledger.spentSince('T1', 'C1', 0),
      (ledger) => ledger.takeDue(freshToken(), 1000),
      (ledger) => ledger.nextDueAt(),
      (ledger) => ledger.takeDueHomes(),
      (ledger) => ledger.backlog(),
      (ledger) => ledger.recover(),
    ];
    for (const step of lookers) expect((await costOf(step)).documents).toBeLessThan(5);
    clock.advance(60_000);
    // This look deletes the old marks. From there on, a look reads nothing.
    await costOf((ledger) => ledger.recover());
    expect((await costOf((ledger) => ledger.recover())).documents).toBe(0);
    // A confirmation costs the same beside all of that.
    expect((await costOf((ledger) => confirmed(ledger, aSingle('new')))).documents).toBeLessThan(5);
  });
});

test('for any number of unknown chunks, a list reads as many as it may, in one read', async () => {
  const { costOf } = await filled(async (ledger) => {
    for (let i = 0; i < 40; i += 1) {
      await confirmed(ledger, aJob(`j${i}`, [100], { team: i % 4 === 0 ? 'T1' : 'T2' }));
      const { ref, token } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, UNANSWERED);
    }
  });
  const cost = await costOf(async (ledger) => {
    const found = await ledger.undecided({ team: 'T1', kind: 'job', limit: 5 });
    expect(found.map(({ messages }) => messages)).toEqual(Array(5).fill(100));
  });
  expect(cost).toMatchObject({ calls: 1, documents: 5 });
});

test('chunks in one state are found without the texts of the others, also in a job of an earlier version', async () => {
  const sizes = Array.from({ length: 50 }, () => 2);
  const { costOf } = await filled(async (ledger, steps) => {
    await confirmed(ledger, aJob('j1', sizes));
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, UNANSWERED);
    await steps.run((view) => {
      const send = view.get(sends, 'j1') as SendDocument;
      const { sizes: _missing, ...work } = send.work;
      view.put(sends, 'j1', { ...send, work });
    });
  });
  const cost = await costOf(async (ledger) => {
    expect(await ledger.chunks('j1', { state: 'unknown' })).toHaveLength(1);
  });
  expect(cost.documents).toBeLessThan(10);
});

test('whether unknown texts were sent after all takes a few reads, however many parts they have', async () => {
  const { costOf } = await filled(async (ledger) => {
    await confirmed(ledger, aJob('j1', [40]));
    const { ref, token, chunk } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, UNANSWERED);
    const parts = chunk.messages.map((message, at) => aPart(at % 2 ? 'sent' : 'unknown', [message]));
    await ledger.settle(ref, token, resolvedPerMessage(parts, 20));
  });
  const cost = await costOf(async (ledger) => {
    expect(await ledger.sentAfterAll({ send: 'j1', indexes: [0] })).toHaveLength(20);
  });
  expect(cost.calls).toBeLessThan(8);
});

test('a look for work takes one read, whether people have opened their Homes or not', async () => {
  const none = await filled(async () => {});
  expect((await none.costOf((ledger) => ledger.pendingWork())).calls).toBe(1);
  const some = await filled(async (ledger) => {
    for (let i = 0; i < 1000; i += 1) await ledger.openHome({ team: 'T1', user: `U${i}` });
  });
  // No row is due.
  expect(await some.costOf((ledger) => ledger.pendingWork())).toEqual({
    calls: 1,
    documents: 0,
    characters: 0,
  });
});
