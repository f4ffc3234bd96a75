import { describe, expect, test } from 'vitest';
import { settleBulk } from '../../../src/core/dispatch/settle-bulk.ts';
import type { Outcome, Refused } from '../../../src/sms/outcome.ts';
import type { BulkResult } from '../../../src/sms/schema.ts';
import type { ChunkRecord } from '../../../src/store/ledger.ts';

const chunk = (fields: Partial<ChunkRecord> & { size?: number } = {}): ChunkRecord => {
  const { size = 4, ...rest } = fields;
  const messages = Array.from({ length: size }, (_, row) => ({
    phone: `44207946091${row}`,
    text: 'Hi',
    row,
  }));
  return { send: 's', index: 0, state: 'sending', attempt: 1, refusals: 0, messages, ...rest };
};
const means = (outcome: Outcome<BulkResult>, of = chunk()) =>
  settleBulk(outcome, { chunk: of, retryMs: 2000 });
const refused = (reason: Refused['reason'], more: Partial<Refused> = {}): Refused => ({
  outcome: 'refused',
  status: 422,
  reason,
  code: 'CODE',
  message: 'its words',
  ...more,
});

describe('what an answer to a chunk of a job means', () => {
  test('a refused key pauses the job, and nothing needs proof', () => {
    expect(means(refused('key'))).toEqual({
      kind: 'settle',
      settlement: { to: 'pending', request: 'answered', waitMs: 0, pause: '{"why":"key_refused"}' },
    });
  });

  test('too few credits pause it with proof only, else it is unknown', () => {
    const found = means(refused('credits', { requiredCredits: 4, availableCredits: 1 }));
    expect(found).toMatchObject({
      kind: 'prove',
      proven: { to: 'pending', pause: '{"why":"credits","required":4,"available":1}' },
      disproved: { to: 'unknown', request: 'answered', result: { cause: 'unproven' } },
    });
  });

  test('any other refusal pauses it in its words, with proof only', () => {
    expect(means(refused('other'))).toMatchObject({
      kind: 'prove',
      proven: { to: 'pending', pause: '{"why":"refused","code":"CODE","message":"its words"}' },
    });
  });

  test('an invalid chunk is split with proof only', () => {
    const found = means(refused('validation', { fields: [{ field: 'messages.1.phone', message: 'bad' }] }));
    expect(found).toMatchObject({
      kind: 'prove',
      proven: {
        to: 'split',
        children: [{ length: 3 }, { length: 1 }],
        mostRequests: 40,
        otherwise: { to: 'rejected', result: { cause: 'group_refused', message: 'its words' } },
        result: { cause: 'validation' },
      },
    });
  });

  test('what was split before is halved, whatever the fields say: they may have counted otherwise', () => {
    const fields = [{ field: 'messages.1.phone', message: 'bad' }];
    expect(means(refused('validation', { fields }), chunk({ parent: 0 }))).toMatchObject({
      proven: { children: [{ length: 2 }, { length: 2 }] },
    });
  });

  test('an invalid chunk of one is rejected in the service’s words', () => {
    expect(means(refused('validation'), chunk({ size: 1 }))).toMatchObject({
      kind: 'settle',
      settlement: { to: 'rejected', result: { cause: 'validation', message: 'its words' } },
    });
  });

  test('a 429 lays the key to rest for as long as it asks; the chunk itself waits for nothing else', () => {
    expect(means({ outcome: 'rate_limited', retryAfterMs: 7000 })).toEqual({
      kind: 'settle',
      settlement: { to: 'pending', request: { restMs: 7000 }, waitMs: 0 },
    });
  });

  test('the third 429 in a row halves it, since a request may be too big, too; a chunk of one waits on', () => {
    expect(means({ outcome: 'rate_limited' }, chunk({ refusals: 2 }))).toMatchObject({
      kind: 'settle',
      settlement: {
        to: 'split',
        request: { restMs: undefined },
        children: [{ length: 2 }, { length: 2 }],
        otherwise: { to: 'pending', request: { restMs: undefined } },
      },
    });
    expect(means({ outcome: 'rate_limited' }, chunk({ refusals: 9, size: 1 }))).toMatchObject({
      settlement: { to: 'pending' },
    });
  });

  test('one that never started is tried again, without end', () => {
    const of = chunk({ attempt: 500 });
    expect(means({ outcome: 'not_started', cause: 'refused' }, of)).toMatchObject({
      settlement: { to: 'pending', request: 'never_started', waitMs: 2000 },
    });
    expect(means({ outcome: 'not_started', cause: 'too_late' }, of)).toMatchObject({
      settlement: { waitMs: 0 },
    });
  });

  test('what started and has no clear answer is unknown', () => {
    for (const cause of [
      'timeout',
      'reset',
      'truncated',
      'server_error',
      'unreadable',
      'redirect',
    ] as const) {
      expect(means({ outcome: 'unknown', cause })).toMatchObject({
        kind: 'settle',
        settlement: { to: 'unknown' },
      });
    }
  });
});
