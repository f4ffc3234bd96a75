import { expect, test } from 'vitest';
import type { OutboxRow } from '../../../src/core/core.ts';
import { deliver } from '../../../src/slack/delivery/deliver.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';

test('a message of a later version, for which this one has no words, waits for a bot that has them', async () => {
  const row: OutboxRow = {
    id: 'quiet_hours:C1',
    topic: 'quiet_hours',
    subject: 'C1',
    details: { team: 'T1' },
    attempts: 0,
    since: 0,
    areMore: false,
  };
  expect(await deliver({} as SlackDeps, row)).toEqual({ kind: 'refused', why: 'no words for quiet_hours' });
});
