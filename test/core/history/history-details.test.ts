import { expect, test } from 'vitest';
import type { HistoryDetails } from '../../../src/core/history/history-details.ts';
import { ADMIN, ANA, BEN } from '../../helpers/core-people.ts';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import { createCoreWorld, type Run, runLinked } from '../../helpers/core-world.ts';

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
    ...{ channel: 'C-sales', person: ANA, text: 'Not yet', reply: null },
    number: { kind: 'number', e164: '+442079460958', digits: '442079460958', country: 'GB' },
  });
  expect(draft.kind === 'draft' && (await detailsOf(running, draft.view.id))).toBeUndefined();
});

test('a text that was sent again names the other one, both ways', async () => {
  const world = await createCoreWorld();
  world.service.addFault({ kind: 'reset', endpoint: 'send', when: 'before' });
  const running = await runLinked(world);
  const { core } = running;
  const first = await confirmed(core);
  await ended(core, first.id);
  const resends = { send: first.id, indexes: [0] };
  // Not before the first one's deadline.
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
