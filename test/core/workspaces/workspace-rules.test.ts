import { expect, test } from 'vitest';
import { type ChosenRules, createWorkspaceRules } from '../../../src/core/workspaces/workspace-rules.ts';
import { boot, createCoreWorld } from '../../helpers/core-world.ts';

const LONDON: ChosenRules = { timeZone: 'Europe/London', whoMayOptOut: 'everyone' };

async function start() {
  const { records } = await boot(await createCoreWorld());
  const rules = createWorkspaceRules(records, { listUndoMs: 0, repeatGuardMs: 0 });
  const choose = (team: string, chosen: ChosenRules, by: string, shown?: ChosenRules) =>
    records.inOneStep(rules.choosing(team, { chosen, by, shown }));
  return { records, rules, choose };
}

test('of two admins who change the same rules at once, one changes them and the other hears that', async () => {
  const { rules, choose } = await start();
  const shown = { ...LONDON, optOutText: 'STOP' };
  await choose('T1', shown, 'U-one');
  const saved = await Promise.all([
    choose('T1', { ...shown, timeZone: 'Asia/Tokyo' }, 'U-one', shown),
    choose('T1', { ...LONDON, whoMayOptOut: 'admins' }, 'U-two', shown),
  ]);
  expect(saved).toEqual([true, false]);
  const tokyo = { ...shown, timeZone: 'Asia/Tokyo' };
  expect(await rules.of('T1')).toMatchObject({ ...tokyo, isTimeZoneChosen: true });
  // Whoever sees that a text was removed has changed it themselves.
  expect(await choose('T1', { ...LONDON, timeZone: 'Asia/Tokyo' }, 'U-two', tokyo)).toBe(true);
  expect(await rules.of('T1')).not.toHaveProperty('optOutText');
  expect(await choose('T1', LONDON, 'U-one', tokyo)).toBe(false);
});

test('the first person who saves the form chooses a proposal, and nobody after that', async () => {
  const { records, rules, choose } = await start();
  expect(await choose('T1', LONDON, 'U-one', LONDON)).toBe(true);
  const tokyo: ChosenRules = { ...LONDON, timeZone: 'Asia/Tokyo' };
  expect(await choose('T1', tokyo, 'U-two', tokyo)).toBe(false);
  expect((await rules.of('T1')).timeZone).toBe('Europe/London');
  // Earlier versions kept rules without a time zone.
  await records.workspaceRules.set('T2', { team: 'T2', whoMayOptOut: 'admins', by: 'U-old' });
  const proposed: ChosenRules = { ...tokyo, whoMayOptOut: 'admins' };
  expect(await choose('T2', tokyo, 'U-two', tokyo)).toBe(false);
  expect(await choose('T2', proposed, 'U-two', proposed)).toBe(true);
  expect(await rules.of('T2')).toMatchObject({ timeZone: 'Asia/Tokyo', whoMayOptOut: 'admins' });
});
