import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, onTestFinished } from 'vitest';
import { createHashNumber } from '../../src/core/history/hash-number.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { SendDocument } from '../../src/ledger/model/send-documents.ts';
import { connect } from '../../src/store/redis/connect.ts';
import { createRedisEngine } from '../../src/store/redis/engine.ts';
import { createSteps } from '../../src/store/steps.ts';
import { between, createDice } from '../helpers/dice.ts';
import { dumpRedis } from '../helpers/dump-store.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { testFault } from './helpers/faults.ts';
import { RETENTION_LIMITS, SECRET } from './helpers/retention-limits.ts';

/** How long the bots keep words here, in ms. */
const KEEP_MS = 2000;
/** The clocks of processes differ by less than this, in ms. */
const MARGIN_MS = 200;
const BOTS = 3;
const CHUNKS = 4;
const SIZE = 5;

/** Whether each of the send's chunks still has its messages. */
async function isWhole(ledger: Ledger, id: string): Promise<boolean> {
  return (await ledger.chunks(id)).every(({ messages }) => messages.length === SIZE);
}

describe('retention', () => {
  testFault(
    {
      what: 'retention while jobs run and three bots are killed at random: Redis',
      mustHold: 'nothing young is lost, nothing old is left, each message is in the look-up once',
      runs: { short: 12, long: 60 },
      minutes: 30,
      skip: withoutRedis,
    },
    async ({ runs: kills, saw }) => {
      const server = await startRedis({ appendonly: 'no' });
      const connection = await connect(server.url);
      const [prefix, epoch] = [`test-${randomUUID()}:`, randomUUID()];
      await connection.client.sendCommand(['SET', `${prefix}epoch`, epoch]);
      const engine = createRedisEngine({ client: connection.client, prefix, epoch });
      const ledger = createLedger(createSteps(engine, 20_000), RETENTION_LIMITS);
      const bots: ChildProcess[] = [];
      const start = () =>
        fork(new URL('helpers/retention-child.ts', import.meta.url), [
          server.url,
          prefix,
          epoch,
          String(KEEP_MS),
        ]);
      onTestFinished(async () => {
        for (const bot of bots) bot.kill('SIGKILL');
        connection.close();
        await server.close();
      });
      for (let i = 0; i < BOTS; i += 1) bots.push(start());

      const dice = createDice(14);
      const ids: string[] = [];
      async function begin(): Promise<void> {
        const id = `job${ids.length}`;
        ids.push(id);
        const chunks = Array.from({ length: CHUNKS }, (_, chunk) =>
          Array.from({ length: SIZE }, (_, at) => ({
            phone: `4479${String(ids.length).padStart(5, '0')}${chunk}${at}0`,
            text: `secret words of ${id}`,
          })),
        );
        await ledger.draft({
          id,
          team: 'T1',
          channelId: 'C1',
          instance: 'i1',
          kind: 'job',
          topics: [],
          chunks,
          details: { by: 'U1', list: { samples: `secret words of ${id}` } },
          expiresInMs: 600_000,
        });
        await ledger.decide(id, { to: 'running', by: 'U1' });
      }

      let looks = 0;
      /** Every send that is open, or ended a short while ago, has all its messages. */
      async function expectYoungWhole(): Promise<void> {
        for (const id of ids.slice(-30)) {
          const whole = await isWhole(ledger, id);
          const { endedAt = Number.POSITIVE_INFINITY } = (await ledger.find(id)) ?? {};
          const isYoung = ledger.now() - endedAt < KEEP_MS - MARGIN_MS;
          assert(whole || !isYoung, `${id} lost messages though it is young`);
          looks += 1;
        }
      }

      for (let kill = 0; kill < kills; kill += 1) {
        await begin();
        await sleep(between(dice, 100, 700));
        const place = Math.floor(dice() * BOTS);
        bots[place]?.kill('SIGKILL');
        bots[place] = start();
        await expectYoungWhole();
      }

      // Two unknown answers pause a job. Resume it, so that every job ends.
      for (const until = Date.now() + 60_000; Date.now() < until; await sleep(200)) {
        const open = await ledger.openSends('i1');
        for (const { id, state } of open) if (state === 'paused') await ledger.resume(id);
        if (open.length === 0) break;
      }
      await sleep(KEEP_MS + 2000);
      for (const until = Date.now() + 20_000; Date.now() < until && (await ledger.nextKept()); )
        await sleep(100);
      for (const bot of bots) bot.kill('SIGKILL');
      await sleep(200);

      const dump = await dumpRedis(connection.client, prefix);
      expectWhole(dump);
      let unknown = 0;
      for (const { collection, id, value } of dump.documents) {
        if (collection === 'sends') {
          assert((value as SendDocument).record.endedAt !== undefined, `${id} is not over`);
          assert(!JSON.stringify(value).includes('secret words'), `${id} has words left`);
        }
        if (collection === 'chunks') {
          const chunk = value as { state: string; forgotten?: true; result?: unknown };
          if (chunk.state === 'unknown') unknown += 1;
          assert.equal(chunk.forgotten === true, chunk.state !== 'unknown', `${id}, ${chunk.state}`);
          if (chunk.forgotten) assert(!JSON.stringify(chunk).includes('words of the service'), id);
        }
      }
      const left = dump.documents.filter(({ collection }) => collection === 'texts').length;
      assert.equal(left, unknown, 'only what a person may still decide keeps its messages');
      const hashOf = createHashNumber(SECRET);
      for (const [at] of ids.entries()) {
        for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
          const phone = `4479${String(at + 1).padStart(5, '0')}${chunk}00`;
          const found = await ledger.lookUp('T1', hashOf('T1', phone), 0);
          assert.equal(found.length, 1, `${phone} is in the look-up ${found.length} times`);
        }
      }
      saw({ kills, jobs: ids.length, looks, 'ended unknown': unknown });
    },
  );
});
