import { expect, test } from 'vitest';
import type { BudgetFigures } from '../../../src/core/budgets/budgets.ts';
import type { OutboxRow } from '../../../src/core/core.ts';
import { deliver } from '../../../src/slack/delivery/deliver.ts';
import type { Message } from '../../../src/slack/ui/blocks.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';
import { aPerson } from '../../helpers/core-people.ts';
import { AT, labelsOf } from '../ui/samples.ts';

const reader = { team: 'T1', channelId: 'C1', person: 'UANA', to: 'UANA' };
const news = { ...reader, level: 100, limit: 10, used: 4, held: 6, renewsAt: AT };

/** Delivers the news while the day stands like this. Resolves with what became of it, and what people read. */
async function delivered(
  day: Partial<BudgetFigures> = {},
  { isAdmin = false, details = news, isLinked = true } = {},
) {
  const said: Message[] = [];
  const row = { id: 'budget:1', topic: 'budget', subject: '1', details, attempts: 0 } as unknown as OutboxRow;
  const deps = {
    core: {
      links: {
        find: async () => (isLinked ? { link: { linkedBy: 'UBEN' } } : undefined),
        budgets: async (_link: unknown, by: string) => ({
          day: by === 'UANA' ? { used: 4, held: 6, limit: 10, renewsAt: AT, ...day } : undefined,
        }),
      },
    },
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
  const { delivery, said } = await delivered({}, { isAdmin });
  expect(delivery).toMatchObject({ kind: 'posted' });
  expect(said.map(labelsOf)).toEqual([labels]);
});

test('news that had to wait has the figures of its post', async () => {
  const { said } = await delivered({ used: 9, held: 2 });
  expect(said[0]?.text).toContain('9');
  expect(said[0]?.text).toContain('2 more are reserved');
});

test.each([
  ['of a day that is over', { renewsAt: AT + 1 }, true],
  ['of a limit that was changed', { limit: 20 }, true],
  ['of a limit that was taken away', { limit: undefined }, true],
  ['of a day that has room again', { used: 4, held: 0 }, true],
  ['of a channel that is not linked any more', {}, false],
])('nobody reads the news %s', async (_, day, isLinked) => {
  const { delivery, said } = await delivered(day as Partial<BudgetFigures>, { isLinked });
  expect(delivery).toMatchObject({ kind: 'dropped' });
  expect(said).toEqual([]);
});

test('nor that a limit of 0 is reached before anything was used', async () => {
  const { delivery } = await delivered({ used: 0, held: 0, limit: 0 }, { details: { ...news, limit: 0 } });
  expect(delivery).toMatchObject({ kind: 'dropped' });
});
