import { describe, expect, test } from 'vitest';
import type { Workspace } from '../../src/records/schema.ts';
import type { Boot } from '../helpers/core-world.ts';
import { ENGINES } from '../helpers/two-bots.ts';

const aWorkspace = (team: string, firstSeenAt = 0): Workspace => ({
  team,
  name: ':rocket: Ünï',
  botUserId: 'UBOT',
  firstSeenAt,
});

/** Counts one up in a record, in one step. */
function countUp({ records: { workspaces, inOneStep } }: Boot): Promise<void> {
  return inOneStep(async (step) => {
    const { firstSeenAt } = (await step.get(workspaces, 'A1')) ?? aWorkspace('A1');
    step.set(workspaces, 'A1', aWorkspace('A1', firstSeenAt + 1));
  });
}

describe.each(ENGINES)('records on $engine, changed in one step', ({ open }) => {
  test('by two bots at once: no change is lost', async () => {
    const { one, other } = await open();
    await Promise.all(Array.from({ length: 40 }, (_, i) => countUp(i % 2 ? one : other)));
    expect(await one.records.workspaces.get('A1')).toEqual(aWorkspace('A1', 40));
  });

  test('are written and deleted together, if nobody has changed what the step read', async () => {
    const { one, other } = await open();
    const { workspaces, inOneStep } = one.records;
    for (const team of ['A1', 'A2']) await workspaces.set(team, aWorkspace(team));
    const seen: unknown[] = [];
    await inOneStep(async (step) => {
      seen.push(await step.get(workspaces, 'A1'), await step.get(workspaces, 'A3'));
      if (seen.length === 2) await other.records.workspaces.set('A3', aWorkspace('A3'));
      step.delete(workspaces, 'A1');
      step.set(workspaces, 'A2', aWorkspace('A2', 7));
      if (seen.length === 2) expect(await workspaces.get('A1')).toBeDefined();
    });
    expect(seen).toEqual([aWorkspace('A1'), undefined, aWorkspace('A1'), aWorkspace('A3')]);
    const left = await other.records.workspaces.getMany(['A1', 'A2', 'A3']);
    expect(left).toEqual([aWorkspace('A2', 7), aWorkspace('A3')]);
  });

  test('stay as they are if the step fails', async () => {
    const { one } = await open();
    const { workspaces, inOneStep } = one.records;
    const failing = inOneStep(async (step) => {
      step.set(workspaces, 'A1', aWorkspace('A1'));
      throw new Error('no more');
    });
    await expect(failing).rejects.toThrow('no more');
    expect(await workspaces.get('A1')).toBeUndefined();
  });
});
