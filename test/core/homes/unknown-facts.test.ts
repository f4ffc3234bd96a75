import { expect, test } from 'vitest';
import { createUnknownFacts } from '../../../src/core/homes/unknown-facts.ts';
import { ANA } from '../../helpers/core-people.ts';
import { confirmed, ended } from '../../helpers/core-sends.ts';
import { createCoreWorld, runLinked } from '../../helpers/core-world.ts';

const NONE = { singles: 0, inJobs: 0, newest: [], areMoreSingles: false, areMoreInJobs: false };

async function withUnknown(count: number) {
  const world = await createCoreWorld();
  const lists: string[] = [];
  const running = await runLinked(world, {
    prepare: ({ tap }) => {
      tap.intercept('undecided', (real) => (query) => {
        if (query.kind === 'single') lists.push(query.team);
        return real(query);
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

test('all Homes that ask within ten seconds share one list; a person who has just opened theirs gets a new one', async () => {
  const { core, world, ids, lists } = await withUnknown(2);
  const { homes } = core.forTeam('T1');
  const found = await homes.unknown(10_000);
  expect(found).toMatchObject({ singles: 2, inJobs: 0, newest: [{ id: ids[1] }, { id: ids[0] }] });
  expect(await homes.unknown(10_000)).toEqual(found);
  expect(await core.forTeam('T2').homes.unknown(10_000)).toEqual(NONE);
  expect(lists).toEqual(['T1', 'T2']);
  await homes.unknown(0);
  expect(lists).toHaveLength(3);
  world.time.jump('steady', 10_000);
  await homes.unknown(10_000);
  expect(lists).toEqual(['T1', 'T2', 'T1', 'T1']);
});

test('a text that was decided since the list was read is not shown, and not counted', async () => {
  const { core, ids } = await withUnknown(2);
  const { homes } = core.forTeam('T1');
  await homes.unknown(10_000);
  await core.sends.saySent(ids[1] as string, ANA);
  expect(await homes.unknown(10_000)).toMatchObject({ singles: 1, newest: [{ id: ids[0] }] });
});

test('a list that could not be read is asked for again', async () => {
  let isOut = true;
  const unknownOf = createUnknownFacts({
    ledger: {
      undecided: async () => {
        if (isOut) throw new Error('out of reach');
        return [];
      },
      findWithFirstChunk: async () => undefined,
      now: () => 0,
    },
    clock: { steady: () => 0 },
  });
  await expect(unknownOf('T1', 10_000)).rejects.toThrow('out of reach');
  isOut = false;
  expect(await unknownOf('T1', 10_000)).toEqual(NONE);
});

test('of more than a hundred, a hundred are counted and five looked up, however many there are', async () => {
  const asked: number[] = [];
  let lookedUp = 0;
  const unknownOf = createUnknownFacts({
    ledger: {
      undecided: async ({ limit }) => {
        asked.push(limit);
        return Array.from({ length: limit }, (_, n) => ({ ref: { send: `s${n}`, index: 0 }, messages: 3 }));
      },
      findWithFirstChunk: async () => {
        lookedUp += 1;
        return undefined;
      },
      now: () => 0,
    },
    clock: { steady: () => 0 },
  });
  const found = await unknownOf('T1', 10_000);
  expect(found).toEqual({
    newest: [],
    singles: 95,
    inJobs: 300,
    areMoreSingles: true,
    areMoreInJobs: true,
  });
  expect({ asked, lookedUp }).toEqual({ asked: [101, 101], lookedUp: 5 });
});
