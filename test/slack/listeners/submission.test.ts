import { setTimeout } from 'node:timers/promises';
import type { View } from '@slack/types';
import { expect, test } from 'vitest';
import { answerInTime, type Submission } from '../../../src/slack/listeners/submission.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';

test('errors that come too late for their fields are shown as they are: a name in them mentions nobody', async () => {
  const shown: View[] = [];
  const deps = {
    access: { person: async () => ({}) },
    web: { views: { update: async ({ view }: { view: View }) => void shown.push(view) } },
  } as unknown as SlackDeps;
  const form = {
    ack: async () => undefined,
    body: { user: { id: 'UANA' } },
    view: { id: 'V1', title: { text: 'Import' } },
  } as unknown as Submission;
  const errors = { csv_file: 'The file needs a column called phone; it has: <!channel>, a & b' };
  await answerInTime(deps, form, () => setTimeout(2100, { errors }));
  expect(JSON.stringify(shown)).toContain('it has: &lt;!channel&gt;, a &amp; b');
});
