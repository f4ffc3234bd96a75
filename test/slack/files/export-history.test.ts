import { expect, test, vi } from 'vitest';
import { exportHistory } from '../../../src/slack/files/export-history.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';

const PERSON = { id: 'UANA', team: 'T1', isAdmin: true, isGuest: false, isOutsider: false };

vi.mock('../../../src/slack/files/history-csv.ts', () => ({
  async *historyFiles() {
    for (let part = 1; part <= 3; part += 1) {
      yield { part, name: `history-${part}.csv`, bytes: Buffer.from(''), rows: 50_000, isLast: part === 3 };
    }
  },
}));

test('a right that is withdrawn while a long history is exported ends the export: no further file is sent', async () => {
  const files: string[] = [];
  const said: string[] = [];
  const log = { info() {}, warn() {}, error: (said: unknown) => expect.fail(String(said)) };
  const deps = {
    log,
    access: { timeZone: async () => 'UTC', name: async () => 'Ana' },
    replies: { direct: async () => ({ channel: 'D1', ts: '1' }) },
    web: { chat: { update: async ({ text }: { text: string }) => void said.push(text) } },
    files: { toPerson: async (_user: string, { name }: { name: string }) => void files.push(name) },
    core: { history: { lines: () => undefined } },
  } as unknown as SlackDeps;
  await exportHistory(deps, PERSON, { person: PERSON, filter: {} }, async () => files.length < 2);
  expect(files).toEqual(['history-1.csv', 'history-2.csv']);
  expect(said.at(-1)).toMatch(/The export stopped.*You have 2 files/);
});
