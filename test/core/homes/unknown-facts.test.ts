import { expect, test } from 'vitest';
import { createUnknownFacts } from '../../../src/core/homes/unknown-facts.ts';
import { ANA } from '../../helpers/core-people.ts';
import { confirmed, ended } from '../../helpers/core-sends.ts';
import { createCoreWorld, runLinked } from '../../helpers/core-world.ts';

async function withUnknown(count: number) {
  const world = await createCoreWorld();
  const lists: number[] = [];
  const running = await runLinked(world, {
    prepare: ({ tap }) => {
      tap.intercept('undecided', (real) => () => {
        lists.push(1);
        return real();
      });
    },
  });
  const { core } = running;
  world.service.addFault({ kind: 'reset', endpoint: 'send', times: 'always' });
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { id } = await confirmed(core);
    expect((await ended(core, id)).outcome).toBe('unknown');
    ids.push(id);
  }
  return { ...running, world, ids, lists };
}

test('all Homes that ask within ten seconds share one list; whoever has just opened theirs has a new one', async () => {
  const { core, world, ids, lists } = await withUnknown(2);
  const { homes } = core.forTeam('T1');
  const found = await homes.unknown(10_000);
  expect(found).toMatchObject({ singles: 2, inJobs: 0, newest: [{ id: ids[1] }, { id: ids[0] }] });
  expect(await homes.unknown(10_000)).toEqual(found);
  expect(await core.forTeam('T2').homes.unknown(10_000)).toEqual({ singles: 0, inJobs: 0, newest: [] });
  expect(lists).toHaveLength(1);
  await homes.unknown(0);
  expect(lists).toHaveLength(2);
  world.time.jump('steady', 10_000);
  await homes.unknown(10_000);
  expect(lists).toHaveLength(3);
});

test('a text that was decided since the list was read is not shown, and not counted', async () => {
  const { core, ids } = await withUnknown(2);
  const { homes } = core.forTeam('T1');
  await homes.unknown(10_000);
  await core.sends.saySent(ids[1] as string, ANA);
  expect(await homes.unknown(10_000)).toMatchObject({ singles: 1, newest: [{ id: ids[0] }] });
});

test('a list that could not be read is asked for again', async () => {
  const answers = [() => Promise.reject(new Error('out of reach')), async () => []];
  const unknownOf = createUnknownFacts({
    ledger: {
      undecided: () => (answers.shift() as () => Promise<never[]>)(),
      findWithFirstChunk: async () => undefined,
    },
    clock: { steady: () => 0 },
  });
  await expect(unknownOf('T1', 10_000)).rejects.toThrow('out of reach');
  expect(await unknownOf('T1', 10_000)).toEqual({ singles: 0, inJobs: 0, newest: [] });
});
