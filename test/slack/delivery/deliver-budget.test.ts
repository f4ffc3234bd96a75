import { expect, test } from 'vitest';
import type { OutboxRow } from '../../../src/core/core.ts';
import { deliver } from '../../../src/slack/delivery/deliver.ts';
import type { Message } from '../../../src/slack/ui/blocks.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';
import { aPerson } from '../../helpers/core-people.ts';
import { AT, labelsOf } from '../ui/samples.ts';

const reader = { team: 'T1', channelId: 'C1', person: 'UANA', to: 'UANA' };
const details = { ...reader, level: 100, limit: 10, used: 10, held: 0, renewsAt: AT };
const row = { id: 'budget:1', topic: 'budget', subject: '1', details, attempts: 0 } as unknown as OutboxRow;

/** Delivers the news at this moment. Resolves with what became of it, and what people read. */
async function deliverAt(now: number, { isAdmin = false } = {}) {
  const said: Message[] = [];
  const deps = {
    core: { now: () => now },
    access: { present: async () => aPerson({ id: 'UANA', isAdmin }) },
    replies: {
      async direct(_user: string, message: Message) {
        said.push(message);
        return { channel: 'D1', ts: '1' };
      },
    },
  } as unknown as SlackDeps;
  return { delivery: await deliver(deps, row), said };
}

test.each([
  [true, ['Limits']],
  [false, []],
])('the news of somebody’s own daily limit, if they are an admin (%j)', async (isAdmin, labels) => {
  const { delivery, said } = await deliverAt(AT - 1, { isAdmin });
  expect(delivery).toMatchObject({ kind: 'posted' });
  expect(said.map(labelsOf)).toEqual([labels]);
});

test('the news of a day that is over: nobody reads that their budget of today is used up', async () => {
  const { delivery, said } = await deliverAt(AT);
  expect(delivery).toMatchObject({ kind: 'dropped' });
  expect(said).toEqual([]);
});
