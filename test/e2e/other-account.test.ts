import { type Ephemeral, type Message, textOf } from 'slack-playground';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { startReplicas } from '../helpers/replicas.ts';
import { sideBySide } from '../helpers/side-by-side.ts';
import { createWorld, SHORT_WAITS, type World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import {
  ACME_KEY,
  ask,
  directOf,
  draft,
  eventually,
  historyOf,
  link,
  loaded,
  openBy,
  press,
  receiptOf,
  sendRequests,
  sendText,
} from '../helpers/world-steps.ts';

const [ACME, BIRCH] = [1, 2];
const RECIPIENTS = 200;
const LIST = Array.from({ length: RECIPIENTS }, (_, place) => `+4477009${String(place).padStart(5, '0')}`);

/** A world whose bots are not started yet. */
const newWorld = () =>
  createWorld({
    sandbox: { switches: { rateLimit: 100_000 } },
    env: { ...SHORT_WAITS, SMS_RATE_LIMIT: '10000', BULK_CHUNK_SIZE: '2', SMS_BULK_MIN_RECIPIENTS: '2' },
  });

interface Running {
  world: World;
  /** What a command on the server needs besides. */
  env: Record<string, string>;
  close(): Promise<void>;
}

const ENGINES: { name: string; skip: boolean; begin(): Promise<Running> }[] = [
  {
    name: 'one bot with SQLite',
    skip: false,
    async begin() {
      const world = await newWorld();
      await world.start();
      return { world, env: {}, close: () => world.close() };
    },
  },
  {
    name: 'two bots with Redis',
    skip: withoutRedis,
    async begin() {
      const redis = await startRedis();
      const world = await newWorld();
      const bots = await startReplicas(world, 2, { REDIS_URL: redis.url });
      async function close(): Promise<void> {
        await bots.close();
        await world.close();
        await redis.close();
      }
      return { world, env: { REDIS_URL: redis.url }, close };
    },
  },
];

for (const { name, skip, begin } of ENGINES) {
  sideBySide(`the account of a key changes at the provider: ${name}`, () => theAccountChanges(begin), skip);
}

function theAccountChanges(begin: () => Promise<Running>): void {
  let world: World;
  let env: Record<string, string> = {};
  let close = async () => {};
  let earlier: Ephemeral;

  beforeAll(async () => {
    ({ world, env, close } = await begin());
    world.service.setCredits(ACME, 5000);
    world.service.setCredits(BIRCH, 7777);
    await link(world);
  });
  afterAll(() => close());

  /** Who paid for the texts that were sent, in their order. */
  const payers = () => world.service.messages.map(({ user_id }) => user_id);
  const news = (lines: string[]) =>
    lines.filter((line) => /Texts cannot be sent|Texts can be sent again/.test(line));
  const inChannel = () => news(historyOf(world));
  const toAdmin = () => news(directOf(world, world.slack.people.admin));
  const cardNow = (words: RegExp): Promise<Message> => cardSaying(world, words);
  const resume = async (card: Message) =>
    world.slack.click({ user: world.slack.people.member, message: card, text: 'Resume' });

  it('in the middle of a list and of a text: nobody takes its balance for the old one’s', async () => {
    const { service } = world;
    expect(await sendText(world, '+442079461400 Before')).toMatch(/^✅ \*Sent\*/);
    earlier = await draft(world, '+442079461401 An earlier draft');
    const lost = await draft(world, '+442079461402 This answer gets lost');
    service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 400, when: 'before', times: 'always' });
    await confirmBulk(world, await draftBulk(world, { recipients: LIST.join('\n'), message: 'To all' }));
    await eventually(() => payers().length > 1);

    service.moveKey(ACME_KEY, BIRCH);
    service.addFault({ kind: 'truncate', endpoint: 'send' });
    await press(world, lost, 'Send');
    await eventually(() => sendRequests(world).length === 2);
    const balance = await ask(world, 'balance');
    expect(balance).toMatch(/balance cannot be read: this instance’s API key now belongs to another account/);
    expect(balance).not.toContain('7,7');
    expect(textOf(await cardNow(/Paused/))).toContain('API key now belongs to another account');
    expect(await receiptOf(world, lost)).toMatch(/Unknown/);
    await world.slack.waitFor(
      () => /does not show whether it was charged/.test(shownNow(lost)) || undefined,
      60_000,
    );
    expect(shownNow(lost)).not.toMatch(/nothing was charged/);
  });

  function shownNow({ to, ts }: Ephemeral): string {
    const shown = world.slack.ephemerals(to).find((one) => one.ts === ts);
    return shown ? textOf(shown) : '';
  }

  it('nothing more is sent, and each place says why', async () => {
    const { slack } = world;
    const sent = payers().length;
    const refused = /The API key of “Acme” now belongs to another account/;
    expect(await ask(world, 'send +442079461403 Not now')).toMatch(refused);
    const click = await press(world, earlier, 'Send');
    expect(textOf(await click.reply())).toMatch(refused);
    expect(shownNow(earlier)).toContain('[Send]');
    const answer = await resume(await cardNow(/Paused/));
    const said = textOf(await answer.reply());
    expect(said).toMatch(refused);
    // A part of the list was sent, and paid for.
    expect(said).not.toMatch(/nothing was sent|no credits were used/i);
    expect(await ask(world, 'status', { user: slack.people.admin })).toMatch(
      /^⛔ \*The API key now belongs to another account\.\*/,
    );
    expect((await world.runAdmin(['status'], '', env)).stdout).toMatch(/…0001 · OTHER ACCOUNT since/);
    expect(payers()).toHaveLength(sent);
    await slack.waitFor(() => inChannel().length > 0 && toAdmin().length > 0);
    expect(inChannel()).toEqual([expect.stringMatching(/cannot be sent.*now belongs to another account/)]);
    expect(toAdmin()).toEqual([expect.stringMatching(/cannot be sent[\s\S]*paste the same key/)]);
  });

  it('Replace key accepts it with the same key; the list asks once more, then work goes on', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const card = slack.history(slack.channels.sales.id).find((one) => textOf(one).includes('cannot be sent'));
    if (!card) throw new Error('the news is not there');
    const press = () => slack.click({ user: admin, message: card, text: 'Replace key' });
    const form = await loaded(slack, await openBy(press));
    await slack.submitView({ user: admin, view: form, values: { 'API key': ACME_KEY } });
    const asked = await loaded(slack, form);
    expect(textOf(asked)).toContain('another account*: “Birch &amp; Co”. So far “Acme Ltd” pays.');
    const values = { 'API key': ACME_KEY, 'Another account': ['accept'] };
    await slack.submitView({ user: admin, view: asked, values });
    await slack.waitFor(() => {
      const now = slack.view(form.view.id);
      return now && textOf(now).includes('*Replaced*');
    });
    expect(await ask(world, 'balance')).toContain('Birch');
    await slack.waitFor(() => inChannel().length > 1 && toAdmin().length > 1);
    expect(inChannel()).toHaveLength(2);
    expect(toAdmin()).toHaveLength(2);

    const sent = payers().length;
    await resume(await cardNow(/API key now belongs to another account/));
    const asks = await cardNow(/credits of another account, “Birch &amp; Co”, would pay/);
    expect(payers()).toHaveLength(sent);
    world.service.clearFaults();
    await resume(asks);
    await cardSaying(world, /Finished/, 90_000);
    expect(await sendText(world, '+442079461404 Birch pays')).toMatch(/^✅ \*Sent\*/);
    expect(new Set(payers().slice(sent))).toEqual(new Set([BIRCH]));
    const texted = world.service.messages.map(({ phone }) => phone.replace('+', ''));
    expect(new Set(texted).size).toBe(texted.length);
    expect(texted).toEqual(expect.arrayContaining(LIST.map((phone) => phone.slice(1))));
  });

  it('if the key gets its account back, texts go on without anybody’s word', async () => {
    const { service, slack } = world;
    service.moveKey(ACME_KEY, ACME);
    expect(await ask(world, 'balance')).toContain('now belongs to another account');
    await slack.waitFor(() => inChannel().length > 2);
    const sent = payers().length;
    service.moveKey(ACME_KEY, BIRCH);
    expect(await sendText(world, '+442079461405 On its own')).toMatch(/^✅ \*Sent\*/);
    expect(payers().slice(sent)).toEqual([BIRCH]);
    await slack.waitFor(() => inChannel().length > 3);
    expect(inChannel().at(-1)).toContain('can be sent again');
    expect(world.slack.failures).toEqual([]);
  });
}
