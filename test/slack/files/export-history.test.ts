import { expect, test, vi } from 'vitest';
import { exportHistory } from '../../../src/slack/files/export-history.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';

const PERSON = { id: 'UANA', team: 'T1', isAdmin: true, isGuest: false, isOutsider: false };

vi.mock('../../../src/slack/files/history-file.ts', () => ({
  async *historyFiles(_lines: unknown, { onRows }: { onRows(rows: number): void }) {
    for (let part = 1; part <= 3; part += 1) {
      onRows(50_000);
      yield { part, name: `history-${part}.csv`, bytes: Buffer.from(''), rows: 50_000, isLast: part === 3 };
    }
  },
}));

/** A Slack that notes the export's files and direct messages. `update` gets each change of the message. */
function fakeSlack(update: (text: string) => void) {
  const files: string[] = [];
  const said: string[] = [];
  const log = { info() {}, warn() {}, error: (said: unknown) => expect.fail(String(said)) };
  const deps = {
    log,
    access: { timeZone: async () => 'UTC', name: async () => 'Ana' },
    replies: {
      async direct(_user: string, { text }: { text: string }) {
        said.push(text);
        return { channel: 'D1', ts: '1' };
      },
    },
    web: { chat: { update: async ({ text }: { text: string }) => update(text) } },
    files: { toPerson: async (_user: string, { name }: { name: string }) => void files.push(name) },
    core: { history: { lines: () => undefined } },
  } as unknown as SlackDeps;
  return { deps, files, said };
}

test('if Slack refuses to change its message, the counting stops: a new message says the end', async () => {
  const { deps, files, said } = fakeSlack(() => {
    throw new Error('ratelimited');
  });
  await exportHistory(deps, { person: PERSON, filter: {} }, async () => true);
  expect(files).toHaveLength(3);
  expect(said).toEqual([
    expect.stringMatching(/so far/),
    expect.stringMatching(/\*The history is exported\*: .* in 3 files/),
  ]);
});

test('if a right is withdrawn while a long history is exported, the export ends: no further file is sent', async () => {
  const last: string[] = [];
  const { deps, files } = fakeSlack((text) => void last.push(text));
  await exportHistory(deps, { person: PERSON, filter: {} }, async () => files.length < 2);
  expect(files).toEqual(['history-1.csv', 'history-2.csv']);
  expect(last.at(-1)).toMatch(/The export stopped.*You got 2 files/);
});
