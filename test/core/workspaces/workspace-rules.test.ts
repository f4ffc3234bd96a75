import { expect, test } from 'vitest';
import { type ChosenRules, createWorkspaceRules } from '../../../src/core/workspaces/workspace-rules.ts';
import { boot, createCoreWorld } from '../../helpers/core-world.ts';

const LONDON: ChosenRules = { timeZone: 'Europe/London', whoMayOptOut: 'everyone' };

async function start() {
  const { records } = await boot(await createCoreWorld());
  return { records, rules: createWorkspaceRules(records, { listUndoMs: 0, repeatGuardMs: 0 }) };
}

test('changes that two admins make at once stay, each in their own form', async () => {
  const { rules } = await start();
  await rules.choose('T1', { ...LONDON, optOutText: 'STOP' }, 'U-one');
  const shown = { ...LONDON, optOutText: 'STOP' };
  await Promise.all([
    rules.choose('T1', { ...shown, timeZone: 'Asia/Tokyo' }, 'U-one', shown),
    rules.choose('T1', { ...LONDON, whoMayOptOut: 'admins' }, 'U-two', shown),
  ]);
  const now = await rules.of('T1');
  expect(now).toMatchObject({ timeZone: 'Asia/Tokyo', whoMayOptOut: 'admins', isTimeZoneChosen: true });
  expect(now).not.toHaveProperty('optOutText');
});

test('the first person who saves the form chooses a proposal, and nobody after that', async () => {
  const { records, rules } = await start();
  await rules.choose('T1', LONDON, 'U-one', LONDON);
  const tokyo: ChosenRules = { ...LONDON, timeZone: 'Asia/Tokyo' };
  await rules.choose('T1', tokyo, 'U-two', tokyo);
  expect((await rules.of('T1')).timeZone).toBe('Europe/London');
  // Earlier versions kept rules without a time zone.
  await records.workspaceRules.set('T2', { team: 'T2', whoMayOptOut: 'admins', by: 'U-old' });
  await rules.choose('T2', tokyo, 'U-two', tokyo);
  expect(await rules.of('T2')).toMatchObject({ timeZone: 'Asia/Tokyo', whoMayOptOut: 'admins' });
});
