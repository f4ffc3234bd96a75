import { expect, test } from 'vitest';
import type { OutboxRow } from '../../../src/core/core.ts';
import type { LostRecord } from '../../../src/core/sends/lost-record.ts';
import { deliver } from '../../../src/slack/delivery/deliver.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';

/** What the sender reads if the database has lost a text or a list, and an answer to it comes. */
async function told(became: LostRecord['became']): Promise<string> {
  const details: LostRecord = { team: 'T1', channel: 'C1', by: 'UANA', became };
  const words: string[] = [];
  const replies = {
    direct: async (user: string, { text }: { text: string }) => {
      words.push(`${user}: ${text}`);
      return { channel: 'D1', ts: '1' };
    },
  };
  const row = { id: 'lost-record:s1', topic: 'lost_record', subject: 's1', details };
  await deliver({ replies } as unknown as SlackDeps, row as unknown as OutboxRow);
  return words.join();
}

test('the sender of a text whose record is lost reads what became of it, as far as the answer says so', async () => {
  expect(await told('sent')).toMatch(/^UANA: ⚠️ \*Sent, but its record is lost\*/);
  expect(await told('not_sent')).toMatch(/^UANA: ⛔ \*Not sent, and its record is lost\*/);
  expect(await told('unknown')).toMatch(/\*Unknown, and its record is lost\*.*<#C1>/);
  expect(await told('unknown_list')).toMatch(/\*Unknown, and its record is lost\* · a list/);
});
