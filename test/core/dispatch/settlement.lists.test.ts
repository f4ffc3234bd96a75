import { describe, expect, test } from 'vitest';
import type { RefusalMode } from '../../../src/core/accounts/list-refusals.ts';
import { settlementOf } from '../../../src/core/dispatch/settlement.ts';
import type { Settlement } from '../../../src/ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../../../src/ledger/model/chunk-record.ts';
import type { SendRecord } from '../../../src/ledger/model/send-record.ts';
import type { Outcome, Refused } from '../../../src/sms/request-outcome-types.ts';
import type { BulkResult } from '../../../src/sms/schema.ts';

const chunk = (fields: Partial<ChunkRecord> & { size?: number } = {}): ChunkRecord => {
  const { size = 4, ...rest } = fields;
  const messages = Array.from({ length: size }, (_, row) => ({
    phone: `44207946091${row}`,
    text: 'Hi',
    row,
  }));
  return { send: 's', index: 0, state: 'sending', attempt: 1, refusals: 0, messages, ...rest };
};
const means = (outcome: Outcome<BulkResult>, of = chunk(), refusalMode: RefusalMode = 'unproven') =>
  settlementOf(
    outcome,
    { send: { kind: 'job' } as SendRecord, chunk: of, retryMs: 2000 },
    { refusalMode, now: 0 },
  );
const refused = (reason: Refused['reason'], more: Partial<Refused> = {}): Refused => ({
  outcome: 'refused',
  status: 422,
  reason,
  code: 'CODE',
  message: 'its words',
  ...more,
});

const pauseIn = (settlement: Settlement) =>
  JSON.parse('pause' in settlement ? (settlement.pause ?? 'null') : 'null') as unknown;

describe('a refused request of several messages', () => {
  const CREDITS = { requiredCredits: 4, availableCredits: 1 };

  test.each(['validation', 'credits', 'other'] as const)(
    'for %s is unknown and pauses the job, since a part may have been sent',
    (reason) => {
      const found = means(refused(reason, reason === 'credits' ? CREDITS : {}));
      expect(found).toMatchObject({
        to: 'unknown',
        request: 'answered',
        result: { cause: 'list_refused', code: 'CODE', message: 'its words' },
      });
      expect(pauseIn(found)).toMatchObject({ why: 'list_refused', reason, messages: 4 });
    },
  );

  test('of an instance that refuses lists whole is split; for credits and other reasons it waits as it is', () => {
    const fields = ['messages.1.phone'];
    expect(means(refused('validation', { fields }), chunk(), 'atomic')).toMatchObject({
      to: 'split',
      children: [{ length: 3 }, { length: 1 }],
      mostRequests: 40,
      otherwise: { to: 'rejected', result: { cause: 'group_refused', message: 'its words' } },
      result: { cause: 'validation' },
    });
    const short = means(refused('credits', CREDITS), chunk(), 'atomic');
    expect(short).toMatchObject({ to: 'pending', request: 'answered' });
    expect(pauseIn(short)).toEqual({ why: 'credits', required: 4, available: 1 });
    const other = means(refused('other'), chunk(), 'atomic');
    expect(other).toMatchObject({ to: 'pending' });
    expect(pauseIn(other)).toEqual({ why: 'refused', code: 'CODE', message: 'its words' });
  });

  test('that was split before is halved, whatever the fields say: they may have counted otherwise', () => {
    const fields = ['messages.1.phone'];
    expect(means(refused('validation', { fields }), chunk({ parent: 0 }), 'atomic')).toMatchObject({
      children: [{ length: 2 }, { length: 2 }],
    });
  });
});

describe('a refused request of one message', () => {
  test.each(['unproven', 'atomic'] as const)('is its own outcome, in the service’s words (%s)', (mode) => {
    const alone = (reason: Refused['reason']) => means(refused(reason), chunk({ size: 1 }), mode);
    const invalid = alone('validation');
    expect(invalid).toMatchObject({ to: 'rejected', result: { cause: 'validation', message: 'its words' } });
    expect(pauseIn(invalid)).toBeNull();
    // The next request would be refused for the same reason.
    expect(alone('credits')).toMatchObject({ to: 'rejected', result: { cause: 'credits' } });
    expect(pauseIn(alone('credits'))).toMatchObject({ why: 'credits' });
    expect(alone('other')).toMatchObject({ to: 'rejected', result: { cause: 'refused' } });
    expect(pauseIn(alone('other'))).toMatchObject({ why: 'refused' });
  });
});

describe('the meaning of an answer to a chunk of a job', () => {
  test.each([4, 1])(
    'a refused key pauses the job: it is refused before anything is looked at (%i)',
    (size) => {
      expect(means(refused('key', { code: 'INVALID_API_KEY' }), chunk({ size }))).toEqual({
        to: 'pending',
        request: 'answered',
        waitMs: 0,
        pause: '{"why":"key_refused"}',
      });
    },
  );

  test('after a 429 the key rests for as long as it asks; the chunk itself waits for nothing else', () => {
    expect(means({ outcome: 'rate_limited', retryAfterMs: 7000 })).toEqual({
      to: 'pending',
      request: { restMs: 7000 },
      waitMs: 0,
    });
  });

  test('the third 429 in a row halves it, since a request may be too big, too; a chunk of one waits on', () => {
    expect(means({ outcome: 'rate_limited' }, chunk({ refusals: 2 }))).toMatchObject({
      to: 'split',
      request: { restMs: undefined },
      children: [{ length: 2 }, { length: 2 }],
      otherwise: { to: 'pending', request: { restMs: undefined } },
    });
    expect(means({ outcome: 'rate_limited' }, chunk({ refusals: 9, size: 1 }))).toMatchObject({
      to: 'pending',
    });
  });

  test('a request that never started is tried again, without end', () => {
    const of = chunk({ attempt: 500 });
    expect(means({ outcome: 'not_started', cause: 'refused' }, of)).toMatchObject({
      to: 'pending',
      request: 'never_started',
      waitMs: 2000,
    });
    expect(means({ outcome: 'not_started', cause: 'too_late' }, of)).toMatchObject({
      waitMs: 0,
    });
  });

  test('a request that started and has no clear answer is unknown', () => {
    for (const cause of [
      'timeout',
      'reset',
      'truncated',
      'server_error',
      'unreadable',
      'redirect',
    ] as const) {
      expect(means({ outcome: 'unknown', cause })).toMatchObject({ to: 'unknown' });
    }
  });
});
