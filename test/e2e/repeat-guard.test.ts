import { type Ephemeral, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BotsOnRedis, startBotsOnRedis } from '../helpers/bots-on-redis.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import type { World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk, fileFor } from '../helpers/world-bulk.ts';
import {
  arrivalsAt,
  ask,
  draftInTime,
  eventually,
  phoneAt,
  press,
  pressInTime,
  sendRequests,
} from '../helpers/world-steps.ts';

const PAIRS = 50;
/** How many pairs press Send at once. */
const AT_ONCE = 10;
const SENT = /^✅ \*Sent\*/;
const ASKED = /the same words to this number.*\[Send anyway\]/s;

describe.skipIf(withoutRedis)('the repeat guard of three bots on one Redis, by signed HTTP', () => {
  let world: World;
  let shared: BotsOnRedis;

  beforeAll(async () => {
    shared = await startBotsOnRedis({
      REPEAT_GUARD_HOURS: '24',
      BULK_CHUNK_SIZE: '5',
      SMS_BULK_MIN_RECIPIENTS: '2',
    });
    world = shared.world;
  });
  afterAll(() => shared?.close());
  afterEach((context) => shared.showIfFailed(context));

  const two = () => [world.slack.people.member, world.slack.people.admin];

  /** The message's words now. */
  function shown({ to, ts }: Ephemeral): string {
    const now = world.slack.ephemerals(to).find((each) => each.ts === ts);
    return now ? textOf(now) : '';
  }

  /** Two people with a preview of the same words to the same number press Send at the same moment. */
  async function race(phone: string): Promise<{ sent: Ephemeral; asked: Ephemeral }> {
    const previews: Ephemeral[] = [];
    for (const user of two()) previews.push(await draftInTime(world, `+${phone} Hello`, { user }));
    await Promise.all(previews.map((preview) => pressInTime(world, preview, 'Send')));
    const which = (words: RegExp) => previews.find((preview) => words.test(shown(preview)));
    const sent = await eventually(() => which(SENT));
    const asked = await eventually(() => which(ASKED));
    return { sent, asked };
  }

  it(`${PAIRS} pairs who press Send for the same words and number at once: one request each, the other is asked`, async () => {
    const before = sendRequests(world).length;
    for (let first = 0; first < PAIRS; first += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => race(phoneAt(first + at))));
    }
    expect(sendRequests(world)).toHaveLength(before + PAIRS);
    for (let at = 0; at < PAIRS; at += 1) expect(arrivalsAt(world, phoneAt(at)), String(at)).toHaveLength(1);
    for (const { output } of shared.bots.all)
      expect(output()).toContain('somebody pressed Send or Send anyway');
    expect(world.slack.failures).toEqual([]);
  }, 240_000);

  it('the other person may send anyway, or cancel; the status counts the texts that nobody sent', async () => {
    const phone = phoneAt(100);
    const first = await race(phone);
    await press(world, first.asked, 'Send anyway');
    await eventually(() => SENT.test(shown(first.asked)));
    expect(arrivalsAt(world, phone)).toHaveLength(2);
    const second = await race(phoneAt(101));
    await press(world, second.asked, 'Cancel');
    await eventually(() => /nothing was sent/i.test(shown(second.asked)));
    expect(arrivalsAt(world, phoneAt(101))).toHaveLength(1);
    expect(await ask(world, 'status')).toContain('*Repeats held back:* 1 text in the last 7 days');
  });

  it('a list and single texts with its words at the same moment: each number gets them once', async () => {
    const phones = Array.from({ length: 30 }, (_, at) => phoneAt(200 + at));
    const recipients = phones.map((phone) => `+${phone}`).join('\n');
    const list = await draftBulk(world, { recipients, message: 'Hello' });
    const texts: Ephemeral[] = [];
    for (const phone of phones.slice(0, 10)) texts.push(await draftInTime(world, `+${phone} Hello`));
    await Promise.all([confirmBulk(world, list), ...texts.map((text) => press(world, text, 'Send'))]);
    await cardSaying(world, /\*Finished\*/, 60_000);
    await eventually(() => texts.every((text) => SENT.test(shown(text)) || ASKED.test(shown(text))));
    for (const phone of phones) expect(arrivalsAt(world, phone), phone).toHaveLength(1);
    const single = texts.filter((text) => SENT.test(shown(text))).length;
    const rows = await eventually(() => fileFor(world, world.slack.people.member, /results/));
    const left = rows.filter((row) => row.includes('not sent: possible repeat'));
    expect(left).toHaveLength(single);
  });

  it('the same list again leaves out people who got it, until somebody includes them', async () => {
    const phones = Array.from({ length: 8 }, (_, at) => phoneAt(200 + at));
    const user = world.slack.people.admin;
    const all = [...phones, phoneAt(300)].map((phone) => `+${phone}`).join('\n');
    const list = await draftBulk(world, { user, recipients: all, message: 'Hello' });
    expect(textOf(list)).toContain(
      'these words to 8 of 9 recipients in the last 24 hours.*\nThis list leaves them out.',
    );
    expect(textOf(list)).toContain('[Send 1 message]');
    await press(world, list, 'Include them');
    await eventually(() => shown(list).includes('[Send 9 messages]'));
    expect(shown(list)).toContain('≈ 9 credits');
    await press(world, list, 'Leave them out');
    await eventually(() => shown(list).includes('[Send 1 message]'));
    expect(shown(list)).toContain('≈ 1 credit');
    await press(world, list, 'Include them');
    await eventually(() => shown(list).includes('[Send 9 messages]'));
    await press(world, list, 'Send 9 messages');
    const arrivals = () => [...phones, phoneAt(300)].map((phone) => arrivalsAt(world, phone).length);
    await eventually(() => arrivals().join() === [...phones.map(() => 2), 1].join());
  });
});
