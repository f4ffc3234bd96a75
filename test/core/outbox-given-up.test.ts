import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/core/post-or-retry.ts';
import { startOutbox } from '../helpers/core-outbox.ts';
import { eventually } from '../helpers/core-sends.ts';
import { openSqlite } from '../helpers/ledger-files.ts';
import { type OpenLedger, startRig } from '../helpers/ledger-fixtures.ts';
import { openRedisFor } from '../helpers/redis-ledger.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';

const HOUR_MS = 3_600_000;

/** An outbox that gets `delivery.now` for each message. */
async function start(open: OpenLedger, delivery: { now: Delivery }) {
  const { ledger, clock } = await startRig(open);
  const announce = () =>
    ledger.announce({ id: 'r1', topic: 'low_credit', subject: 's1', details: { words: 'Wombat' } });
  // This runs before the outbox exists, so the outbox has to look for the message.
  await announce();
  const lines: string[] = [];
  let tries = 0;
  let givenUp = 0;
  let noted = 0;
  const note = async <T>(write: Promise<T>) => {
    const done = await write;
    noted += 1;
    return done;
  };
  const outbox = startOutbox({
    ledger: {
      ...ledger,
      postLater: (...words) => note(ledger.postLater(...words)),
      markPosted: (...words) => note(ledger.markPosted(...words)),
    },
    log: pino({}, { write: (line: string) => lines.push(line) }),
    async deliver() {
      tries += 1;
      return delivery.now;
    },
    onGivenUp: () => {
      givenUp += 1;
    },
  });

  async function tryBy(work: () => void): Promise<void> {
    const before = tries;
    work();
    await eventually(() => expect(tries).toBe(before + 1));
    await eventually(() => expect(noted).toBe(tries));
  }

  return {
    ledger,
    clock,
    tries: () => tries,
    givenUp: () => givenUp,
    logged: (words: string) => lines.filter((line) => line.includes(words)),
    /** The outbox tries once more, this long after the last try. */
    tryAfter(ms: number) {
      clock.advance(ms);
      return tryBy(outbox.wake);
    },
    /** The outbox tries once more, since the message has changed. */
    tryAnew: () => tryBy(announce),
  };
}

function givenUpOn(open: OpenLedger): void {
  test.each<[string, Delivery]>([
    ['refuses', { kind: 'refused', why: 'invalid_blocks' }],
    ['never answers', { kind: 'lost' }],
  ])('a message that Slack %s is tried for a day, then it leaves the outbox', async (_, delivery) => {
    const rig = await start(open, { now: delivery });
    for (let hour = 0; hour < 24; hour += 1) await rig.tryAfter(hour === 0 ? 0 : HOUR_MS);
    expect(rig.givenUp()).toBe(0);
    await rig.tryAfter(HOUR_MS);
    await eventually(async () => expect(await rig.ledger.nextDueAt()).toBeUndefined());
    expect((await rig.ledger.backlog()).outboxSince).toBeUndefined();
    expect(rig.givenUp()).toBe(1);
    const [line, ...more] = rig.logged('given up');
    expect(more).toEqual([]);
    expect(JSON.parse(line ?? '')).toMatchObject({ level: 50, row: 'r1', topic: 'low_credit', tries: 25 });
    if ('why' in delivery) expect(line).toContain('invalid_blocks');
    expect(rig.logged('Wombat')).toEqual([]);
  });

  test('a bot that was stopped for days tries waiting messages before it gives up', async () => {
    const delivery: { now: Delivery } = { now: { kind: 'refused', waitMs: 1000 } };
    const rig = await start(open, delivery);
    await rig.tryAfter(48 * HOUR_MS);
    await rig.tryAfter(1001);
    delivery.now = { kind: 'posted', posted: null };
    await rig.tryAfter(1001);
    await eventually(async () => expect(await rig.ledger.nextDueAt()).toBeUndefined());
    expect(rig.givenUp()).toBe(0);
  });

  test('so does a bot that had tried a few times before that', async () => {
    const rig = await start(open, { now: { kind: 'refused', waitMs: 1000 } });
    for (let tries = 0; tries < 8; tries += 1) await rig.tryAfter(1001);
    await rig.tryAfter(48 * HOUR_MS);
    expect(rig.givenUp()).toBe(0);
  });

  test('a message that changes after it was given up is tried for a day again', async () => {
    const rig = await start(open, { now: { kind: 'refused', why: 'token_revoked' } });
    for (let tries = 0; tries < 24; tries += 1) await rig.tryAfter(HOUR_MS);
    await eventually(() => expect(rig.givenUp()).toBe(1));
    await rig.tryAnew();
    await rig.tryAfter(HOUR_MS);
    expect(rig.givenUp()).toBe(1);
    expect(await rig.ledger.nextDueAt()).toBeDefined();
  });
}

describe('on SQLite', () => givenUpOn(openSqlite));

describe.skipIf(withoutRedis)('on Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());
  givenUpOn(openRedisFor(() => server.url));
});
