import { setTimeout as sleep } from 'node:timers/promises';
import { type Ephemeral, textOf } from 'slack-playground';
import { describe, expect } from 'vitest';
import { type RedisPair, startRedisPair } from '../helpers/redis-pair.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import { type Replica, type Replicas, startReplicas } from '../helpers/replicas.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { saveLimits } from '../helpers/world-limits.ts';
import { arrivalsAt, draftInTime, eventually, link, press, sendRequests } from '../helpers/world-steps.ts';
import { testFault } from './helpers/faults.ts';

const TEXTS = 4;
/** How long a text waits after Send, in seconds: meanwhile the replica learns of the decision, and is cut off. */
const UNDO_S = 9;
/** Shorter than a later text takes: by its end, whatever nobody has answered is unknown. */
const LEASE_MS = 8000;
/** A receipt: the text has an outcome. */
const HAS_OUTCOME = /^(?:✅ \*Sent\*|⚠️|⛔)/;

interface Text {
  phone: string;
  preview: Ephemeral;
}

/** What became of texts, by their receipts. */
interface Outcomes {
  sent: number;
  unknown: number;
  other: string[];
}

/**
 * Redis forgets that it let two bots send these texts. `answersAfterMs`: how long the service keeps its answers.
 * `failsOver` is called when all requests have left.
 */
async function forgotten(
  answersAfterMs: number,
  failsOver: (redis: RedisPair, world: World, texts: Text[], bots: Replicas) => Promise<void>,
): Promise<Outcomes> {
  const redis = await startRedisPair();
  const world = await createWorld({
    env: { SMS_TIMEOUT_MS: '7000', SMS_ATTEMPT_LEASE_MS: String(LEASE_MS) },
  });
  const bots = await startReplicas(world, 2, { REDIS_URL: redis.url });
  try {
    await link(world, { values: { 'Low-credit threshold': '0' } });
    await saveLimits(world, { 'Undo time (seconds)': String(UNDO_S) });
    const held = { kind: 'delay', endpoint: 'send', ms: answersAfterMs, when: 'after' } as const;
    world.service.addFault({ ...held, times: 'always' });
    const texts = await Promise.all(
      Array.from({ length: TEXTS }, async (_, place) => {
        const phone = `44770090010${place}`;
        return { phone, preview: await draftInTime(world, `+${phone} Once`) };
      }),
    );
    await Promise.all(texts.map(({ preview }) => press(world, preview, 'Send')));
    await Promise.all(texts.map(({ preview }) => reads(world, preview, /Undo/)));
    await redis.cutOff();
    expect(sendRequests(world)).toEqual([]);
    await eventually(() => sendRequests(world).length === TEXTS);
    await failsOver(redis, world, texts, bots);
    await sendOneLater(world, bots);
    const words = await Promise.all(texts.map(({ preview }) => reads(world, preview, HAS_OUTCOME, 40_000)));
    expect(texts.map(({ phone }) => arrivalsAt(world, phone).length)).toEqual(texts.map(() => 1));
    expect(sendRequests(world)).toHaveLength(TEXTS + 1);
    const isSent = (each: string) => each.startsWith('✅');
    const isUnknown = (each: string) => /nknown/.test(each);
    return {
      sent: words.filter(isSent).length,
      unknown: words.filter(isUnknown).length,
      other: words.filter((each) => !isSent(each) && !isUnknown(each)),
    };
  } finally {
    await bots.close();
    await world.close();
    await redis.close();
  }
}

/**
 * Redis forgets that somebody sent a text, the bots die, and a top-up hides what it cost. Resolves to what another press of
 * Send says.
 */
async function pressedAgain(): Promise<string> {
  const redis = await startRedisPair();
  const world = await createWorld({
    env: { SMS_TIMEOUT_MS: '3000', SMS_ATTEMPT_LEASE_MS: '4000' },
  });
  const bots = await startReplicas(world, 2, { REDIS_URL: redis.url });
  try {
    await link(world);
    const preview = await draftInTime(world, '+447700900100 Once');
    await redis.cutOff();
    await press(world, preview, 'Send');
    await reads(world, preview, /^✅ \*Sent\*/);
    await Promise.all(bots.all.map((bot) => bot.kill()));
    await redis.failOver();
    world.service.setCredits(1, 1_000_000);
    await bots.add();
    // Another window of Slack may still show the preview.
    await world.slack.click({ user: preview.to, message: preview, text: 'Send', forged: true });
    const said = await reads(world, preview, /\[Send anyway\]|\*Expired\*/, 40_000);
    expect(arrivalsAt(world, '447700900100')).toHaveLength(1);
    await press(world, preview, 'Send anyway');
    await reads(world, preview, /^✅ \*Sent\*/);
    expect(arrivalsAt(world, '447700900100')).toHaveLength(2);
    return said;
  } finally {
    await bots.close();
    await world.close();
    await redis.close();
  }
}

/** Sends one more text. Bots take a text that was decided before first, if they take it at all. */
async function sendOneLater(world: World, bots: Replicas): Promise<void> {
  world.service.clearFaults();
  for (const bot of bots.all) while (!(await isBackOrDead(bot))) await sleep(50);
  const preview = await draftInTime(world, '+447700900200 Later');
  await press(world, preview, 'Send');
  await reads(world, preview, /^✅ \*Sent\*/, 40_000);
}

function isBackOrDead(bot: Replica): Promise<boolean> {
  return bot.readiness().then(
    ({ status }) => status === 200,
    () => true,
  );
}

/** The preview's words, once they match. */
async function reads(world: World, { to, ts }: Ephemeral, what: RegExp, ms = 20_000): Promise<string> {
  const words = () => {
    const shown = world.slack.ephemerals(to).find((one) => one.ts === ts);
    return shown ? textOf(shown) : '';
  };
  const found = await world.slack.waitFor(() => what.test(words()), ms).catch(() => false);
  if (!found) throw new Error(`not ${what}, but:\n${words()}`);
  return words();
}

const FAILS_OVER =
  'Redis fails over to a replica that knows the decision on four texts, and not that two bots';
const runs = { short: 1, long: 10 };

// They mostly wait: for the undo time, the service and the lease.
describe.skipIf(withoutRedis).concurrent('a failover that forgets which texts are on their way', () => {
  testFault(
    {
      what: `${FAILS_OVER} are sending them`,
      mustHold: 'each text is requested once; its receipt says that it was sent',
      runs,
    },
    async ({ runs: count, saw }) => {
      for (let run = 0; run < count; run += 1) {
        const became = await forgotten(4000, (redis) => redis.failOver());
        expect(became).toEqual({ sent: TEXTS, unknown: 0, other: [] });
      }
      saw({ texts: count * TEXTS });
    },
  );

  testFault(
    {
      what: `${FAILS_OVER} have sent them`,
      mustHold: 'each text is requested once; its receipt says that it was sent',
      runs,
    },
    async ({ runs: count, saw }) => {
      for (let run = 0; run < count; run += 1) {
        const became = await forgotten(1, async (redis, world, texts) => {
          await Promise.all(texts.map(({ preview }) => reads(world, preview, /^✅ \*Sent\*/)));
          await redis.failOver();
        });
        expect(became).toEqual({ sent: TEXTS, unknown: 0, other: [] });
      }
      saw({ texts: count * TEXTS });
    },
  );

  testFault(
    {
      what: `${FAILS_OVER} are sending them; the bots die, and another one starts`,
      mustHold: 'each text is requested once; its receipt says that its outcome is unknown',
      runs,
    },
    async ({ runs: count, saw }) => {
      for (let run = 0; run < count; run += 1) {
        const became = await forgotten(4000, async (redis, _world, _texts, bots) => {
          await Promise.all(bots.all.map((bot) => bot.kill()));
          await redis.failOver();
          await bots.add();
        });
        expect(became).toEqual({ sent: 0, unknown: TEXTS, other: [] });
      }
      saw({ texts: count * TEXTS });
    },
  );

  testFault(
    {
      what: 'Redis fails over to a replica that does not know that somebody sent a text; the bots die, and the balance shows nothing',
      mustHold: 'another press of Send sends nothing, and says that the text may have been sent already',
      runs,
    },
    async ({ runs: count, saw }) => {
      for (let run = 0; run < count; run += 1) {
        expect(await pressedAgain()).toContain('*This may have been sent already.*');
      }
      saw({ texts: count });
    },
  );
});
