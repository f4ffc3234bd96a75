import { expect, test } from 'vitest';
import { LowCreditCard } from '../../../src/core/accounts/low-credit-warnings.ts';
import { TOPICS } from '../../../src/core/topics.ts';
import { confirmed, eventually, viewOf } from '../../helpers/core-sends.ts';
import { ACME, ACME_KEY, createCoreWorld, runLinked } from '../../helpers/core-world.ts';

/** A bot whose store refuses to settle answers until the test allows it. */
async function start(threshold: number) {
  const world = await createCoreWorld();
  const running = await runLinked(world, { link: { threshold } });
  let refuses = true;
  running.tap.intercept('settle', (real) => (...args) => {
    return refuses ? Promise.reject(new Error('the store is away')) : real(...args);
  });
  return {
    ...running,
    takeAnswers() {
      refuses = false;
    },
    credits: async () => (await running.ledger.account(running.instance.accountId))?.credits,
    levels: () =>
      running.posted
        .filter(({ topic }) => topic === TOPICS.lowCredit)
        .map(({ details }) => LowCreditCard.parse(details).level),
    /** The text's evidence, once the text is unknown and the bot has read the balance after that. */
    async evidenceOf(id: string) {
      await eventually(() => expect(world.sendRequests()).toHaveLength(1));
      // Then Linux delivers nothing of the request any more.
      world.time.advance(world.limits.leaseMs + 105_000);
      return eventually(async () => {
        const { evidence } = await viewOf(running.core, id);
        expect(evidence).toBeDefined();
        return evidence?.verdict;
      });
    },
  };
}

test('a receipt from before a top-up lowers no balance that was read since, and warns nobody', async () => {
  const { core, service, instance, stop, ...bot } = await start(1000);
  const { id } = await confirmed(core);
  expect(await bot.evidenceOf(id)).toBe('probably_sent');
  service.topUp(ACME, 5000);
  await core.credit.readFresh(instance, 'interactive');
  await eventually(() => expect(bot.levels()).toEqual(['low', 'over']));

  bot.takeAnswers();
  await eventually(async () => expect((await viewOf(core, id)).outcome).toBe('sent'));
  await stop();
  expect(await bot.credits()).toBe(5999);
  expect(bot.levels()).toEqual(['low', 'over']);
});

test('a late answer says nothing of a key that the service has refused since', async () => {
  const { core, service, instance, stop, ...bot } = await start(0);
  const { id } = await confirmed(core);
  await bot.evidenceOf(id);
  service.revokeKey(ACME_KEY);
  await core.credit.readFresh(instance, 'interactive');
  const refusedAt = async () => (await core.instances.get('T1', instance.id))?.keyRefusedAt;
  expect(await refusedAt()).toBeDefined();

  bot.takeAnswers();
  await eventually(async () => expect((await viewOf(core, id)).outcome).toBe('sent'));
  await stop();
  expect(await refusedAt()).toBeDefined();
});

test('nor does a late refusal for lack of credits', async () => {
  const { core, service, stop, ...bot } = await start(500);
  service.addFault({ kind: 'no_credits', endpoint: 'send' });
  const { id } = await confirmed(core);
  expect(await bot.evidenceOf(id)).toBe('probably_not_sent');

  bot.takeAnswers();
  await eventually(async () => expect((await viewOf(core, id)).outcome).toBe('rejected'));
  await stop();
  expect(await bot.credits()).toBe(1000);
  expect(bot.levels()).toEqual([]);
});
