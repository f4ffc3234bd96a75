import { setTimeout } from 'node:timers/promises';
import type { View } from '@slack/types';
import { WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { answered, type Submission } from '../../../src/slack/listeners/submission.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';

const FORM = {
  ack: async () => undefined,
  body: { user: { id: 'UANA' } },
  view: { id: 'V1', title: { text: 'Import' } },
  metadata: { to: { channel: 'C1' } },
} as unknown as Submission;

test.concurrent('errors that come too late for their fields are shown as they are: a name in them mentions nobody', async () => {
  const shown: View[] = [];
  const deps = {
    web: { views: { update: async ({ view }: { view: View }) => void shown.push(view) } },
  } as unknown as SlackDeps;
  const errors = { csv_file: 'The file needs a column called phone; it has: <!channel>, a & b' };
  await answered(() => setTimeout(2100, { errors }))(deps, FORM);
  expect(JSON.stringify(shown)).toContain('it has: &lt;!channel&gt;, a &amp; b');
});

test.concurrent.each([
  ['of more than three seconds', 3300],
  ['that ends before the waiting view was changed', 2100],
])(
  'a late result that Slack shows without an answer does not come again over a newer view: work %s',
  async (_what, ms) => {
    const hashes: (string | undefined)[] = [];
    async function update({ hash }: { hash?: string }) {
      hashes.push(hash);
      if (hashes.length === 1) return { view: { hash: 'of-the-waiting-view' } };
      if (hashes.length === 2) throw new Error('the answer is lost');
      throw new WebAPIPlatformError({ ok: false, error: 'hash_conflict' });
    }
    const deps = {
      web: { views: { update } },
      // Whoever reads the result in the form gets no message with it.
      replies: { direct: () => expect.unreachable() },
    } as unknown as SlackDeps;
    await answered(() => setTimeout(ms, { notice: 'Saved.' }))(deps, FORM);
    expect(hashes).toEqual([undefined, undefined, 'of-the-waiting-view']);
  },
);
