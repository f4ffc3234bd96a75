import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/store/redis/connect.ts';
import { createRedisLedger } from '../../src/store/redis/ledger.ts';
import { createRunner } from '../../src/store/redis/run.ts';
import { inFlight, LIMITS, SENT } from '../helpers/ledger-fixtures.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

async function aRunner(stepMs?: number) {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const connection = await connect(server.url);
  onTestFinished(() => connection.close());
  const { client } = connection;
  await client.sendCommand(['SET', 'test:epoch', 'e']);
  const options = { client, prefix: 'test:', epoch: 'e', ...(stepMs === undefined ? {} : { stepMs }) };
  return { server, client, runner: createRunner(options) };
}

describe.skipIf(withoutRedis)('steps on Redis', () => {
  test('what was given up never happens, though Redis goes on in that very moment', async () => {
    const { server, client, runner } = await aRunner(60);
    const done: unknown[] = [];
    for (let i = 0; i < 60; i += 1) {
      await runner.run('nextDue', {}).catch(() => {});
      server.freeze();
      await expect(runner.run('firstTime', { key: `k${i}`, ttl: 600_000 })).rejects.toMatchObject({
        code: 'late',
      });
      server.thaw();
      await client.sendCommand(['PING']);
      done.push(await client.sendCommand(['EXISTS', `test:seen:k${i}`]));
    }
    expect(done).toEqual(Array(60).fill(0));
  });

  test('a Redis that has forgotten the scripts is taught them again', async () => {
    const { client, runner } = await aRunner();
    await runner.run('nextDue', {});
    await client.sendCommand(['SCRIPT', 'FLUSH']);
    expect(await runner.run('nextDue', {})).toEqual([]);
  });

  test('half a surrogate pair in what the service says does not keep an answer from being settled', async () => {
    const { runner } = await aRunner();
    const ledger = createRedisLedger(runner, LIMITS);
    const { ref, token } = await inFlight(ledger, 's1');
    const settlement = { ...SENT, otherStatus: 'queued \ud83d', result: { words: '\ud83d "q"\n\u0000' } };
    expect((await ledger.settle(ref, token, settlement as typeof SENT)).settled).toBe(true);
    expect((await ledger.chunks('s1'))[0]).toMatchObject({
      otherStatus: 'queued \ufffd',
      result: settlement.result,
    });
    expect((await ledger.tally('s1')).otherStatuses).toEqual({ 'queued \ufffd': 1 });
  });
});
