import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Instance } from '../../../src/core/accounts/instances.ts';
import { createWarnings, type LowCreditCard } from '../../../src/core/accounts/low-credit-warnings.ts';
import { createStatements } from '../../../src/core/accounts/statements.ts';
import { ChannelNews } from '../../../src/core/accounts/who-to-tell.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { remainingCredits } from '../../../src/core/jobs/read-job.ts';
import { lowCreditState } from '../../../src/core/state-names.ts';
import { TOPICS } from '../../../src/core/topics.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { lowCreditMessage } from '../../../src/slack/ui/reports/notices.ts';
import { ApiKey } from '../../../src/sms/api-key.ts';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import {
  ACME,
  ACME_KEY_TOO,
  addInstance,
  BIRCH_KEY,
  boot,
  type CoreWorld,
  createBooks,
  createCoreWorld,
  linkTo,
  runLinked,
} from '../../helpers/core-world.ts';

/** Everything that warnings need. Tests move money straight through the ledger. */
async function start(world?: CoreWorld) {
  const place = world ?? (await createCoreWorld());
  const booted = await boot(place);
  const books = createBooks(booted);
  return { ...booted, ...books, world: place, warnings: warningsOn(booted) };
}

function warningsOn({ ledger, records }: Pick<Awaited<ReturnType<typeof boot>>, 'ledger' | 'records'>) {
  // These tests run no job that would take credits.
  const statements = createStatements({
    ledger,
    instances: { ofAccount: async () => [] },
    remainingCredits,
    clock: systemClock,
  });
  return createWarnings({ ledger, records, statements, admins: ['U-boss'] });
}

let sends = 0;

/** A send of the channel takes credits. */
async function spend(
  { ledger }: { ledger: Ledger },
  instance: Instance,
  creditsUsed: number,
  creditsRemaining: number,
  channel = 'C-sales',
) {
  sends += 1;
  const id = `s${sends}`;
  const { team, accountId: account, keyFingerprint: rateLimitKey } = instance;
  await ledger.draft({
    id,
    team,
    channelId: channel,
    instance: instance.id,
    kind: 'single',
    details: {},
    topics: [],
    expiresInMs: 1000,
    chunks: [[{ phone: '442079460958', text: 'Hi' }]],
  });
  await ledger.decide(id, { to: 'running', by: 'U1' });
  const taken = await ledger.take({
    instance: instance.id,
    rateLimitKey,
    account,
    priority: 'interactive',
    token: id,
  });
  if (taken.kind !== 'taken') throw new Error(`the fixture has no permit: ${taken.kind}`);
  await ledger.settle({ send: id, index: 0 }, id, {
    to: 'sent',
    request: 'answered',
    receipt: { creditsUsed, creditsRemaining },
    result: null,
  });
}

/** A balance read while nothing is in flight. */
async function readBalance({ ledger }: { ledger: Ledger }, instance: Instance, credits: number) {
  await ledger.recordBalance(await ledger.markBalanceRead(instance.accountId), credits);
}

/** Posts the outbox's due rows; resolves with their cards and ids. */
async function drainCards({ ledger }: { ledger: Ledger }): Promise<{ id: string; card: LowCreditCard }[]> {
  const cards: { id: string; card: LowCreditCard }[] = [];
  for (;;) {
    const row = await ledger.takeDue('t', 1000);
    if (!row) return cards;
    if (row.topic === TOPICS.lowCredit) cards.push({ id: row.id, card: row.details as LowCreditCard });
    await ledger.markPosted(row.id, 't', { ts: row.id });
  }
}

const levelsOf = (cards: { card: LowCreditCard }[]) => cards.map(({ card }) => card.level);

describe('one episode', () => {
  test('warns once, says zero once, ends on the cards that were posted, and begins again', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    const topUpUrl = 'https://pay.example/';
    await linkTo(rig, instance, { threshold: 100, topUpUrl });
    const check = async (credits: number) => {
      await readBalance(rig, instance, credits);
      await rig.warnings.check(instance.accountId);
      return drainCards(rig);
    };
    expect(await check(100)).toEqual([]);
    const low = await check(99);
    expect(levelsOf(low)).toEqual(['low']);
    expect(low[0]?.card).toMatchObject({
      channel: 'C-sales',
      credits: 99,
      threshold: 100,
      instanceName: 'Acme',
      topUpUrl,
    });
    expect(ChannelNews.parse(low[0]?.card).instead).toEqual(['U-admin', 'U-boss']);
    expect(await check(40)).toEqual([]);
    const zero = await check(0);
    expect(levelsOf(zero)).toEqual(['zero']);
    expect(await check(0)).toEqual([]);
    expect(await check(30)).toEqual([]);
    const over = await check(500);
    expect(levelsOf(over)).toEqual(['past', 'over']);
    const words = over.map(({ card }) => lowCreditMessage(card).text);
    expect(new Set(words).size).toBe(2);
    expect(over.map(({ id }) => id)).toEqual([low[0]?.id, zero[0]?.id]);
    expect(over[0]?.card).toMatchObject({ credits: 500, toppedUp: true });
    expect(await check(500)).toEqual([]);
    const again = await check(0);
    expect(levelsOf(again)).toEqual(['zero']);
    expect([low[0]?.id, zero[0]?.id]).not.toContain(again[0]?.id);
  });

  test('its newest card leads to the present top-up link, and otherwise says the same', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    const check = async (topUpUrl: string | undefined, credits = 30) => {
      await linkTo(rig, instance, { threshold: 100, ...(topUpUrl !== undefined && { topUpUrl }) });
      await readBalance(rig, instance, credits);
      await rig.warnings.check(instance.accountId);
      return drainCards(rig);
    };
    await check('https://old.example/', 40);
    const [zero] = await check('https://old.example/', 0);
    const [changed] = await check('https://new.example/');
    expect(changed).toEqual({ id: zero?.id, card: { ...zero?.card, topUpUrl: 'https://new.example/' } });
    expect(await check('https://new.example/')).toEqual([]);
    const [without] = await check(undefined);
    expect(without?.id).toBe(zero?.id);
    expect(without?.card.topUpUrl).toBeUndefined();
    expect(levelsOf(await check(undefined, 500))).toEqual(['past', 'over']);
  });

  test('says what the channel spent in the last seven days, with today', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance);
    await readBalance(rig, instance, 500);
    await spend(rig, instance, 50, 450);
    rig.time.advance(7 * 86_400_000);
    await spend(rig, instance, 2, 448);
    await spend(rig, instance, 3, 445);
    await spend(rig, instance, 355, 90, 'C-other');
    await rig.warnings.check(instance.accountId);
    expect((await drainCards(rig))[0]?.card).toMatchObject({ spentCredits: 5, spentMessages: 2 });
  });

  test('each channel of the account has its own threshold, whichever instance spends', async () => {
    const rig = await start();
    const one = await addInstance(rig);
    const two = await addInstance(rig, ACME_KEY_TOO, 'Acme too');
    await linkTo(rig, one, { threshold: 100 }, 'C-hundred');
    await linkTo(rig, two, { threshold: 50 }, 'C-fifty');
    await linkTo(rig, two, { threshold: 0 }, 'C-off');
    await readBalance(rig, one, 200);
    await spend(rig, one, 120, 80);
    await rig.warnings.check(one.accountId);
    expect((await drainCards(rig)).map(({ card }) => card.channel)).toEqual(['C-hundred']);
    await spend(rig, two, 79, 1);
    await rig.warnings.check(two.accountId);
    expect((await drainCards(rig)).map(({ card }) => card.channel)).toEqual(['C-fifty']);
    await spend(rig, two, 1, 0);
    await rig.warnings.check(two.accountId, { refused: true });
    const zero = await drainCards(rig);
    expect(zero.map(({ card }) => [card.channel, card.level]).sort()).toEqual([
      ['C-fifty', 'zero'],
      ['C-hundred', 'zero'],
    ]);
  });

  test('a send that was refused for lack of credits is the stronger warning, even if some are left', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance, { threshold: 100 });
    await readBalance(rig, instance, 3);
    await rig.warnings.check(instance.accountId, { refused: true });
    await rig.warnings.check(instance.accountId, { refused: true });
    await rig.warnings.check(instance.accountId);
    expect(levelsOf(await drainCards(rig))).toEqual(['zero']);
  });

  test('the end of a warning that no top-up ended says the balance and the threshold', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance, { threshold: 10 });
    const check = async (credits: number, refused = false) => {
      await readBalance(rig, instance, credits);
      await rig.warnings.check(instance.accountId, { refused });
      return (await drainCards(rig)).map(({ card }) => lowCreditMessage(card).text.split('\n')[0]);
    };
    const zero =
      '⛔ *Too few credits*: 50 credits left, and the service refused a request for lack of credits.';
    expect(await check(50, true)).toEqual([zero]);
    expect(await check(50)).toEqual([
      'This low-credit warning is over: 50 credits left, and this channel’s threshold is 10.',
    ]);
    expect(await check(50, true)).toEqual([zero]);
    await linkTo(rig, instance, { threshold: 20 });
    expect(await check(50)).toEqual([
      'This low-credit warning is over: 50 credits left, and this channel’s threshold is 20.',
    ]);
  });

  test('a bot that freezes before it warns, or ends a warning, does so only if that is still true', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance, { threshold: 100 });
    await readBalance(rig, instance, 50);
    let meanwhile: number | undefined;
    rig.tap.intercept('changeState', (real) => async (...args) => {
      if (meanwhile !== undefined) await readBalance(rig, instance, meanwhile);
      meanwhile = undefined;
      return real(...args);
    });
    const check = async (then?: number) => {
      rig.time.advance(1000);
      meanwhile = then;
      await rig.warnings.check(instance.accountId);
      return levelsOf(await drainCards(rig));
    };
    expect(await check(5000)).toEqual([]);
    await readBalance(rig, instance, 50);
    expect(await check()).toEqual(['low']);
    await readBalance(rig, instance, 5000);
    expect(await check(50)).toEqual([]);
    expect(await check()).toEqual([]);
    await readBalance(rig, instance, 0);
    expect(await check(200)).toEqual([]);
    expect(await check()).toEqual(['over']);
  });

  test('another account that pays from now on was not topped up', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance, { threshold: 2 });
    await readBalance(rig, instance, 1);
    await rig.warnings.check(instance.accountId);
    expect(levelsOf(await drainCards(rig))).toEqual(['low']);
    const replaced = await rig.instances.replaceKey(instance, ApiKey.from(BIRCH_KEY), {
      acceptOtherAccount: true,
    });
    if (replaced.kind !== 'saved') throw new Error(replaced.kind);
    await readBalance(rig, replaced.instance, 3);
    await rig.warnings.check(replaced.instance.accountId);
    const [over] = await drainCards(rig);
    expect(over?.card).toMatchObject({ level: 'over', credits: 3, toppedUp: false });
  });

  test('a threshold raised above the balance warns now; a threshold lowered below it ends the episode', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance, { threshold: 100 });
    await readBalance(rig, instance, 300);
    const withThreshold = async (threshold: number) => {
      await linkTo(rig, instance, { threshold });
      await rig.warnings.check(instance.accountId);
      const cards = await drainCards(rig);
      expect(cards.some(({ card }) => card.toppedUp)).toBe(false);
      return levelsOf(cards);
    };
    expect(await withThreshold(301)).toEqual(['low']);
    expect(await withThreshold(400)).toEqual([]);
    expect(await withThreshold(300)).toEqual(['over']);
    expect(await withThreshold(301)).toEqual(['low']);
    expect(await withThreshold(0)).toEqual(['over']);
    expect(await withThreshold(0)).toEqual([]);
  });

  test('while receipts say that there is enough, another bot’s change is noticed within a minute', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance, { threshold: 100 });
    await readBalance(rig, instance, 500);
    await rig.warnings.check(instance.accountId);
    await linkTo(rig, instance, { threshold: 490 });
    const spendOne = async (credits: number) => {
      await spend(rig, instance, 1, credits);
      await rig.warnings.check(instance.accountId, { credits });
      return levelsOf(await drainCards(rig));
    };
    expect(await spendOne(480)).toEqual([]);
    rig.time.advance(60_000);
    expect(await spendOne(479)).toEqual(['low']);
  });

  test('the minute begins before the check, which may take long', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance, { threshold: 100 });
    await readBalance(rig, instance, 500);
    rig.tap.intercept('accountWithState', (read) => async (account, name) => {
      const found = await read(account, name);
      rig.time.advance(30_000);
      return found;
    });
    await rig.warnings.check(instance.accountId);
    rig.tap.intercept('accountWithState', (read) => read);
    await linkTo(rig, instance, { threshold: 490 });
    rig.time.advance(30_000);
    await spend(rig, instance, 1, 480);
    await rig.warnings.check(instance.accountId, { credits: 480 });
    expect(levelsOf(await drainCards(rig))).toEqual(['low']);
  });

  test('a receipt with a balance below the threshold warns at once', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance, { threshold: 100 });
    await readBalance(rig, instance, 500);
    await rig.warnings.check(instance.accountId);
    await spend(rig, instance, 401, 99);
    await rig.warnings.check(instance.accountId, { credits: 99 });
    expect(levelsOf(await drainCards(rig))).toEqual(['low']);
  });

  test('an account whose balance was never read gets no warning', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance);
    await rig.warnings.check(instance.accountId);
    expect(await drainCards(rig)).toEqual([]);
  });

  test('a channel that was unlinked and linked again while the balance is low is warned', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    const link = await linkTo(rig, instance);
    await readBalance(rig, instance, 5);
    await rig.warnings.check(instance.accountId);
    await drainCards(rig);
    await rig.links.remove(link, 'U-admin');
    // The news of the unlinked channel.
    await drainCards(rig);
    rig.time.advance(1000);
    await linkTo(rig, instance);
    await rig.warnings.check(instance.accountId);
    expect(levelsOf(await drainCards(rig))).toEqual(['low']);
  });
});

describe('an alert of a link that ended', () => {
  test.each(['unlinked', 'linked to another instance'])(
    'since its channel was %s, stays not for ever',
    async (how) => {
      const rig = await start();
      const instance = await addInstance(rig);
      const other = await addInstance(rig, BIRCH_KEY);
      const link = await linkTo(rig, instance);
      await readBalance(rig, instance, 5);
      await rig.warnings.check(instance.accountId);
      const alert = () => rig.ledger.namedState(lowCreditState(link));
      expect(await alert()).toMatchObject({ state: 'low' });
      expect(await alert()).not.toHaveProperty('isOver');
      await (how === 'unlinked' ? rig.links.remove(link, 'U-admin') : linkTo(rig, other));
      expect(await alert()).toMatchObject({ state: 'low', isOver: true });
    },
  );
});

describe('many bots that look at once', () => {
  test('one of them warns', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance);
    await readBalance(rig, instance, 5);
    await Promise.all(Array.from({ length: 20 }, () => warningsOn(rig).check(instance.accountId)));
    expect(levelsOf(await drainCards(rig))).toEqual(['low']);
  });

  test('an old figure does not end an episode that a newer one began', async () => {
    const rig = await start();
    const instance = await addInstance(rig);
    await linkTo(rig, instance);
    await readBalance(rig, instance, 500);
    let raced = false;
    rig.tap.intercept('accountWithState', (look) => async (...args) => {
      const seen = await look(...args);
      if (raced) return seen;
      raced = true;
      // After this look, a send takes most of the credits and causes a warning. The first warning comes after that.
      await spend(rig, instance, 450, 50);
      await rig.warnings.check(instance.accountId);
      return seen;
    });
    await rig.warnings.check(instance.accountId);
    await rig.warnings.check(instance.accountId);
    expect(levelsOf(await drainCards(rig))).toEqual(['low']);
  });
});

type Step =
  | { do: 'spend'; credits: number; times: number }
  | { do: 'top up'; credits: number }
  | { do: 'read' }
  | { do: 'threshold'; link: 0 | 1; credits: number }
  | { do: 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('spend' as const),
    credits: fc.integer({ min: 0, max: 60 }),
    times: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ do: fc.constant('top up' as const), credits: fc.integer({ min: 1, max: 150 }) }),
  fc.record({ do: fc.constant('read' as const) }),
  fc.record({
    do: fc.constant('threshold' as const),
    link: fc.constantFrom(0 as const, 1 as const),
    credits: fc.integer({ min: 0, max: 120 }),
  }),
  fc.record({ do: fc.constant('restart' as const) }),
);

/** Says what people of one channel should see, from figures and thresholds alone. */
function createWitness() {
  let said: 'nothing' | 'low' | 'zero' = 'nothing';
  let open = 0;
  return (credits: number, threshold: number): LowCreditCard['level'][] => {
    if (threshold === 0 || credits >= threshold) {
      const ended = Array<LowCreditCard['level']>(open).fill('past');
      if (open > 0) ended[open - 1] = 'over';
      said = 'nothing';
      open = 0;
      return ended;
    }
    const news = credits <= 0 ? 'zero' : 'low';
    if (said === 'zero' || said === news) return [];
    said = news;
    open += 1;
    return [news];
  };
}

test('over any history of spends, top-ups, thresholds and restarts, each channel hears each thing once', async () => {
  const world = await createCoreWorld({ limits: { permits: 1_000_000, windowMs: 1 } });
  let rig = await start(world);
  const instances = [await addInstance(rig), await addInstance(rig, ACME_KEY_TOO, 'Acme too')] as const;
  let histories = 0;

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25, size: 'max' }), async (steps) => {
      // New channels have no named states yet, so one store serves all histories.
      histories += 1;
      const channels = [`C-one-${histories}`, `C-two-${histories}`] as const;
      const thresholds: [number, number] = [50, 100];
      const witnesses = [createWitness(), createWitness()] as const;
      let truth = 120;
      for (const link of [0, 1] as const) {
        await linkTo(rig, instances[link], { threshold: thresholds[link] }, channels[link]);
      }
      await readBalance(rig, instances[0], truth);
      for (const each of [{ do: 'read' } as const, ...steps]) {
        switch (each.do) {
          case 'spend':
            for (let time = 0; time < each.times; time += 1) {
              const credits = Math.min(truth, each.credits);
              truth -= credits;
              await spend(rig, instances[time % 2 === 0 ? 0 : 1], credits, truth, channels[0]);
            }
            break;
          case 'top up':
            truth += each.credits;
            break;
          case 'read':
            await readBalance(rig, instances[0], truth);
            break;
          case 'threshold':
            thresholds[each.link] = each.credits;
            await linkTo(rig, instances[each.link], { threshold: each.credits }, channels[each.link]);
            break;
          case 'restart':
            rig = await start(world);
            break;
        }
        const { accountId } = instances[0];
        await Promise.all([rig.warnings.check(accountId), warningsOn(rig).check(accountId)]);
        const seen = await drainCards(rig);
        const known = (await rig.ledger.account(accountId))?.credits ?? Number.NaN;
        for (const link of [0, 1] as const) {
          const here = seen.filter(({ card }) => card.channel === channels[link]);
          expect(levelsOf(here)).toEqual(witnesses[link](known, thresholds[link]));
        }
      }
      for (const channel of channels) {
        const link = (await rig.links.find('T1', channel))?.link;
        if (link) await rig.links.remove(link, 'U-admin');
      }
    }),
    { numRuns: 100 },
  );
});

describe('in a bot that runs', () => {
  const cards = (rows: { topic: string; details: unknown }[]) =>
    rows.filter(({ topic }) => topic === 'low_credit').map(({ details }) => details as LowCreditCard);

  test('spending below the threshold brings one warning, and a top-up that a poll sees takes it back', async () => {
    const world = await createCoreWorld();
    world.service.setCredits(ACME, 101);
    const { core, posted, instance } = await runLinked(world);
    for (let count = 0; count < 4; count += 1) await ended(core, (await confirmed(core)).id);
    await eventually(() => expect(levelsOf(cards(posted).map((card) => ({ card })))).toEqual(['low']));
    expect(cards(posted)[0]).toMatchObject({ credits: 99, spentCredits: 2 });
    world.service.setCredits(ACME, 500);
    await core.credit.read(instance, 'background');
    await eventually(() => expect(cards(posted).map(({ level }) => level)).toEqual(['low', 'over']));
  });

  test('a 402 brings the stronger one at once, and its figure is known', async () => {
    const world = await createCoreWorld();
    const { core, posted, instance } = await runLinked(world);
    world.service.setCredits(ACME, 0);
    expect((await ended(core, (await confirmed(core)).id)).outcome).toBe('rejected');
    await eventually(() => expect(cards(posted).map(({ level }) => level)).toEqual(['zero']));
    expect((await core.credit.known(instance))?.credits).toBe(0);
  });
});
