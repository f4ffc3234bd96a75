import { aroundEach, describe, expect, test } from 'vitest';
import { withCopy } from '../../helpers/core-copy.ts';
import { ADMIN, ANA } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, eventually } from '../../helpers/core-sends.ts';
import { type CoreWorld, createCoreWorld, type Run, run, runLinked } from '../../helpers/core-world.ts';
import { asOneOfMany } from '../../helpers/side-by-side.ts';

aroundEach(asOneOfMany);

const CANCELLED = { state: 'stopped', outcome: 'cancelled' };
/** Longer than a text waits for its request, in ms. */
const TOO_LONG_MS = 11_000;

/** No bot of these worlds reads a balance until `clearFaults`. */
function noBalance({ service }: CoreWorld): void {
  service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
}

/** A bot with a text that waits until `go`. */
async function withWaitingText(world: CoreWorld) {
  let isHeld = true;
  const bot = await runLinked(world, {
    prepare({ tap }) {
      tap.intercept('take', (real) => async (request) => (isHeld ? { kind: 'idle' } : real(request)));
    },
  });
  const { id } = await confirmed(bot.core);
  const go = () => {
    isHeld = false;
  };
  return { ...bot, id, go };
}

/** A copy of the data in which a text waits, which the service took since. */
async function oldCopy(prepare: (first: Run & { id: string }) => Promise<void> = async () => {}) {
  const world = await createCoreWorld();
  const first = await withWaitingText(world);
  await prepare(first);
  const copy = withCopy(world);
  first.go();
  expect(await ended(first.core, first.id)).toMatchObject({ outcome: 'sent' });
  await first.stop();
  return { world, copy, id: first.id };
}

describe.concurrent('a text that waits in an old copy of the data, sent since the copy was made', () => {
  test('is not sent again, and says that it may have been sent', async () => {
    const { world, copy, id } = await oldCopy();
    const { core, stop } = await run(copy);
    await eventually(async () => expect(await core.sends.view(id)).toMatchObject(CANCELLED));
    await stop();
    expect(world.service.messages).toHaveLength(1);
  });

  test('says so, too, if the copy is so old that nobody expects the text any more', async () => {
    const { world, copy, id } = await oldCopy();
    world.time.advance(TOO_LONG_MS);
    const { core, stop } = await run(copy);
    await eventually(async () => expect(await core.sends.view(id)).toMatchObject(CANCELLED));
    await stop();
    expect(world.service.messages).toHaveLength(1);
  });

  test('waits while the balance can’t be read; a new one goes out; in the end it says so', async () => {
    const { world, copy, id } = await oldCopy();
    noBalance(world);
    const { core, stop } = await run(copy);
    expect(await ended(core, (await confirmed(core)).id)).toMatchObject({ outcome: 'sent' });
    world.time.advance(TOO_LONG_MS);
    const reads = world.balanceRequests().length;
    await eventually(() => expect(world.balanceRequests().length).toBeGreaterThan(reads));
    expect(await core.sends.view(id)).toMatchObject({ state: 'running', outcome: 'pending' });
    world.time.advance(world.limits.leaseMs);
    await eventually(async () => expect(await core.sends.view(id)).toMatchObject(CANCELLED));
    await stop();
    expect(world.service.messages).toHaveLength(2);
  });

  test('and a draft of that copy whose time is over does not say that nothing was sent', async () => {
    const world = await createCoreWorld();
    const first = await runLinked(world);
    const { id } = await drafted(first.core);
    const request = await drafted(first.core);
    await first.core.approvals.ask(request.id, ANA, null);
    const copy = withCopy(world);
    expect(await first.core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    await ended(first.core, id);
    await first.stop();
    world.time.advance(2 * 86_400_000);
    const { core } = await run(copy);
    for (const each of [id, request.id]) {
      await eventually(async () =>
        expect(await core.sends.view(each)).toMatchObject({ state: 'expired', mayBeSent: true }),
      );
    }
  });
});

describe.concurrent('after an ordinary restart, a text from before', () => {
  /** `prepare` runs while no bot does. */
  async function restarted(prepare: (world: CoreWorld) => void = () => {}, isShared = false) {
    const world = await createCoreWorld();
    const first = await withWaitingText(world);
    await first.core.refusals.setShared(first.instance, isShared, ADMIN.id);
    await first.stop();
    prepare(world);
    const reads = world.balanceRequests().length;
    const { core } = await run(world);
    return { world, core, id: first.id, reads: () => world.balanceRequests().length - reads };
  }

  test('goes out, after the poll’s look at the balance and one more at most', async () => {
    const { core, id, reads } = await restarted();
    expect(await ended(core, id)).toMatchObject({ outcome: 'sent' });
    expect(reads()).toBeLessThanOrEqual(2);
  });

  test('says that it was not sent, if it waited for too long', async () => {
    const { world, core, id } = await restarted(({ time }) => time.advance(TOO_LONG_MS));
    expect(await ended(core, id)).toMatchObject({ outcome: 'not_sent' });
    expect(world.service.messages).toEqual([]);
  });

  test('goes out if other programs use the key and its credits', async () => {
    const { core, id } = await restarted(({ service }) => service.setCredits(1, 900), true);
    expect(await ended(core, id)).toMatchObject({ outcome: 'sent' });
  });

  test('goes out as soon as the balance can be read', async () => {
    const { world, core, id } = await restarted(noBalance);
    const reads = world.balanceRequests().length;
    await eventually(() => expect(world.balanceRequests().length).toBeGreaterThan(reads + 1));
    expect(world.sendRequests()).toEqual([]);
    world.service.clearFaults();
    expect(await ended(core, id)).toMatchObject({ outcome: 'sent' });
  });
});
