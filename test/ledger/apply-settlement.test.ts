import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applySettlement, type SplitBudget } from '../../src/ledger/model/apply-settlement.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import { BREAKER_INITIAL_LIMIT, BREAKER_MAX_LIMIT } from '../../src/ledger/model/breaker.ts';
import type { ChunkRecord } from '../../src/ledger/model/chunk-record.ts';
import type { ChunkState } from '../../src/ledger/model/outcome-types.ts';
import type { SendRecord, SendState } from '../../src/ledger/model/send-record.ts';
import { hasEnded } from '../../src/ledger/model/send-states.ts';
import { permitMargin, permitsAllowed } from '../../src/ledger/permits/rate-limit.ts';
import {
  aPart,
  GARBLED,
  messages,
  NOT_SENT,
  neverStarted,
  REJECTED,
  refused,
  resolvedPerMessage,
  SENT,
  splitInto,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';

const CHUNK_STATES: ChunkState[] = [
  'pending',
  'sending',
  'sent',
  'rejected',
  'not_sent',
  'unknown',
  'cancelled',
  'split',
];
const SEND_STATES: SendState[] = [
  'draft',
  'running',
  'paused',
  'finished',
  'stopped',
  'cancelled',
  'superseded',
  'expired',
];
const LIST = messages(2);
const SPLIT = splitInto(LIST.map((message) => [message]));
const FRESH: SplitBudget = { requests: 1, open: 0 };
const PENDING = neverStarted(500);
const RESOLVED_PER_MESSAGE = resolvedPerMessage([
  aPart('sent', LIST.slice(0, 1)),
  aPart('unknown', LIST.slice(1)),
]);
const SETTLEMENTS = [SENT, REJECTED, NOT_SENT, UNANSWERED, PENDING, SPLIT, RESOLVED_PER_MESSAGE];

function aSend(over: Partial<SendRecord> = {}): SendRecord {
  return {
    id: 's1',
    team: 'T1',
    channelId: 'C1',
    instance: 'i1',
    kind: 'job',
    state: 'running',
    details: null,
    topics: [],
    createdAt: 1,
    expiresAt: 2,
    ...over,
  };
}

function aChunk(over: Partial<ChunkRecord> = {}): ChunkRecord {
  return {
    send: 's1',
    index: 0,
    state: 'sending',
    messages: LIST,
    attempt: 1,
    token: 'mine',
    deadline: 5000,
    refusals: 0,
    ...over,
  };
}

describe('a settlement', () => {
  /** The settlements that each state allows, with their result. The ledger refuses all others; a repeat changes nothing. */
  const allowed: { [state in ChunkState]: string[] } = {
    pending: ['pending: pending (repeat)'],
    sending: [
      'sent: sent',
      'rejected: rejected',
      'not_sent: not_sent',
      'unknown: unknown',
      'pending: pending',
      'split: split',
      'resolved_per_message: split',
    ],
    sent: ['sent: sent (repeat)'],
    // A split into more requests than allowed becomes `rejected`.
    rejected: ['rejected: rejected (repeat)', 'split: rejected (repeat)'],
    not_sent: ['not_sent: not_sent (repeat)'],
    unknown: [
      'sent: sent',
      'rejected: rejected',
      'not_sent: not_sent',
      'resolved_per_message: split',
      'unknown: unknown',
      'split: rejected',
    ],
    cancelled: [],
    split: ['split: split (repeat)', 'resolved_per_message: split (repeat)'],
  };

  test.each(CHUNK_STATES)('over %s', (state) => {
    const found = SETTLEMENTS.flatMap((settlement) => {
      const after = applySettlement(aSend(), aChunk({ state }), settlement, {
        token: 'mine',
        now: 1000,
        splitBudget: FRESH,
      });
      return after ? [`${settlement.to}: ${after.chunk.state}${after.changed ? '' : ' (repeat)'}`] : [];
    });
    expect(found.sort()).toEqual(allowed[state].sort());
  });

  test.each(CHUNK_STATES)('over %s in a stopped send never leaves work to do', (state) => {
    const found = SETTLEMENTS.flatMap((settlement) => {
      const after = applySettlement(aSend({ state: 'stopped' }), aChunk({ state }), settlement, {
        token: 'mine',
        now: 1000,
        splitBudget: FRESH,
      });
      return after?.changed ? [after.chunk.state] : [];
    });
    const ends = { sending: ['sent', 'rejected', 'not_sent', 'unknown', 'cancelled', 'cancelled', 'split'] };
    const late = { unknown: ['sent', 'rejected', 'not_sent', 'unknown', 'rejected', 'split'] };
    expect(found).toEqual({ ...ends, ...late }[state as 'sending' | 'unknown'] ?? []);
  });

  test('with another’s token counts nowhere', () => {
    for (const state of CHUNK_STATES) {
      for (const sendState of SEND_STATES) {
        for (const settlement of SETTLEMENTS) {
          const send = aSend({ state: sendState });
          expect(
            applySettlement(send, aChunk({ state }), settlement, {
              token: 'other',
              now: 1000,
              splitBudget: FRESH,
            }),
          ).toBeUndefined();
          const { token: _none, ...untaken } = aChunk({ state });
          expect(
            applySettlement(send, untaken, settlement, { token: 'mine', now: 1000, splitBudget: FRESH }),
          ).toBeUndefined();
        }
      }
    }
  });

  test('changes neither of the records that it was given', () => {
    for (const settlement of SETTLEMENTS) {
      const [send, chunk] = [Object.freeze(aSend()), Object.freeze(aChunk())];
      expect(
        applySettlement(send, chunk, settlement, { token: 'mine', now: 1000, splitBudget: FRESH })?.changed,
      ).toBe(true);
    }
  });

  test('an unknown chunk keeps its deadline; no other ended chunk has one', () => {
    for (const settlement of SETTLEMENTS) {
      const after = applySettlement(aSend(), aChunk(), settlement, {
        token: 'mine',
        now: 1000,
        splitBudget: FRESH,
      });
      expect(after?.chunk.deadline).toBe(settlement.to === 'unknown' ? 5000 : undefined);
    }
    const late = applySettlement(aSend(), aChunk({ state: 'unknown' }), SENT, {
      token: 'mine',
      now: 9000,
      splitBudget: FRESH,
    });
    expect(late?.chunk.deadline).toBeUndefined();
  });

  test('a chunk that goes back waits from now, and keeps the answer’s words', () => {
    const back = applySettlement(aSend(), aChunk({ notBefore: 3 }), PENDING, {
      token: 'mine',
      now: 1000,
      splitBudget: FRESH,
    });
    expect(back?.chunk).toMatchObject({ state: 'pending', notBefore: 1500, settledAt: 1000 });
    const sent = applySettlement(aSend(), aChunk({ notBefore: 3 }), SENT, {
      token: 'mine',
      now: 1000,
      splitBudget: FRESH,
    });
    expect(sent?.chunk).toMatchObject({ result: { messageIds: [7] }, settledAt: 1000 });
    expect(sent?.chunk.notBefore).toBeUndefined();
  });

  test('refusals count 429 answers in a row', () => {
    const second = applySettlement(aSend(), aChunk({ refusals: 1 }), refused(0), {
      token: 'mine',
      now: 1000,
      splitBudget: FRESH,
    });
    expect(second?.chunk.refusals).toBe(2);
    for (const settlement of [SENT, UNANSWERED, PENDING]) {
      const after = applySettlement(aSend(), aChunk({ refusals: 2 }), settlement, {
        token: 'mine',
        now: 1000,
        splitBudget: FRESH,
      });
      expect(after?.chunk.refusals).toBe(0);
    }
  });
});

describe('an answer that comes after recovery made its chunk unknown', () => {
  const LISTED: Settlement = {
    to: 'unknown',
    request: 'answered',
    result: { cause: 'list_refused' },
    pause: 'list_refused',
  };
  const { deadline, ...attempt } = aChunk();
  const recovered: ChunkRecord = { ...attempt, state: 'unknown', deadline: deadline ?? 0, settledAt: 6000 };
  const late = (send: SendRecord, chunk: ChunkRecord, settlement: Settlement) =>
    applySettlement(send, chunk, settlement, { token: 'mine', now: 9000, splitBudget: FRESH });

  test('writes why it is unknown and pauses the job, once; the breaker stays as it was', () => {
    const after = late(aSend({ inFlightLimit: 5 }), recovered, LISTED);
    expect(after).toMatchObject({
      changed: true,
      chunk: { state: 'unknown', result: { cause: 'list_refused' }, settledAt: 9000, deadline: 5000 },
      send: { state: 'paused', pauseReason: 'list_refused', inFlightLimit: 5 },
    });
    const resumed = aSend({ inFlightLimit: 5 });
    expect(after && late(resumed, after.chunk, LISTED)).toMatchObject({ changed: false, send: resumed });
  });

  test.each(SEND_STATES.filter((state) => state !== 'running'))('pauses no job that is %s', (state) => {
    expect(late(aSend({ state }), recovered, LISTED)?.send.state).toBe(state);
  });

  test('a clear refusal of one text pauses the job, too', () => {
    const short: Settlement = { to: 'rejected', request: 'answered', result: null, pause: 'credits' };
    expect(late(aSend(), recovered, short)?.send).toMatchObject({ state: 'paused', pauseReason: 'credits' });
  });
});

describe('a 429', () => {
  const turnedAway = (chunk: ChunkRecord, settlement: Settlement, rests: boolean, send = aSend()) =>
    applySettlement(send, chunk, settlement, { token: 'mine', now: 1000, splitBudget: FRESH, rests });
  const halves = { ...SPLIT, request: { restMs: 5000 } } as Settlement & { to: 'split' };
  const givenUp = { ...NOT_SENT, request: { restMs: 5000 } } as Settlement;

  test.each([halves, givenUp, refused(5000)])(
    'while the key rests says nothing of its chunk: $to',
    (asked) => {
      const after = turnedAway(aChunk({ refusals: 2 }), asked, true);
      expect(after?.chunk).toMatchObject({ state: 'pending', refusals: 2 });
      expect(after?.settlement).toEqual(refused(5000));
      expect(after && turnedAway(after.chunk, asked, true)).toMatchObject({ changed: false });
    },
  );

  test.each([halves, givenUp])('that begins the rest counts: $to', (asked) => {
    const after = turnedAway(aChunk({ refusals: 2 }), asked, false);
    expect(after?.chunk.state).toBe(asked.to);
    expect(after && turnedAway(after.chunk, asked, true)).toMatchObject({ changed: false });
  });

  test('over unknown is the truth, whether the key rests or not', () => {
    for (const rests of [true, false]) {
      expect(turnedAway(aChunk({ state: 'unknown' }), givenUp, rests)?.chunk.state).toBe('not_sent');
      const late = turnedAway(aChunk({ state: 'unknown' }), halves, rests);
      expect(late?.settlement).toBe(halves.otherwise);
    }
  });
});

describe('a split', () => {
  const grouped: Settlement = { to: 'rejected', request: 'answered', result: { cause: 'group_refused' } };
  const split = (mostRequests: number, otherwise: Settlement = grouped) =>
    splitInto(
      LIST.map((message) => [message]),
      { mostRequests, otherwise },
    );
  const settle = (settlement: Settlement, splitBudget: SplitBudget, chunk = aChunk(), send = aSend()) =>
    applySettlement(send, chunk, settlement, { token: 'mine', now: 1000, splitBudget });

  test.each([
    [1, 0, 3],
    [1, 5, 8],
    [30, 8, 40],
  ])('with a budget of %i requests and %i open chunks takes %i at most', (requests, open, most) => {
    expect(settle(split(most), { requests, open })?.chunk.state).toBe('split');
    const less = settle(split(most - 1), { requests, open });
    expect(less).toMatchObject({ chunk: { state: 'rejected', result: { cause: 'group_refused' } } });
    expect(less?.settlement).toBe(grouped);
  });

  test('may ask for a smaller split otherwise', () => {
    const smaller = splitInto([LIST.slice(0, 2)], { mostRequests: 2, otherwise: grouped });
    const after = settle(split(2, smaller), FRESH);
    expect(after?.settlement).toBe(smaller);
    expect(settle(split(2, smaller), { requests: 2, open: 0 })?.settlement).toBe(grouped);
  });

  test('is not made if it comes too late, but its `otherwise` may be true', () => {
    const unknown = aChunk({ state: 'unknown' });
    for (const most of [40, 2]) {
      expect(settle(split(most), FRESH, unknown)?.settlement).toBe(grouped);
      expect(settle(split(most, refused(0)), FRESH, unknown)).toBeUndefined();
    }
  });

  test('is a repeat if it comes again, whichever of the two counted and whatever the budget is by now', () => {
    for (const state of ['split', 'rejected'] as const) {
      for (const splitBudget of [FRESH, { requests: 39, open: 9 }]) {
        expect(settle(split(3), splitBudget, aChunk({ state }))).toMatchObject({
          changed: false,
          chunk: { state },
        });
      }
    }
  });

  test('keeps the words that came with it', () => {
    const after = settle({ ...split(40), result: { cause: 'validation' } } as Settlement, FRESH);
    expect(after?.chunk.result).toEqual({ cause: 'validation' });
  });
});

test('other names for a sent chunk’s messages are kept', () => {
  const queued = { ...SENT, otherStatus: 'queued' } as Settlement;
  expect(
    applySettlement(aSend(), aChunk(), queued, { token: 'mine', now: 1000, splitBudget: FRESH })?.chunk
      .otherStatus,
  ).toBe('queued');
  expect(
    applySettlement(aSend(), aChunk(), SENT, { token: 'mine', now: 1000, splitBudget: FRESH })?.chunk,
  ).not.toHaveProperty('otherStatus');
});

describe('the breaker', () => {
  const answers = fc.array(
    fc.constantFrom(SENT, REJECTED, NOT_SENT, UNANSWERED, GARBLED, PENDING, SPLIT, RESOLVED_PER_MESSAGE),
    {
      size: 'max',
      maxLength: 60,
    },
  );

  test('for any answers, it allows one to sixteen, and two unknown ones in a row pause the job', () => {
    fc.assert(
      fc.property(answers, (list) => {
        let send = aSend();
        let run = 0;
        for (const answer of list) {
          const before = send.inFlightLimit ?? BREAKER_INITIAL_LIMIT;
          send = applySettlement(send, aChunk(), answer, { token: 'mine', now: 1000, splitBudget: FRESH })
            ?.send as SendRecord;
          const clean = answer.to !== 'pending' && answer.to !== 'unknown' && answer.request === 'answered';
          if (answer.to === 'unknown') run += 1;
          else if (clean) run = 0;
          const expected =
            answer.to === 'unknown' ? 1 : clean ? Math.min(BREAKER_MAX_LIMIT, before + 1) : before;
          expect(send.inFlightLimit ?? BREAKER_INITIAL_LIMIT).toBe(expected);
          expect(send.unknownRun ?? 0).toBe(run);
          expect(send.state).toBe(run >= 2 ? 'paused' : 'running');
          expect(send.pauseReason).toBe(run >= 2 ? 'unknown_answers' : undefined);
          if (run >= 2) return;
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a late answer moves neither breaker nor state', () => {
    const send = aSend({ unknownRun: 1, inFlightLimit: 1 });
    for (const settlement of [SENT, REJECTED, NOT_SENT, RESOLVED_PER_MESSAGE]) {
      expect(
        applySettlement(send, aChunk({ state: 'unknown' }), settlement, {
          token: 'mine',
          now: 9,
          splitBudget: FRESH,
        })?.send,
      ).toEqual(send);
    }
  });

  test('no answer starts a send that is not running, and none pauses a single one', () => {
    for (const state of ['paused', 'stopped', 'finished'] as const) {
      for (const settlement of SETTLEMENTS) {
        const send = aSend({ state, unknownRun: 5 });
        expect(
          applySettlement(send, aChunk(), settlement, { token: 'mine', now: 9, splitBudget: FRESH })?.send
            .state,
        ).toBe(state);
      }
    }
    const single = aSend({ kind: 'single', unknownRun: 5 });
    for (const settlement of [UNANSWERED, { ...neverStarted(), pause: 'key' }]) {
      expect(
        applySettlement(single, aChunk(), settlement, { token: 'mine', now: 9, splitBudget: FRESH })?.send
          .state,
      ).toBe('running');
    }
  });
});

describe('permits', () => {
  test.each([
    [60, 54],
    [1, 1],
    [2, 1],
    [9, 8],
    [10, 9],
    [11, 9],
    [100, 90],
  ])('of %i, background may use %i and people all', (permits, background) => {
    expect(permitsAllowed('background', permits)).toBe(background);
    expect(permitsAllowed('interactive', permits)).toBe(permits);
  });

  test('the margin is a thousandth of the window, at least 20 ms', () => {
    expect([1000, 20_000, 60_000].map(permitMargin)).toEqual([20, 20, 60]);
  });
});

test('a send has ended if it was decided and is over', () => {
  expect(SEND_STATES.filter((state) => hasEnded(aSend({ state })))).toEqual(['finished', 'stopped']);
});
