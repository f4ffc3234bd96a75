import { setTimeout as sleep } from 'node:timers/promises';
import { type Ephemeral, textOf } from 'slack-playground';
import { describe, expect, it } from 'vitest';
import { type RedisPair, startRedisPair } from '../helpers/redis-pair.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import { type Replicas, startReplicas } from '../helpers/replicas.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import { saveLimits } from '../helpers/world-limits.ts';
import {
  answerTo,
  arrivalsAt,
  ask,
  draftInTime,
  eventually,
  formOf,
  link,
  press,
} from '../helpers/world-steps.ts';

/** Long enough for a person to press Undo, and for Redis to fail over. */
const UNDO_S = 9;
const UNDONE = /^↩️ Undone\. Nothing was sent/;
const OPTED_OUT = '447700900301';

/**
 * People take things back on two bots. Redis fails over to a replica without `REDIS_REPLICAS`, which knows nothing of
 * that. Each test ends once a later text is sent: bots take what waited for longer before it. Those who are still texted
 * may come after it.
 */
async function forgets(
  takeBack: (world: World, cutOff: () => Promise<void>) => Promise<void>,
  stillTexted: string[] = [],
) {
  const redis = await startRedisPair();
  const world = await createWorld({
    env: { LIST_UNDO_SECONDS: String(UNDO_S), SMS_TIMEOUT_MS: '5000', SMS_ATTEMPT_LEASE_MS: '7000' },
  });
  const bots = await startReplicas(world, 2, { REDIS_URL: redis.url });
  try {
    await link(world, { values: { 'Low-credit threshold': '0' } });
    await saveLimits(world, { 'Undo time (seconds)': String(UNDO_S) });
    await takeBack(world, redis.cutOff);
    await redis.failOver();
    await sendLater(world, bots);
    await eventually(() => stillTexted.every((phone) => arrivalsAt(world, phone).length > 0));
    return world.service.messages.map(({ phone }) => phone);
  } finally {
    await close(bots, world, redis);
  }
}

async function close(bots: Replicas, world: World, redis: RedisPair): Promise<void> {
  await bots.close();
  await world.close();
  await redis.close();
}

async function sendLater(world: World, bots: Replicas): Promise<void> {
  for (const bot of bots.all) while ((await bot.readiness()).status !== 200) await sleep(50);
  const preview = await draftInTime(world, '+447700900999 Later');
  await press(world, preview, 'Send');
  await reads(world, preview, /^✅ \*Sent\*/);
}

/** The preview, once its words match. */
function reads(world: World, { to, ts }: Ephemeral, words: RegExp): Promise<Ephemeral> {
  return world.slack.waitFor(() => {
    const shown = world.slack.ephemerals(to).find((one) => one.ts === ts);
    return shown && words.test(textOf(shown)) ? shown : undefined;
  }, 40_000);
}

const cardSaying = (world: World, words: RegExp) =>
  world.slack.waitFor(
    () => world.slack.history(world.slack.channels.sales.id).findLast((each) => words.test(textOf(each))),
    20_000,
  );

describe.skipIf(withoutRedis).concurrent('a failover forgets what people took back', () => {
  it('a text that somebody undid is not sent', async ({ expect: expected }) => {
    const texted = await forgets(async (world, cutOff) => {
      const preview = await draftInTime(world, '+447700900302 Undone');
      await press(world, preview, 'Send');
      await reads(world, preview, /\[Undo\]/);
      await cutOff();
      await press(world, preview, 'Undo');
      await reads(world, preview, UNDONE);
    });
    expected(texted).toEqual(['447700900999']);
  });

  it('a list that somebody undid is not sent', async ({ expect: expected }) => {
    const texted = await forgets(async (world, cutOff) => {
      const { slack } = world;
      const form = { recipients: '+447700900303\n+447700900304', message: 'Undone' };
      await confirmBulk(world, await draftBulk(world, form));
      const card = await cardSaying(world, /\[Undo\]/);
      await cutOff();
      await slack.click({ user: slack.people.member, message: card, text: 'Undo' });
      await cardSaying(world, UNDONE);
    });
    expected(texted).toEqual(['447700900999']);
  });

  it('a number that opted out gets nothing of a list that waits', async ({ expect: expected }) => {
    const texted = await forgets(
      async (world, cutOff) => {
        const form = { recipients: `+${OPTED_OUT}\n+447700900305`, message: 'Hello' };
        await confirmBulk(world, await draftBulk(world, form));
        await cardSaying(world, /\[Undo\]/);
        await cutOff();
        expect(await ask(world, `optout +${OPTED_OUT}`)).toMatch(/opted out|no more texts/i);
      },
      ['447700900305'],
    );
    expected(texted).not.toContain(OPTED_OUT);
  });
});

describe.skipIf(withoutRedis).concurrent('a failover forgets a text as a whole', () => {
  it('its sender reads what became of it, in the place of “Sending”', async () => {
    const redis = await startRedisPair();
    const world = await createWorld({
      env: { SMS_TIMEOUT_MS: '7000', SMS_ATTEMPT_LEASE_MS: '8000', REPEAT_GUARD_HOURS: '24' },
    });
    const bots = await startReplicas(world, 1, { REDIS_URL: redis.url });
    try {
      await link(world);
      await redis.cutOff();
      const text = await draftInTime(world, '+447700900310 Lost');
      world.service.addFault({ kind: 'delay', endpoint: 'send', ms: 4000, when: 'after' });
      await press(world, text, 'Send');
      await reads(world, text, /^📤 \*Sending\*/);
      await eventually(() => world.service.messages.length === 1);
      await redis.failOver();
      const said = textOf(await reads(world, text, /its record is lost/));
      expect(said).toMatch(/^⚠️ \*Sent, but its record is lost\* · a text to ···0310 that you sent from/);
      expect(said).toMatch(/Reference `[\w-]+`/);
      const again = await answerTo(world, 'send +447700900310 Lost');
      expect(textOf(again)).toContain('You may have sent the same words to this number');
    } finally {
      await close(bots, world, redis);
    }
  });
});

describe.skipIf(withoutRedis).concurrent('a failover forgets that somebody pressed Send', () => {
  it('nor that somebody approved it: whoever approves it again reads that, in the form and at the card', async () => {
    const redis = await startRedisPair();
    const world = await createWorld({ env: { SMS_TIMEOUT_MS: '3000', SMS_ATTEMPT_LEASE_MS: '4000' } });
    const { slack, service } = world;
    const { admin } = slack.people;
    const bots = await startReplicas(world, 1, { REDIS_URL: redis.url });
    try {
      await link(world);
      await saveLimits(world, { 'Approval above (credits)': '0' });
      const text = (await answerTo(world, 'send +447700900309 Approved')) as Ephemeral;
      await press(world, text, 'Ask for approval');
      const card = await cardSaying(world, /\[Approve and send\]/);
      const view = await formOf(slack, await slack.click({ user: admin, message: card, text: 'Read' }));
      await redis.cutOff();
      await slack.click({ user: admin, message: card, text: 'Approve and send' });
      await reads(world, text, /^✅ \*Sent\*/);
      await Promise.all(bots.all.map((bot) => bot.kill()));
      await redis.failOver();
      // A top-up hides the missing credit.
      service.setCredits(1, 1_000_000);
      await bots.add();
      await slack.submitView({ user: admin, view, values: { Decision: 'approve' } });
      const said = await eventually(() => {
        const form = slack.view(view.view.id);
        return form && /may have been sent already/.test(textOf(form)) && textOf(form);
      });
      expect(said).toContain('To send it anyway, approve it again.');
      const click = await slack.click({ user: admin, message: card, text: 'Approve and send', forged: true });
      const answer = await click.reply();
      expect(textOf(answer)).toContain('*This may have been sent already.*');
      expect(service.messages).toHaveLength(1);
      await slack.click({ user: admin, message: answer, text: 'Approve and send anyway' });
      await eventually(() => service.messages.length === 2);
    } finally {
      await close(bots, world, redis);
    }
  });

  it('an edit of such a text or list warns, too: it may have been sent already', async () => {
    const redis = await startRedisPair();
    const world = await createWorld();
    const bots = await startReplicas(world, 1, { REDIS_URL: redis.url });
    try {
      await link(world);
      const text = await draftInTime(world, '+447700900306 First words');
      const form = { recipients: '+447700900307\n+447700900308', message: 'First words' };
      const list = await draftBulk(world, form);
      await redis.cutOff();
      await press(world, text, 'Send');
      await reads(world, text, /^✅ \*Sent\*/);
      await Promise.all(bots.all.map((bot) => bot.kill()));
      await redis.failOver();
      await bots.add();
      for (const preview of [text, list]) {
        const { to: user, ts } = preview;
        // Another window of Slack may still show the preview.
        const edit = await world.slack.click({ user, message: preview, text: 'Edit', forged: true });
        const view = await formOf(world.slack, edit);
        await world.slack.submitView({ user, view, values: { Message: 'Other words' } });
        const edited = await eventually(() =>
          world.slack.ephemerals(user).find((one) => one.ts === ts && /Other words/.test(textOf(one))),
        );
        expect(textOf(edited)).toMatch(/\*This may have been sent already\.\*.*\[Send[^\]]* anyway\]/s);
      }
    } finally {
      await close(bots, world, redis);
    }
  });
});
