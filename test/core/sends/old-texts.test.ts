import { aroundEach, describe, expect, test } from 'vitest';
import { withCopy } from '../../helpers/core-copy.ts';
import { ADMIN, ANA } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, eventually } from '../../helpers/core-sends.ts';
import {
  ACME_KEY,
  ACME_KEY_TOO,
  addInstance,
  type CoreWorld,
  createCoreWorld,
  linkTo,
  type Run,
  run,
  runLinked,
} from '../../helpers/core-world.ts';
import { asOneOfMany } from '../../helpers/side-by-side.ts';

aroundEach(asOneOfMany);

const CANCELLED = { state: 'stopped', outcome: 'cancelled' };
/** Longer than a text waits for its request, in ms. */
const TOO_LONG_MS = 11_000;
const DUTIES_EVERY_MS = 1500;
const TWO_DAYS_MS = 2 * 86_400_000;
/** Longer than an old text waits for a comparison of the books, beyond a lease, in ms. */
const BEYOND_LEASE_MS = 5000;

/** No bot of these worlds reads a balance until `clearFaults`. `skip`: how many reads get an answer before. */
function noBalance({ service }: CoreWorld, { skip = 0 } = {}): void {
  service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always', skip });
}

/** Starts a bot whose polls read no balance: only work from before the start does. */
function runWithoutPolls(world: CoreWorld): Promise<Run> {
  return run(world, {
    prepare({ tap }) {
      tap.intercept(
        'firstTime',
        (real) => async (key, ttlMs) => !key.startsWith('poll:') && real(key, ttlMs),
      );
    },
  });
}

/** A bot whose texts wait until `go`, with one such text. */
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
async function oldCopy(world: CoreWorld) {
  const first = await withWaitingText(world);
  const copy = withCopy(world);
  first.go();
  expect(await ended(first.core, first.id)).toMatchObject({ outcome: 'sent' });
  await first.stop();
  return { world, copy, id: first.id };
}

describe.concurrent('a text that waits in an old copy of the data, sent since the copy was made', () => {
  test.each([
    ['', 0],
    [', though nobody expects it any more', TOO_LONG_MS],
    [', though the clock was set back since', -60_000],
  ])('is not sent again, and says that it may have been sent%s', async (_when, laterMs) => {
    const { world, copy, id } = await oldCopy(await createCoreWorld());
    world.time.advance(laterMs);
    const { core, stop } = await runWithoutPolls(copy);
    await eventually(async () => expect(await core.sends.view(id)).toMatchObject(CANCELLED));
    await stop();
    expect(world.service.messages).toHaveLength(1);
  });

  test('nor if no balance was known when the copy was made; a new one goes out', async () => {
    const world = await createCoreWorld();
    // Linking takes one.
    noBalance(world, { skip: 1 });
    const { copy, id } = await oldCopy(world);
    const { core, stop } = await runWithoutPolls(copy);
    const fresh = await confirmed(core);
    expect(await core.sends.view(id)).toMatchObject({ outcome: 'pending' });
    expect(await ended(core, fresh.id)).toMatchObject({ outcome: 'sent' });
    world.service.clearFaults();
    world.time.jump('steady', 5000);
    await eventually(async () => expect(await core.sends.view(id)).toMatchObject(CANCELLED));
    await stop();
    expect(world.service.messages).toHaveLength(2);
  });

  test('waits while the balance can’t be read, and takes few permits; in the end it says so', async () => {
    const { world, copy, id } = await oldCopy(await createCoreWorld());
    noBalance(world);
    const before = world.balanceRequests().length;
    const { core, stop } = await runWithoutPolls(copy);
    expect(await ended(core, (await confirmed(core)).id)).toMatchObject({ outcome: 'sent' });
    world.time.advance(TOO_LONG_MS);
    let rounds = 0;
    world.time.duringSleepOf(DUTIES_EVERY_MS, () => {
      rounds += 1;
    });
    await eventually(() => expect(rounds).toBeGreaterThan(5));
    // One read, with its two repeats.
    expect(world.balanceRequests().length - before).toBeLessThanOrEqual(3);
    expect(await core.sends.view(id)).toMatchObject({ state: 'running', outcome: 'pending' });
    world.time.jump('steady', world.limits.leaseMs + BEYOND_LEASE_MS);
    await eventually(async () => expect(await core.sends.view(id)).toMatchObject(CANCELLED));
    await stop();
    expect(world.service.messages).toHaveLength(2);
  });

  test('and Undo does not say that nothing was sent', async () => {
    const { world, copy, id } = await oldCopy(await createCoreWorld());
    noBalance(world);
    const { core } = await runWithoutPolls(copy);
    expect(await core.sends.undo(id, ANA)).toMatchObject({ kind: 'too_late', view: CANCELLED });
  });
});

describe.concurrent('a draft of an old copy whose time is over, sent since the copy was made', () => {
  /** `over`: what people do with the draft and the request. */
  async function overdue(over: (old: Run, draft: string) => Promise<unknown>) {
    const world = await createCoreWorld();
    const first = await runLinked(world);
    const { id } = await drafted(first.core);
    const request = await drafted(first.core);
    await first.core.approvals.ask(request.id, ANA, null);
    const copy = withCopy(world);
    expect(await first.core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' });
    await ended(first.core, id);
    await first.stop();
    world.time.advance(TWO_DAYS_MS);
    noBalance(world);
    const old = await runWithoutPolls(copy);
    await over(old, id);
    for (const each of [id, request.id]) {
      await eventually(async () =>
        expect(await old.core.sends.view(each)).toMatchObject({ state: 'expired', mayBeSent: true }),
      );
    }
  }

  test('does not say that nothing was sent, nor does a request', () =>
    overdue(async ({ service }) => service.clearFaults()));

  test('nor if nobody can compare the books for too long', () =>
    overdue(async ({ core, time, limits }, draft) => {
      await time.clock.sleep(5000);
      expect(await core.sends.view(draft)).toMatchObject({ state: 'draft' });
      time.jump('steady', limits.leaseMs + BEYOND_LEASE_MS);
    }));

  test('nor if somebody asks for approval just then', () =>
    overdue(async ({ core, service }, draft) => {
      expect(await core.approvals.ask(draft, ANA, null)).toMatchObject({ kind: 'too_late' });
      service.clearFaults();
    }));
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
    const { core } = await runWithoutPolls(world);
    return { world, core, id: first.id, reads: () => world.balanceRequests().length - reads };
  }

  test('goes out, after one look at the balance', async () => {
    const { core, id, reads } = await restarted();
    expect(await ended(core, id)).toMatchObject({ outcome: 'sent' });
    expect(reads()).toBe(1);
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

  test('goes out once the balance can be read', async () => {
    const { world, core, id, reads } = await restarted(noBalance);
    await eventually(() => expect(reads()).toBeGreaterThan(0));
    expect(world.sendRequests()).toEqual([]);
    world.service.clearFaults();
    world.time.jump('steady', 5000);
    expect(await ended(core, id)).toMatchObject({ outcome: 'sent' });
  });

  test.each([ACME_KEY, ACME_KEY_TOO])('goes out though the account’s key %s is refused', async (refused) => {
    const world = await createCoreWorld();
    const first = await withWaitingText(world);
    const other = await addInstance(first.core, ACME_KEY_TOO, 'Acme too');
    await linkTo(first.core, other, {}, 'C-other');
    const { id } = await confirmed(first.core, { channel: 'C-other' });
    await first.stop();
    world.service.revokeKey(refused);
    const { core } = await runWithoutPolls(world);
    const working = refused === ACME_KEY ? id : first.id;
    expect(await ended(core, working)).toMatchObject({ outcome: 'sent' });
  });

  test('stays if another, newer text is there when credits are found missing: only the older one is cancelled', async () => {
    const world = await createCoreWorld();
    const first = await withWaitingText(world);
    await first.stop();
    world.service.setCredits(1, 900);
    noBalance(world);
    const { core } = await run(world, {
      prepare({ tap }) {
        tap.intercept(
          'firstTime',
          (real) => async (key, ttlMs) => !key.startsWith('poll:') && real(key, ttlMs),
        );
        tap.intercept('take', () => async () => ({ kind: 'idle' }));
      },
    });
    const fresh = await confirmed(core);
    world.service.clearFaults();
    world.time.jump('steady', 5000);
    await eventually(async () => expect(await core.sends.view(first.id)).toMatchObject(CANCELLED));
    expect(await core.sends.view(fresh.id)).toMatchObject({ state: 'running', outcome: 'pending' });
  });
});
