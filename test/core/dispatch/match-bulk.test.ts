import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settleAccepted } from '../../../src/core/dispatch/match-bulk.ts';
import type { LedgerMessage } from '../../../src/ledger/model/chunk-record.ts';
import type { BulkResult } from '../../../src/sms/schema.ts';

const message = (last: number): LedgerMessage => ({
  phone: `4420794609${10 + last}`,
  text: 'Hello',
  row: last,
});
const MESSAGES = [0, 1, 2, 3].map(message);

function answer(
  entries: { phone: string; status?: string }[],
  { sent = entries.length, used = entries.length }: { sent?: number; used?: number } = {},
): BulkResult {
  return {
    messages_sent: sent,
    credits_used: used,
    credits_remaining: 96,
    messages: entries.map(({ phone, status = 'sent' }, index) => ({
      message_id: 100 + index,
      phone,
      status,
    })),
  };
}

describe('an accepted bulk request', () => {
  test('as documented is sent as a whole, with its ids in order', () => {
    expect(settleAccepted(MESSAGES, answer(MESSAGES))).toEqual({
      to: 'sent',
      request: 'answered',
      receipt: { creditsUsed: 4, creditsRemaining: 96 },
      result: { cause: 'accepted', messageIds: [100, 101, 102, 103], creditsUsed: 4 },
    });
  });

  test('with a plus before the numbers is the same', () => {
    const listed = MESSAGES.map(({ phone }) => ({ phone: `+${phone}` }));
    expect(settleAccepted(MESSAGES, answer(listed)).to).toBe('sent');
  });

  test('in another order is matched by number', () => {
    expect(settleAccepted(MESSAGES, answer(MESSAGES.toReversed()))).toMatchObject({
      to: 'sent',
      result: { messageIds: [103, 102, 101, 100] },
    });
  });

  test('that leaves one out makes that one unknown, and says whose the credits are', () => {
    const listed = MESSAGES.filter((_, index) => index !== 1);
    expect(settleAccepted(MESSAGES, answer(listed))).toMatchObject({
      to: 'resolved_per_message',
      receipt: { creditsUsed: 3 },
      parts: [
        {
          state: 'sent',
          messages: [message(0), message(2), message(3)],
          result: { cause: 'accepted', messageIds: [100, 101, 102], creditsUsed: 3 },
        },
        {
          state: 'unknown',
          messages: [message(1)],
          result: { cause: 'not_listed' },
          evidence: { verdict: 'none' },
        },
      ],
    });
  });

  test('that leaves one out but counts it does not say whose the credits are', () => {
    const listed = MESSAGES.filter((_, index) => index !== 1);
    const settled = settleAccepted(MESSAGES, answer(listed, { sent: 4, used: 4 }));
    expect(settled).toMatchObject({ parts: [{ messages: { length: 3 } }, { messages: { length: 1 } }] });
    expect(settled).not.toHaveProperty('parts[0].result.creditsUsed');
  });

  test('with other statuses keeps each of them apart', () => {
    const listed = MESSAGES.map((each, index) => ({ ...each, status: index < 2 ? 'sent' : 'failed' }));
    const settled = settleAccepted(MESSAGES, answer(listed, { sent: 2, used: 2 }));
    expect(settled).toMatchObject({
      to: 'resolved_per_message',
      parts: [
        { state: 'sent', messages: [message(0), message(1)], result: { creditsUsed: 2 } },
        { state: 'sent', messages: [message(2), message(3)], otherStatus: 'failed' },
      ],
    });
    expect(settled).not.toMatchObject({ parts: [{ otherStatus: 'failed' }, {}] });
  });

  test('that counts fewer as sent than it lists leaves those unknown: nobody knows which it means', () => {
    expect(settleAccepted(MESSAGES, answer(MESSAGES, { sent: 3, used: 3 }))).toMatchObject({
      to: 'resolved_per_message',
      receipt: { creditsUsed: 3 },
      parts: [{ state: 'unknown', messages: MESSAGES, result: { cause: 'broken_answer' } }],
    });
    const listed = MESSAGES.map((each, index) => ({ ...each, status: index < 2 ? 'sent' : 'failed' }));
    expect(settleAccepted(MESSAGES, answer(listed, { sent: 1 }))).toMatchObject({
      parts: [
        { state: 'unknown', messages: [message(0), message(1)] },
        { state: 'sent', messages: [message(2), message(3)], otherStatus: 'failed' },
      ],
    });
  });

  test.each(['queued', ''])('of which all have the status "%s" is sent under that status', (status) => {
    const listed = MESSAGES.map((each) => ({ ...each, status }));
    expect(settleAccepted(MESSAGES, answer(listed))).toMatchObject({ to: 'sent', otherStatus: status });
  });

  test('that lists no message, or strangers, leaves all unknown', () => {
    for (const listed of [[], [{ phone: '12025550123' }]]) {
      expect(settleAccepted(MESSAGES, answer(listed))).toMatchObject({
        to: 'resolved_per_message',
        parts: [{ state: 'unknown', messages: MESSAGES }],
      });
    }
  });

  test('the same number twice takes two entries', () => {
    const twice = [message(0), message(0)];
    expect(settleAccepted(twice, answer([message(0)]))).toMatchObject({
      parts: [
        { state: 'sent', messages: [message(0)] },
        { state: 'unknown', messages: [message(0)] },
      ],
    });
  });

  test('whatever it lists, every message has exactly one outcome', () => {
    const entry = fc.record({
      phone: fc.constantFrom(...MESSAGES.map(({ phone }) => phone), '12025550123', '', '+'),
      status: fc.constantFrom('sent', 'failed', '', 'x'.repeat(60)),
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6, size: 'max' }), fc.nat(6), (listed, sent) => {
        const settled = settleAccepted(MESSAGES, answer(listed, { sent }));
        const messages =
          settled.to === 'resolved_per_message'
            ? settled.parts.flatMap((part) => part.messages)
            : [...MESSAGES];
        expect(messages.toSorted((a, b) => Number(a.row) - Number(b.row))).toEqual(MESSAGES);
        const sentAs =
          settled.to === 'resolved_per_message' ? settled.parts.filter((part) => part.state === 'sent') : [];
        for (const part of sentAs) {
          expect((part.result as { messageIds: number[] }).messageIds).toHaveLength(part.messages.length);
        }
      }),
    );
  });
});
