import { expect, test } from 'vitest';
import { confirmed, drafted, ended } from '../../helpers/core-sends.ts';
import { createCoreWorld, runLinked } from '../../helpers/core-world.ts';

/** What the bot does once an answer is in the ledger. */

test('the figure in a refusal for lack of credits raises no balance, and is no baseline', async () => {
  const world = await createCoreWorld();
  const { core, ledger, instance, stop } = await runLinked(world);
  const figures = { required_credits: 6000, available_credits: 5000 };
  const error = { code: 'INSUFFICIENT_CREDITS', message: 'Too few', ...figures };
  const body = JSON.stringify({ success: false, error });
  world.service.addFault({ kind: 'answer', endpoint: 'send', when: 'before', status: 402, body });
  const { id } = await confirmed(core);
  expect(await ended(core, id)).toMatchObject({ outcome: 'rejected', result: { availableCredits: 5000 } });
  await stop();
  expect(await ledger.account(instance.accountId)).toMatchObject({ credits: 1000, booked: 1000 });
});

test('a text that cost nothing and has another status than "sent" teaches no price', async () => {
  const world = await createCoreWorld({
    sandbox: { switches: { status: 'failed', price: { per: 'message', credits: 0 } } },
  });
  const { core } = await runLinked(world);
  const { id } = await confirmed(core);
  expect(await ended(core, id)).toMatchObject({ outcome: 'sent', result: { otherStatus: 'failed' } });
  await core.stop();
  expect((await drafted(core)).details.estimate.credits).toBe(1);
});
