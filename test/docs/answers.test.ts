import { describe, expect, it } from 'vitest';
import { settlementOf } from '../../src/core/dispatch/settlement.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import type { LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import { read, rowsBelow } from '../helpers/documents.ts';
import { aChunk, aSend, MESSAGES } from './samples.ts';

const page = read('docs/architecture.md');

describe('the meaning of each answer', () => {
  const words = { code: 'CODE', message: 'Words.' };
  const refused = (reason: 'key' | 'credits' | 'validation' | 'other') =>
    ({ outcome: 'refused', status: 400, reason, ...words }) as const;
  const accepted = (listed: LedgerMessage[]) => ({
    outcome: 'accepted' as const,
    data: {
      messages_sent: listed.length,
      credits_used: listed.length,
      credits_remaining: 8,
      messages: listed.map(({ phone }, index) => ({ message_id: index, phone, status: 'sent' })),
    },
  });
  const others = {
    '`refused` key': { ...refused('key'), code: 'INVALID_API_KEY' },
    '`refused` key in other words': refused('key'),
    '`refused` credits': refused('credits'),
    '`refused` validation': refused('validation'),
    '`refused` other': refused('other'),
    '`rate_limited`': { outcome: 'rate_limited' },
    '`rate_limited` thrice': { outcome: 'rate_limited' },
    '`not_started`': { outcome: 'not_started', cause: 'refused' },
    '`unknown`': { outcome: 'unknown', cause: 'timeout' },
    '`forbidden`': { outcome: 'forbidden', code: 'text_empty' },
  } as const;
  const rows = rowsBelow(page, '## What each answer means');

  /** A settlement in the words of the table. */
  function inWords(settlement: Settlement): string {
    const to = settlement.to === 'resolved_per_message' ? 'split' : settlement.to.replace('_', ' ');
    return 'pause' in settlement && settlement.pause !== undefined ? `${to}, job pauses` : to;
  }

  it('names every outcome', () => {
    expect(rows.map(([, name]) => name).sort()).toEqual(
      ['`accepted`', '`accepted` in part', ...Object.keys(others)].sort(),
    );
  });

  it.each(rows)('%s', (_answer, name = '', ...means) => {
    const refusals = name.endsWith('thrice') ? 2 : 0;
    const whole = aChunk({ refusals });
    const alone = aChunk({ refusals, messages: MESSAGES.slice(0, 1) });
    const outcome = others[name as keyof typeof others];
    const sent = { message_id: 1, status: 'sent', credits_used: 1, credits_remaining: 8, sent_at: '' };
    const single = settlementOf(
      outcome ?? { outcome: 'accepted', data: sent },
      { send: aSend({ kind: 'single', decidedAt: 0 }), chunk: alone, retryMs: 1000 },
      { refusalMode: 'unproven', now: 0 },
    );
    const send = aSend({ kind: 'job' });
    const ofJob = [alone, whole, whole].map((chunk, index) => {
      const listed = name === '`accepted` in part' ? chunk.messages.slice(1) : chunk.messages;
      const refusalMode = index === 2 ? 'atomic' : 'unproven';
      const attempt = { send, chunk, retryMs: 1000 };
      return settlementOf(outcome ?? accepted(listed), attempt, { refusalMode, now: 0 });
    });
    const found = [single, ...ofJob].map(inWords);
    // The service can't accept a part of one message.
    expect(means).toEqual(name === '`accepted` in part' ? ['–', '–', ...found.slice(2)] : found);
  });
});
