import { expect, test } from 'vitest';
import { createRights } from '../../../src/slack/people/rights.ts';
import { ADMIN, ANA, aPerson, BEN } from '../../helpers/core-people.ts';
import { createCoreWorld, runLinked } from '../../helpers/core-world.ts';

/** Answers to people who act in a channel. Ben is in #sales, too. */
async function asker() {
  const { core } = await runLinked(await createCoreWorld());
  const team = core.forTeam('T1');
  const conversations = {
    hasMember: async (channel: string) => channel === 'C-sales',
    sendableBy: async ({ id }: { id: string }) => (id === BEN.id ? [{ id: 'C-sales', name: 'sales' }] : []),
  };
  const access = { again: async (person: typeof ANA) => person };
  const rights = createRights({ core: team, conversations, access });
  return {
    team,
    refused: async (...[person, channel]: [typeof ANA, string]) =>
      (await rights.optOutRefusal(person, channel))?.text,
  };
}

test('everybody who may send from here, or from another of their channels, may change opt-outs', async () => {
  const { refused } = await asker();
  expect(await refused(ANA, 'C-sales')).toBeUndefined();
  expect(await refused(BEN, 'C-elsewhere')).toBeUndefined();
  expect(await refused(ADMIN, 'C-elsewhere')).toBeUndefined();
  expect(await refused(ANA, 'C-elsewhere')).toContain('a channel that you may send from');
  expect(await refused(aPerson({ id: 'U-guest', isGuest: true }), 'C-sales')).toContain(
    'a channel that you may send from',
  );
});

test('only admins may, where they chose that', async () => {
  const { team, refused } = await asker();
  await team.rules.choose({ timeZone: 'UTC', whoMayOptOut: 'admins' }, ADMIN.id);
  expect(await refused(ANA, 'C-sales')).toContain('Only admins can change opt-outs');
  expect(await refused(ADMIN, 'C-sales')).toBeUndefined();
});
