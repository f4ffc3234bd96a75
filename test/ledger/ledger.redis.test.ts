import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import {
  aJob,
  aSingle,
  confirmed,
  drain,
  forJobs,
  forSingles,
  freshToken,
  inFlight,
  LIMITS,
  SENT,
  states,
  taken,
} from '../helpers/ledger-fixtures.ts';
import { openOnRedis, openRedisFor } from '../helpers/redis-ledger.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { MONTH, month } from './ledger.contract.budgets.ts';
import { ledgerContract } from './ledger.contract.ts';

describe.skipIf(withoutRedis)('on a real Redis', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedis();
  });

  afterAll(() => server.close());

  ledgerContract(
    'Redis',
    openRedisFor(() => server.url),
  );

  describe('two replicas at once', () => {
    async function two(): Promise<[Ledger, Ledger]> {
      const rig = await openOnRedis(server.url, LIMITS);
      onTestFinished(() => rig.close());
      return [rig.ledger, await rig.join()];
    }

    test('one of 1000 racing decisions wins', async () => {
      const [a, b] = await two();
      await a.draft(aSingle('s1'));
      const answers = await Promise.all(
        Array.from({ length: 1000 }, (_, i) => (i % 2 ? a : b).decide('s1', { to: 'running', by: `U${i}` })),
      );
      const winners = answers.flatMap((answer, i) => (answer.won ? [`U${i}`] : []));
      expect(winners).toHaveLength(1);
      expect((await b.find('s1'))?.decidedBy).toBe(winners[0]);
    });

    test('one of 1000 racing requests gets the chunk, and one permit is spent', async () => {
      const [a, b] = await two();
      await confirmed(a, aSingle('s1'));
      const answers = await Promise.all(
        Array.from({ length: 1000 }, (_, i) => (i % 2 ? a : b).take(forSingles())),
      );
      expect(answers.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
      expect(answers.filter(({ kind }) => kind === 'idle')).toHaveLength(999);
      const permits = await Promise.all(
        Array.from({ length: 70 }, () => b.permit('k1', 'interactive', freshToken())),
      );
      expect(permits.filter(({ kind }) => kind === 'taken')).toHaveLength(59);
    });

    test('racing settlements of one job are all counted', async () => {
      const [a, b] = await two();
      await confirmed(a, aJob('j1', Array(8).fill(2), { topics: ['card'] }));
      const attempts = [];
      for (let i = 0; i < 8; i += 1) attempts.push(await taken(i % 2 ? a : b, forJobs()));
      await Promise.all(attempts.map(({ ref, token }, i) => (i % 2 ? b : a).settle(ref, token, SENT)));
      expect(await a.find('j1')).toMatchObject({ state: 'finished', inFlightLimit: 16 });
      expect((await b.tally('j1')).states.sent).toEqual({ chunks: 8, messages: 16 });
      expect(await drain(b)).toEqual(['card:j1']);
    });

    test('several texts get a 429 in a race: one begins the rest and counts', async () => {
      const [a, b] = await two();
      const attempts = [];
      for (let i = 0; i < 8; i += 1) attempts.push(await inFlight(i % 2 ? a : b, `s${i}`));
      const givenUp = { to: 'not_sent', request: { restMs: 5000 }, result: null } as const;
      await Promise.all(attempts.map(({ ref, token }, i) => (i % 2 ? b : a).settle(ref, token, givenUp)));
      const became = await Promise.all(attempts.map(({ ref }) => states(a, ref.send)));
      expect(became.flat().sort()).toEqual(['not_sent', ...Array(7).fill('pending')]);
      expect(await b.take(forSingles())).toMatchObject({ kind: 'wait', rests: true });
    });

    test('64 decisions at once at three bots do not overspend their one budget, by a single credit', async () => {
      const rig = await openOnRedis(server.url, LIMITS);
      onTestFinished(() => rig.close());
      const bots = [rig.ledger, await rig.join(), await rig.join()];
      const at = (i: number) => bots[i % bots.length] as Ledger;
      const ids = Array.from({ length: 64 }, (_, i) => `s${i}`);
      await Promise.all(ids.map((id, i) => at(i).draft(aSingle(id))));
      const budget = { credits: 3, perMessage: 3, periods: [month(100)] };
      const answers = await Promise.all(
        ids.map((id, i) => at(i).decide(id, { to: 'running', by: 'U1', budget })),
      );
      expect(answers.filter(({ won }) => won)).toHaveLength(33);
      expect(await rig.ledger.findPeriods([{ id: MONTH }])).toMatchObject([{ used: 0, held: 99 }]);
      for (const answer of answers)
        if (!answer.won) expect(answer).toMatchObject({ over: { left: 1, asked: 3 } });
    });

    test('both recover at once: each end is announced once', async () => {
      const rig = await openOnRedis(server.url, { ...LIMITS, permits: 100, leaseMs: 1, timeoutMs: 1 });
      onTestFinished(() => rig.close());
      const [a, b] = [rig.ledger, await rig.join()];
      for (let i = 0; i < 50; i += 1) {
        await confirmed(a, aSingle(`s${i}`, { topics: ['receipt'] }));
        await taken(a);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
      await Promise.all([a.recover(), b.recover(), a.recover(), b.recover()]);
      await a.recover();
      expect(await a.unknowns()).toHaveLength(50);
      expect(new Set(await drain(b)).size).toBe(50);
    });
  });
});
