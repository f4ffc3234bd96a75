import { setTimeout as sleep } from 'node:timers/promises';
import { type Ephemeral, type Message, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BotsOnRedis, startBotsOnRedis } from '../helpers/bots-on-redis.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import type { Replicas } from '../helpers/replicas.ts';
import { sideBySide } from '../helpers/side-by-side.ts';
import type { World } from '../helpers/world.ts';
import { confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import { saveLimits } from '../helpers/world-limits.ts';
import {
  ACME_KEY,
  arrivalsAt,
  BIRCH_KEY,
  draftInTime,
  eventually,
  formOf,
  link,
  phoneAt,
  sendRequests,
  timesTexted,
} from '../helpers/world-steps.ts';

const UNDO_S = 2;
const RACES = 100;
const AT_ONCE = 20;
const WAITING = /^⏳ \*Sending in \d s\*/;
const UNDONE = /^↩️ Undone\. Nothing was sent, 0 credits used\./;
const NOT_SENT = /^⛔ \*Not sent\*/;
const ENDED = /^(?:↩️ Undone|✅ \*Sent\*|⛔ \*Not sent\*)/;
const TOO_LATE = 'Too late to undo: sending has begun, or may have begun.';

describe.skipIf(withoutRedis)('Undo, with three bots on one Redis', () => {
  let world: World;
  let shared: BotsOnRedis;
  let bots: Replicas;
  let numbers = 0;
  /** Numbers whose texts were taken back. */
  const undone: string[] = [];
  /** The text whose key rests, from the first test on. */
  let resting: string;

  beforeAll(async () => {
    shared = await startBotsOnRedis({ LIST_UNDO_SECONDS: String(UNDO_S), LOG_LEVEL: 'info' });
    ({ world, bots } = shared);
    await saveLimits(world, { 'Undo time (seconds)': String(UNDO_S) });
  });
  afterAll(() => shared?.close());
  afterEach((context) => shared.showIfFailed(context));

  async function newDraft(): Promise<{ phone: string; message: Ephemeral }> {
    const phone = phoneAt(numbers++);
    return { phone, message: await draftInTime(world, `+${phone} Hello`) };
  }

  /** The message as it is now. */
  function now({ to, ts }: Ephemeral): Ephemeral | undefined {
    return world.slack.ephemerals(to).find((one) => one.ts === ts);
  }

  async function saying(message: Ephemeral, words: RegExp): Promise<Ephemeral> {
    return world.slack.waitFor(() => {
      const shown = now(message);
      return shown && words.test(textOf(shown)) ? shown : undefined;
    });
  }

  const click = (message: Message | Ephemeral, text: string, user = world.slack.people.member.id) =>
    world.slack.click({ user, message, text });

  /** Clicks for a person whose screen still shows the button. */
  const clickSeen = (message: Ephemeral, text: string) =>
    world.slack.click({ user: message.to, message, text, forged: true });

  const tooLate = ({ to }: Ephemeral) =>
    world.slack.ephemerals(to).filter((each) => textOf(each) === TOO_LATE).length;

  const cardSaying = (words: RegExp, channel = world.slack.channels.sales) =>
    world.slack.waitFor(() => world.slack.history(channel.id).findLast((each) => words.test(textOf(each))));

  const isUndone = ({ ts }: Message) =>
    eventually(() => {
      const shown = world.slack.history(world.slack.channels.sales.id).find((each) => each.ts === ts);
      return shown && UNDONE.test(textOf(shown));
    });

  // The list waits at another key than the texts'.
  it.concurrent('a list that has to wait after its time says so at its card, and can still be undone', async () => {
    const { slack, service } = world;
    const channel = slack.channels.leads;
    await link(world, { channel, key: BIRCH_KEY, name: 'Birch', values: { 'Low-credit threshold': '0' } });
    resting = phoneAt(numbers++);
    const text = await draftInTime(world, `+${resting} Hello`, { channel });
    const recipients = `+${phoneAt(numbers++)}\n+${phoneAt(numbers++)}`;
    const list = await draftBulk(world, { recipients, message: 'Hello', channel });
    // The key rests for longer than the list's undo time.
    service.addFault({
      kind: 'answer',
      endpoint: 'send',
      when: 'before',
      status: 429,
      body: '',
      headers: { 'Retry-After': '20' },
    });
    await click(text, 'Send');
    await eventually(() => service.requests.some(({ status }) => status === 429));
    await confirmBulk(world, list);
    await cardSaying(WAITING, channel);
    const card = await cardSaying(/^⏳ \*Waiting for its turn\*/, channel);
    await click(card, 'Undo');
    await cardSaying(UNDONE, channel);
    undone.push(...recipients.replaceAll('+', '').split('\n'));
    expect(slack.failures).toEqual([]);
  });

  sideBySide('a text', () => {
    it('a text says when it is sent, is taken back, and its words can be edited', async () => {
      const { phone, message } = await newDraft();
      await click(message, 'Send');
      const waiting = await saying(message, WAITING);
      expect(textOf(waiting)).toMatch(/It goes out at .*\d\d:\d\d:\d\d/);
      expect(textOf(waiting)).toContain('[Undo]');
      await click(waiting, 'Undo');
      const back = await saying(message, UNDONE);
      expect(textOf(back)).toContain('[Edit]');
      undone.push(phone);
      const form = await formOf(world.slack, await click(back, 'Edit'));
      await eventually(() => textOf(world.slack.view(form.view.id) ?? form).includes('Hello'));
      expect(world.slack.failures).toEqual([]);
    });

    it('a text that is not undone is sent at its time, and then it is too late', async () => {
      const { phone, message } = await newDraft();
      const pressed = Date.now();
      await click(message, 'Send');
      const waiting = await saying(message, WAITING);
      await saying(message, /^✅ \*Sent\*/);
      const [arrival, ...others] = arrivalsAt(world, phone);
      expect(others).toEqual([]);
      expect((arrival?.at ?? 0) - pressed).toBeGreaterThanOrEqual(UNDO_S * 1000);
      const before = tooLate(message);
      await clickSeen(waiting, 'Undo');
      await eventually(() => tooLate(message) === before + 1);
    });

    it(`${RACES} undos race with the first request: a text arrives exactly if Undo lost`, async () => {
      const requests = () => sendRequests(world).filter(({ key }) => key === ACME_KEY).length;
      const before = requests();
      const races: { phone: string; message: Ephemeral; race: number }[] = [];
      async function raceForOne(race: number): Promise<void> {
        const { phone, message } = await newDraft();
        races.push({ phone, message, race });
        await click(message, 'Send');
        const waiting = await saying(message, WAITING);
        // The clicks come before and after the end of the undo time, most of them close to it.
        await sleep(race % 10 === 0 ? 0 : UNDO_S * 1000 - 400 + (race % 10) * 60);
        await clickSeen(waiting, 'Undo');
        await saying(message, ENDED);
      }
      let next = 0;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (next < RACES) await raceForOne(next++);
        }),
      );
      const wonBy = (words: RegExp) =>
        races.filter(({ message }) => words.test(textOf(now(message) ?? message)));
      const won = wonBy(UNDONE);
      const sent = wonBy(/^✅ \*Sent\*/);
      // On a very busy machine, the bot may give a text up ten seconds after its time.
      const givenUp = wonBy(NOT_SENT);
      expect(won.length + sent.length + givenUp.length).toBe(RACES);
      undone.push(...[...won, ...givenUp].map(({ phone }) => phone));
      for (const { phone } of sent) expect(arrivalsAt(world, phone), phone).toHaveLength(1);
      expect(requests()).toBe(before + sent.length);
      expect(won.length).toBeGreaterThan(0);
    }, 180_000);
  });

  it('a list is taken back at its card, also by others who may stop it', async () => {
    const { slack } = world;
    const phones = [phoneAt(numbers++), phoneAt(numbers++)];
    const recipients = phones.map((phone) => `+${phone}`).join('\n');
    const arrived = () => phones.flatMap((phone) => arrivalsAt(world, phone)).length;
    await confirmBulk(world, await draftBulk(world, { recipients, message: 'Hello' }));
    const card = await cardSaying(WAITING);
    await click(card, 'Undo', slack.people.admin.id);
    await cardSaying(UNDONE);
    expect(textOf(await cardSaying(UNDONE))).toContain(`<@${slack.people.admin.id}> pressed Undo`);
    expect(arrived()).toBe(0);

    await confirmBulk(world, await draftBulk(world, { recipients, message: 'Hello' }));
    await cardSaying(WAITING);
    await cardSaying(/\*Finished\*/);
    expect(arrived()).toBe(2);
    expect(slack.failures).toEqual([]);
  });

  it('a list that its sender takes back says so in the place of its preview, once', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const phone = phoneAt(numbers++);
    const preview = await draftBulk(world, { recipients: `+${phone}`, message: 'Hello' });
    await confirmBulk(world, preview);
    const confirmed = await saying(preview, /\*Confirmed\*/);
    const card = await cardSaying(WAITING);
    await click(card, 'Undo');
    await saying(confirmed, UNDONE);
    // Other cards say so, too.
    await isUndone(card);
    undone.push(phone);
    expect(
      slack.ephemerals(member.id).filter((each) => UNDONE.test(textOf(each)) && each.ts > confirmed.ts),
    ).toEqual([]);
    expect(slack.failures).toEqual([]);
  });

  it('a list whose rows bring their own texts begins its form again, too', async () => {
    const phone = phoneAt(numbers++);
    const recipients = `phone,message\n+${phone},Hello`;
    const preview = await draftBulk(world, { recipients });
    await confirmBulk(world, preview);
    const card = await cardSaying(WAITING);
    await click(card, 'Undo');
    undone.push(phone);
    const form = await formOf(world.slack, await click(await saying(preview, UNDONE), 'Edit'));
    expect(textOf(form)).toContain(`+${phone},Hello`);
    await isUndone(card);
  });

  it('if a bot is killed while a text waits, another bot sends it, at its time and once', async () => {
    const { phone, message } = await newDraft();
    const [first] = bots.all;
    bots.callOnly(first);
    const pressed = Date.now();
    await click(message, 'Send');
    await saying(message, WAITING);
    await first?.kill();
    const arrival = await eventually(() => arrivalsAt(world, phone)[0]);
    expect((arrival.at ?? 0) - pressed).toBeGreaterThanOrEqual(UNDO_S * 1000);
  });

  it('if all bots are killed while a list waits, one that starts again sends it, once', async () => {
    const phones = [phoneAt(numbers++), phoneAt(numbers++)];
    const recipients = phones.map((phone) => `+${phone}`).join('\n');
    const arrived = () => phones.flatMap((phone) => arrivalsAt(world, phone)).length;
    await confirmBulk(world, await draftBulk(world, { recipients, message: 'Hello' }));
    await cardSaying(WAITING);
    await Promise.all(bots.all.map((bot) => bot.kill()));
    expect(arrived()).toBe(0);
    await bots.add();
    await eventually(() => arrived() === 2, 60_000);
  });

  it('in the end, no text that was taken back has arrived, and no other one twice', async () => {
    await eventually(() => arrivalsAt(world, resting).length > 0, 40_000);
    const times = timesTexted(world);
    for (const phone of undone) expect(times.get(phone), phone).toBeUndefined();
    expect(Math.max(...times.values())).toBe(1);
  });
});
