import { describe, expect, test } from 'vitest';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import type { Core } from '../../../src/core/core.ts';
import { remains } from '../../../src/core/history/remains.ts';
import { jobIn, startedJob } from '../../helpers/core-jobs.ts';
import { createGate } from '../../helpers/core-ledger.ts';
import { ANA } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, eventually, viewOf } from '../../helpers/core-sends.ts';
import {
  type CoreWorld,
  createCoreWorld,
  type Run,
  runLinked,
  saveLimits,
} from '../../helpers/core-world.ts';
import { listAll } from '../../ledger/ledger.contract.numbers.ts';

async function allowUndo(core: Core): Promise<void> {
  const linked = await core.links.find('T1', 'C-sales');
  if (!linked) throw new Error('the fixture has no link');
  await saveLimits(core, linked.link, { ...NO_LIMITS, undoSeconds: 10, listUndoSeconds: 10 });
}

/** Holds the first answer back from the ledger until the test opens the gate. */
function holdFirstAnswer({ tap }: Pick<Run, 'tap'>): () => void {
  const gate = createGate();
  let held = false;
  tap.intercept('settle', (real) => async (...settlement) => {
    if (held) return real(...settlement);
    held = true;
    await gate.pass();
    return real(...settlement);
  });
  return gate.open;
}

/** Once this many texts have arrived, the lease of their request ends. */
async function leaseOver(world: CoreWorld, arrived: number): Promise<void> {
  await eventually(() => expect(world.service.messages).toHaveLength(arrived));
  world.time.advance(world.limits.leaseMs);
}

/** A list of four is unknown, its answer is held back, and its resend waits for the undo time. */
async function resentList() {
  const world = await createCoreWorld();
  const bot = await runLinked(world, { bulk: { chunkSize: 100, minRecipients: 3 } });
  const { core } = bot;
  const answer = holdFirstAnswer(bot);
  const first = await startedJob(core, { count: 4 });
  await leaseOver(world, 4);
  await jobIn(core, first.id, 'finished');
  await allowUndo(core);
  const again = await eventually(async () => {
    const draft = await core.jobs.draftResend(first.id, ANA, null);
    if (draft.kind !== 'draft') throw new Error(draft.kind);
    return draft.preview.view;
  });
  expect(await core.jobs.confirm(again.id, ANA, null)).toMatchObject({ kind: 'running' });
  return { world, bot, core, answer, first, again };
}

describe('an unknown text is sent again, and the answer to the first one comes before that', () => {
  test('a text: nothing is sent again', async () => {
    const world = await createCoreWorld();
    const bot = await runLinked(world);
    const { core } = bot;
    const answer = holdFirstAnswer(bot);
    const first = await confirmed(core);
    await leaseOver(world, 1);
    expect(await ended(core, first.id)).toMatchObject({ outcome: 'unknown' });
    await allowUndo(core);
    const { id } = await drafted(core, { resends: { send: first.id, indexes: [0] } });
    await eventually(async () =>
      expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' }),
    );
    answer();
    await eventually(async () => expect((await viewOf(core, first.id)).outcome).toBe('sent'));
    world.time.advance(10_000);
    const again = await ended(core, id);
    expect(world.service.messages).toHaveLength(1);
    expect(again).toMatchObject({ outcome: 'not_sent' });
  });

  test('a text that was resent twice: nor is it sent a third time', async () => {
    const world = await createCoreWorld();
    const bot = await runLinked(world);
    const { core } = bot;
    const answer = holdFirstAnswer(bot);
    const resent = async (send: string) => {
      const { id } = await drafted(core, { resends: { send, indexes: [0] } });
      await eventually(async () =>
        expect(await core.sends.confirm(id, ANA, null)).toMatchObject({ kind: 'running' }),
      );
      return id;
    };
    const first = await confirmed(core);
    await leaseOver(world, 1);
    expect(await ended(core, first.id)).toMatchObject({ outcome: 'unknown' });
    world.service.addFault({ kind: 'reset', endpoint: 'send', when: 'after' });
    const second = await resent(first.id);
    expect(await ended(core, second)).toMatchObject({ outcome: 'unknown' });
    await allowUndo(core);
    world.time.advance(world.limits.leaseMs);
    const third = await resent(second);
    answer();
    await eventually(async () => expect((await viewOf(core, first.id)).outcome).toBe('sent'));
    world.time.advance(10_000);
    expect(await ended(core, third)).toMatchObject({ outcome: 'not_sent', barredFor: 'repeated' });
    expect(world.service.messages).toHaveLength(2);
  });

  test('a list: only texts that are still unknown', async () => {
    const { world, core, answer, first, again } = await resentList();
    answer();
    await eventually(async () => expect((await core.jobs.view(first.id))?.counts.sent).toBe(4));
    world.time.advance(10_000);
    await jobIn(core, again.id, 'finished');
    expect(world.service.messages).toHaveLength(4);
  });

  test('a list whose resend was paused until the words were forgotten: nothing is sent again', async () => {
    const { world, bot, core, answer, first, again } = await resentList();
    expect(await core.jobs.pause(again.id, ANA)).toMatchObject({ kind: 'done' });
    answer();
    await eventually(async () => expect((await core.jobs.view(first.id))?.counts.sent).toBe(4));
    await eventually(async () => {
      await listAll(bot.ledger);
      await bot.ledger.forgetEnded({ team: 'T1', endedBefore: bot.ledger.now(), remains });
      expect(await bot.ledger.chunks(first.id)).toMatchObject([{ state: 'sent', forgotten: true }]);
    });
    await core.jobs.resume(again.id, ANA);
    world.time.advance(10_000);
    expect((await jobIn(core, again.id, 'finished')).counts).toMatchObject({ repeated: 4, sent: 0 });
    expect(world.service.messages).toHaveLength(4);
  });
});

test('on an account that is never idle, a text may be sent again once its request can no longer arrive', async () => {
  const world = await createCoreWorld();
  const { core, tap } = await runLinked(world);
  // So answers a ledger whose account was busy during each look.
  tap.intercept('recordEvidence', () => async () => false);
  world.service.addFault({ kind: 'reset', endpoint: 'texts' });
  const { id } = await confirmed(core);
  const early = await ended(core, id);
  expect(early).toMatchObject({ outcome: 'unknown', resendableAt: expect.any(Number) });
  expect(early.mayResend).toBeUndefined();
  world.time.advance((early.resendableAt ?? 0) - world.time.now());
  const late = await viewOf(core, id);
  expect(late).toMatchObject({ outcome: 'unknown', mayResend: true });
  expect(late.evidence).toBeUndefined();
  await core.sends.saySent(id, ANA);
  expect(await viewOf(core, id)).not.toHaveProperty('mayResend');
});
