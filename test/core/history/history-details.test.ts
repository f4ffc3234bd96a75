import { expect, test } from 'vitest';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import type { HistoryDetails } from '../../../src/core/history/history-details.ts';
import type { HistoryFilter } from '../../../src/core/history/history-query.ts';
import { startedJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA, BEN } from '../../helpers/core-people.ts';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import { createCoreWorld, type Run, runLinked, saveLimits } from '../../helpers/core-world.ts';

function detailsOf({ core }: Run, id: string, person = ANA, channel: string | undefined = 'C-sales') {
  return core.forTeam('T1').history.details({ person, channel }, id);
}

const idsIn = (details: HistoryDetails | undefined) => details?.chain.map(({ id }) => id);

test('details are of their own channel and workspace, with the number as the reader may see it', async () => {
  const world = await createCoreWorld();
  const running = await runLinked(world);
  const { core } = running;
  const { id } = await confirmed(core);
  await ended(core, id);
  const own = await detailsOf(running, id);
  expect(own).toMatchObject({ kind: 'single', number: '+44 20 7946 0958', isWhole: true, chain: [] });
  expect(own).toMatchObject({ view: { outcome: 'sent', text: 'Hello from the warehouse' } });
  expect(await detailsOf(running, id, BEN)).toMatchObject({ number: '···0958', isWhole: false });
  expect(await detailsOf(running, id, ADMIN)).toMatchObject({ isWhole: true });
  expect(await detailsOf(running, id, ANA, 'C-other')).toBeUndefined();
  expect(await detailsOf(running, 'nope')).toBeUndefined();
  expect(await core.forTeam('T1').history.details({ person: ADMIN }, id)).toBeDefined();
  const elsewhere = { person: { ...ADMIN, team: 'T2' } };
  expect(await core.forTeam('T2').history.details(elsewhere, id)).toBeUndefined();
  const draft = await core.sends.draft({
    channel: 'C-sales',
    person: ANA,
    text: 'Not yet',
    reply: null,
    number: { kind: 'number', e164: '+442079460958', digits: '442079460958', country: 'GB' },
  });
  expect(draft.kind === 'draft' && (await detailsOf(running, draft.view.id))).toBeUndefined();
});

test('a text that was sent again names its resend, and the resend names the text', async () => {
  const world = await createCoreWorld();
  world.service.addFault({ kind: 'reset', endpoint: 'send', when: 'before' });
  const running = await runLinked(world);
  const { core } = running;
  const first = await confirmed(core);
  await ended(core, first.id);
  const resends = { send: first.id, indexes: [0] };
  // A resend must wait for the first text's deadline.
  world.time.advance(world.limits.leaseMs);
  const again = await eventually(() => confirmed(core, { resends }));
  await ended(core, again.id);
  for (const id of [first.id, again.id]) {
    const details = await detailsOf(running, id);
    expect(idsIn(details)).toEqual([first.id, again.id]);
    expect(details?.chain.map(({ counts }) => [counts.unknown, counts.sent])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  }
});

test('an undone text is in the history as not sent, with its number until that is forgotten, and costs nothing', async () => {
  const world = await createCoreWorld();
  const running = await runLinked(world, { listUndoMs: 10_000 });
  const { core, ledger } = running;
  const linked = await core.links.find('T1', 'C-sales');
  if (!linked) throw new Error('the fixture has no link');
  await saveLimits(core, linked.link, { ...NO_LIMITS, undoSeconds: 10 });
  const text = await confirmed(core);
  const list = await startedJob(core);
  await core.sends.undo(text.id, ANA);
  await core.jobs.undo(list.id, BEN);
  const { history } = core.forTeam('T1');
  const asked = (filter: HistoryFilter = {}, person = ANA) => ({ channel: 'C-sales', filter, person });
  const rowsFor = async (...how: Parameters<typeof asked>) =>
    new Map((await history.page(asked(...how))).rows.map((row) => [row.id, row]));
  const rows = await rowsFor();
  expect(rows.get(text.id)).toMatchObject({ outcome: 'undone', number: '+44 20 7946 0958', credits: 0 });
  expect(rows.get(list.id)).toMatchObject({ counts: { undone: 10, not_sent: 0, sent: 0 }, total: 10 });
  expect((await rowsFor({}, BEN)).get(text.id)).toMatchObject({ number: '···0958' });
  expect([...(await rowsFor({ outcome: 'undone' })).keys()].sort()).toEqual([text.id, list.id].sort());
  expect((await rowsFor({ outcome: 'not_sent' })).size).toBe(0);
  expect([...(await rowsFor({ e164: '+442079460958' })).keys()]).toEqual([text.id]);
  const lines = (await Array.fromAsync(history.lines(asked()))).flat();
  const result = { state: 'not_sent', barredFor: 'undone' };
  expect(lines.map((line) => ({ send: line.send, result: line.result }))).toEqual(
    expect.arrayContaining([
      { send: text.id, result: { ...result, e164: '+442079460958' } },
      { send: list.id, result: { ...result, e164: '' } },
    ]),
  );
  expect(lines).toHaveLength(2);
  expect(await detailsOf(running, text.id)).toMatchObject({
    view: { undoneBy: ANA.id, barredFor: 'undone' },
  });
  expect(await detailsOf(running, list.id)).toMatchObject({ kind: 'job', view: { undoneBy: BEN.id } });
  world.time.advance(1_800_000);
  await ledger.recover();
  expect((await rowsFor()).get(text.id)).toMatchObject({ outcome: 'undone', number: undefined });
  expect((await rowsFor()).get(list.id)).toMatchObject({ total: 10 });
});
