import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createHashNumber } from '../../src/core/history/hash-number.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import { connect } from '../../src/store/redis/connect.ts';
import { createRedisEngine } from '../../src/store/redis/engine.ts';
import { scanKeys } from '../../src/store/redis/scan-keys.ts';
import { createSteps } from '../../src/store/steps.ts';
import { LIMITS, SENT } from '../helpers/ledger-fixtures.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

const RECIPIENTS = 20_000;
const IN_A_CHUNK = 100;

test.skipIf(withoutRedis)(
  'a recipient takes at most 40 bytes of Redis in the look-up, all overheads counted',
  async ({ annotate }) => {
    const server = await startRedis({ appendonly: 'no' });
    const connection = await connect(server.url);
    onTestFinished(async () => {
      connection.close();
      await server.close();
    });
    const { client } = connection;
    const [prefix, epoch] = [`test-${randomUUID()}:`, randomUUID()];
    await client.sendCommand(['SET', `${prefix}epoch`, epoch]);
    const engine = createRedisEngine({ client, prefix, epoch, stepMs: 20_000 });
    const ledger = createLedger(createSteps(engine, 20_000), { ...LIMITS, permits: 10_000 });
    for (let from = 0; from < RECIPIENTS; from += 5000) {
      const id = `job${from}`;
      const phones = Array.from({ length: 5000 }, (_, at) => `4479${String(from + at).padStart(8, '0')}`);
      const chunks = Array.from({ length: phones.length / IN_A_CHUNK }, (_, chunk) =>
        phones.slice(chunk * IN_A_CHUNK, (chunk + 1) * IN_A_CHUNK).map((phone) => ({ phone, text: 'Hello' })),
      );
      const by = `U0MEMBER${from}`;
      await ledger.draft({
        id,
        team: 'T012AB3CDE',
        channelId: `C0SALES${from}`,
        instance: 'i1',
        kind: 'job',
        topics: [],
        details: { by },
        expiresInMs: 600_000,
        chunks,
      });
      await ledger.decide(id, { to: 'running', by });
      for (const _ of chunks) {
        const token = randomUUID();
        const request = {
          instance: 'i1',
          rateLimitKey: 'k1',
          account: 'a1',
          priority: 'background',
        } as const;
        const taken = await ledger.take({ ...request, token });
        if (taken.kind === 'taken') await ledger.settle(taken.chunk, token, SENT);
      }
    }
    const hashOf = createHashNumber(Buffer.alloc(32, 7));
    while (await ledger.listNumbers(hashOf));

    let bytes = 0;
    for await (const key of scanKeys(client, prefix)) {
      if (!/:(d:numbers:|i:numbers\.)/.test(key)) continue;
      bytes += Number(await client.sendCommand(['MEMORY', 'USAGE', key, 'SAMPLES', '0']));
    }
    const each = bytes / RECIPIENTS;
    await annotate(`${each.toFixed(1)} bytes a recipient`);
    expect(each).toBeGreaterThan(18);
    expect(each).toBeLessThanOrEqual(40);
    expect(await ledger.lookUp('T012AB3CDE', hashOf('T012AB3CDE', '447900000000'), 0)).toHaveLength(1);
  },
  120_000,
);
