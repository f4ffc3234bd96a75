import { describe, expect, test } from 'vitest';
import { settlementOf } from '../../../src/core/dispatch/settlement.ts';
import type { Settlement } from '../../../src/ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../../../src/ledger/model/chunk-record.ts';
import type { SendRecord } from '../../../src/ledger/model/send-record.ts';
import type { NotStartedCause, Outcome, UnknownCause } from '../../../src/sms/request-outcome-types.ts';
import type { SendResult } from '../../../src/sms/schema.ts';

const DECIDED = 1_000_000;

/** Settles the first attempt, by default one second after the decision. */
function settled(outcome: Outcome<SendResult>, { after = 1000, attempt = 1, refusals = 0 } = {}): Settlement {
  const send = { kind: 'single', decidedAt: DECIDED } as SendRecord;
  const chunk = {
    attempt,
    refusals,
    messages: [{ phone: '442079460958', text: 'Hi' }],
  } as unknown as ChunkRecord;
  return settlementOf(
    outcome,
    { send, chunk, retryMs: 0 },
    { refusalMode: 'unproven', now: DECIDED + after },
  );
}

/** The waits of many settlements, since waits have jitter. */
function waitsOf(outcome: Outcome<SendResult>, options: Parameters<typeof settled>[1] = {}): number[] {
  return Array.from({ length: 500 }, () => {
    const settlement = settled(outcome, options);
    return settlement.to === 'pending' ? settlement.waitMs : Number.NaN;
  });
}

const notStarted = (cause: NotStartedCause = 'refused') => ({ outcome: 'not_started', cause }) as const;

describe('a request that never started', () => {
  test.each([
    { attempt: 1, least: 200, most: 600 },
    { attempt: 2, least: 400, most: 1200 },
    { attempt: 4, least: 800, most: 2400 },
    { attempt: 40, least: 800, most: 2400 },
  ])('is tried again with jitter: after attempt $attempt, $least to $most ms', ({ attempt, least, most }) => {
    const waits = waitsOf(notStarted(), { attempt });
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...waits)).toBeLessThanOrEqual(most);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan((most - least) / 2);
  });

  test.each(['refused', 'dns', 'tls', 'connect_timeout', 'other'] as const)(
    'by %s is tried a last time after 9 s, then not sent: before the ledger gives it up',
    (cause) => {
      const notSent = { to: 'not_sent', request: 'never_started', result: { cause: 'unreachable' } };
      expect(settled(notStarted(cause), { after: 10_000 })).toEqual(notSent);
      expect(settled(notStarted(cause), { after: 9000 })).toEqual(notSent);
      expect(settled(notStarted(cause), { after: 8900 })).toEqual({
        to: 'pending',
        request: 'never_started',
        waitMs: 100,
      });
    },
  );

  test('because it was too late may be tried again at once: that says nothing about the service', () => {
    expect(settled(notStarted('too_late'), { after: 30_000 })).toEqual({
      to: 'pending',
      request: 'never_started',
      waitMs: 0,
    });
  });
});

test('a status of the service’s own is kept with the text, cut, so that the history names it', () => {
  const data = { message_id: 7, status: 'sent', credits_used: 1, credits_remaining: 9 };
  const sent = settled({ outcome: 'accepted', data });
  expect(sent).toMatchObject({ to: 'sent', result: { cause: 'accepted' } });
  expect(sent).not.toHaveProperty('otherStatus');
  const otherStatus = 'q'.repeat(40);
  expect(settled({ outcome: 'accepted', data: { ...data, status: 'q'.repeat(99) } })).toMatchObject({
    to: 'sent',
    otherStatus,
    result: { otherStatus },
  });
});

describe('a 429', () => {
  test('lays the key to rest for as long as the service says', () => {
    expect(settled({ outcome: 'rate_limited', retryAfterMs: 7000 })).toEqual({
      to: 'pending',
      request: { restMs: 7000 },
      waitMs: 0,
    });
  });

  test('three times in a row is not sent, also long after the decision', () => {
    const after = 500_000;
    expect(settled({ outcome: 'rate_limited' }, { refusals: 1, after }).to).toBe('pending');
    expect(settled({ outcome: 'rate_limited' }, { refusals: 2, after })).toEqual({
      to: 'not_sent',
      request: { restMs: undefined },
      result: { cause: 'rate_limited' },
    });
  });
});

test.each([
  { cause: 'timeout', says: 'no_answer' },
  { cause: 'reset', says: 'no_answer' },
  { cause: 'truncated', says: 'broken_answer' },
  { cause: 'server_error', says: 'server_error' },
  { cause: 'unreadable', says: 'broken_answer' },
  { cause: 'redirect', says: 'broken_answer' },
  { cause: 'unexpected_status', says: 'broken_answer' },
] as { cause: UnknownCause; says: string }[])('$cause after the start is unknown, said as $says', (row) => {
  const settlement = settled({ outcome: 'unknown', cause: row.cause }, { after: 60_000, attempt: 9 });
  expect(settlement).toMatchObject({ to: 'unknown', result: { cause: row.says } });
});

test('only proof that nothing was processed leads back to pending', () => {
  const accepted: SendResult = {
    message_id: 1,
    status: 'sent',
    credits_used: 1,
    credits_remaining: 2,
  };
  const outcomes: Outcome<SendResult>[] = [
    { outcome: 'accepted', data: accepted },
    ...(['key', 'credits', 'validation', 'other'] as const).map((reason) => ({
      outcome: 'refused' as const,
      status: 400,
      reason,
      code: 'X',
      message: 'Y',
    })),
    { outcome: 'unknown', cause: 'timeout' },
  ];
  expect(outcomes.map((outcome) => settled(outcome).to)).toEqual([
    'sent',
    'rejected',
    'rejected',
    'rejected',
    'rejected',
    'unknown',
  ]);
});
