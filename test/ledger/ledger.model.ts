import assert from 'node:assert/strict';
import fc, { type AsyncCommand } from 'fast-check';
import type { RateLimited, RequestEnd, Settlement } from '../../src/ledger/model/attempt-types.ts';
import type { ChunkRecord, LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import { defined } from '../../src/ledger/model/defined.ts';
import type { LedgerLimits, Priority } from '../../src/ledger/model/ledger-limits.ts';
import type { SendRecord } from '../../src/ledger/model/send-record.ts';
import {
  aPart,
  aSingle,
  drain,
  forSingles,
  freshToken,
  handClock,
  messages,
  neverStarted,
  type OpenLedger,
  resolvedPerMessage,
  splitInto,
} from '../helpers/ledger-fixtures.ts';
import * as rules from '../helpers/ledger-rules.ts';
import { expectSame } from '../helpers/ledger-standing.ts';
import { createWatch } from '../helpers/ledger-watch.ts';

const TIMES = { windowMs: 1000, leaseMs: 600, timeoutMs: 300 };
const MARGIN_MS = 20;

/** The engine, with everything that a run needs. */
async function createReal(open: OpenLedger, limits: LedgerLimits) {
  const clock = handClock();
  const rig = await open({ limits, clock });
  const real = {
    clock,
    watch: createWatch(),
    ledger: rig.ledger,
    async reopen() {
      real.ledger = await rig.reopen();
    },
    close: () => rig.close(),
    /** Every attempt that the ledger has handed out, and every permit without a chunk. */
    attempts: [] as (Pick<ChunkRecord, 'send' | 'index' | 'attempt' | 'messages'> & {
      token: string;
      decided: SendRecord;
    })[],
    permits: [] as string[],
  };
  return real;
}

type Real = Awaited<ReturnType<typeof createReal>>;
type Command = AsyncCommand<rules.Model, Real>;

function createModel(now: number, limits: LedgerLimits): rules.Model {
  return { now, limits, marginMs: MARGIN_MS, sends: [], permits: [], restsUntil: 0, announced: new Set() };
}

/** A command that checks its own answer, then compares the whole store with the model. */
function command(name: string, run: (model: rules.Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    toString: () => name,
    async run(model, real) {
      await run(model, real);
      const chunks = await expectSame(model, real.ledger);
      for (const [at, { id, state }] of model.sends.entries()) {
        real.watch.seen(id, state, chunks[at] as ChunkRecord[]);
      }
      const due = (await drain(real.ledger)).sort();
      assert.deepEqual(due, [...model.announced].sort());
      model.announced.clear();
    },
  };
}

function pick<T>(list: readonly T[], at: number): T | undefined {
  return list.length ? list[list.length - 1 - (at % list.length)] : undefined;
}

let ids = 0;

async function writeDraft(
  model: rules.Model,
  real: Real,
  sizes: number[] | undefined,
  ttl: number,
  resends?: number,
) {
  ids += 1;
  const id = `s${ids}`;
  const again = resends === undefined ? undefined : unknownsOf(model, resends);
  const chunks = (sizes ?? [1]).map(messages);
  const kind = sizes ? 'job' : 'single';
  const atOnce = kind === 'single' ? 1 : Math.floor(chunks.length / 2);
  await real.ledger.draft(
    aSingle(id, {
      kind,
      chunks: chunks.slice(0, atOnce),
      topics: ['receipt'],
      expiresInMs: ttl,
      details: { all: true },
      keeps: { all: false },
      ...(again ? { resends: { send: again.send.id, indexes: again.indexes } } : {}),
    }),
  );
  if (atOnce < chunks.length) await real.ledger.appendChunks(id, chunks.slice(atOnce));
  real.watch.drafted(id, chunks.flat().length);
  model.sends.push({
    id,
    kind,
    state: 'draft',
    createdAt: model.now,
    expiresAt: model.now + ttl,
    decidedAt: 0,
    startsAt: 0,
    wasTaken: false,
    endedAt: 0,
    forgotten: false,
    servedAt: 0,
    inFlightLimit: 8,
    unknownRun: 0,
    chunks: chunks.map((list, index) => rules.newChunk(list.length, index)),
    ...(again ? { resends: again.indexes.map((index) => again.send.chunks[index] as rules.ModelChunk) } : {}),
  });
}

/** One to three unknown chunks of a send that has unknown chunks. */
function unknownsOf(model: rules.Model, at: number) {
  const isUnknown = ({ state }: rules.ModelChunk) => state === 'unknown';
  const send = pick(
    model.sends.filter(({ chunks }) => chunks.some(isUnknown)),
    at,
  );
  const indexes = send?.chunks.flatMap((chunk, index) => (isUnknown(chunk) ? [index] : [])) ?? [];
  return send && { send, indexes: indexes.slice(0, 1 + (at % 3)) };
}

const PEOPLE = ['U1', 'U2', 'U3'];

/** Everybody makes the same decision at once. */
async function decide(
  model: rules.Model,
  real: Real,
  send: rules.ModelSend | undefined,
  decision: rules.ModelDecision,
) {
  if (!send) return;
  const { to, undoMs = 0, approves = false, evenIfSent } = decision;
  const asker = send.state === 'awaiting_approval' ? send.askedBy : undefined;
  const why = rules.decide(model, send, decision);
  const credits = send.chunks.reduce((sum, { size }) => sum + size, 0);
  const budget = { credits, perMessage: 1, periods: [{ id: 'T1/C1/2026-01', renewsAt: 0, readers: [] }] };
  const approval =
    to === 'awaiting_approval' ? { approval: { topic: 'request' } } : approves ? { approval: {} } : {};
  const answers = await Promise.all(
    PEOPLE.map((by) =>
      real.ledger.decide(send.id, {
        to,
        by,
        budget,
        startsInMs: undoMs,
        ...defined({ evenIfSent }),
        ...approval,
      }),
    ),
  );
  const winners = PEOPLE.filter((_, person) => answers[person]?.won);
  assert.equal(winners.length, why === undefined ? 1 : 0);
  const [winner] = winners;
  if (winner !== undefined && to === 'awaiting_approval') rules.asks(model, send, winner);
  else if (winner !== undefined) real.watch.decided(send.id);
  const isApproval = to === 'running' && approves;
  if (isApproval && winner !== undefined) assert.notEqual(winner, asker, 'approved by whoever asked');
  if (why === undefined) return;
  for (const [person, answer] of answers.entries()) {
    const isOwn: boolean = isApproval && PEOPLE[person] === asker && why !== 'decided' && why !== 'expired';
    assert.equal(answer.won || answer.why, isOwn ? 'own_request' : why);
  }
}

async function undo(model: rules.Model, real: Real, send: rules.ModelSend | undefined) {
  if (!send) return;
  const wins = rules.undo(model, send);
  const answers = await Promise.all(
    ['U1', 'U2'].map((by) => real.ledger.undo(send.id, { by, details: {}, keeps: { all: false } })),
  );
  assert.equal(answers.filter(({ won }) => won).length, wins ? 1 : 0);
  if (wins) real.watch.undone(send.id);
}

async function take(model: rules.Model, real: Real, priority: Priority) {
  const expected = rules.expectTake(model, priority);
  const request = forSingles({ priority });
  const answer = await real.ledger.take(request);
  assert.equal(answer.kind, expected.kind);
  if (expected.kind === 'wait') assert.deepEqual(answer, expected);
  if (expected.kind === 'unattended' && answer.kind === 'unattended') {
    assert.deepEqual([answer.send.id, answer.since], [expected.send.id, expected.since]);
  }
  if (expected.kind !== 'taken' || answer.kind !== 'taken') return;
  const { chunk } = answer;
  const match = expected.among.find(({ send, index }) => send.id === chunk.send && index === chunk.index);
  assert(match, `${chunk.send}.${chunk.index} was not the next`);
  rules.startAttempt(model, match.send, match.send.chunks[match.index] as rules.ModelChunk, request.token);
  real.watch.taken(chunk);
  real.attempts.push({ ...chunk, token: request.token, decided: answer.send });
}

async function settle(model: rules.Model, real: Real, at: number, foreign: boolean, how: Settlement) {
  const attempt = pick(real.attempts, at);
  const send = model.sends.find(({ id }) => id === attempt?.send);
  const chunk = attempt && send?.chunks[attempt.index];
  if (!attempt || !send || !chunk) return;
  const token = foreign ? freshToken() : attempt.token;
  if (how.to === 'split' && (send.kind === 'single' || chunk.size < 2)) return;
  const settlement = withMessages(how, attempt.messages);
  const accepted = rules.settle(model, send, chunk, token, settlement);
  const attempted = { rateLimitKey: 'k1', account: 'a1', attempt: attempt.attempt, send: attempt.decided };
  // Of a marked text, the ledger takes an earlier token's answer for that of a forgotten request. See
  // forgotten-attempts.test.ts.
  const made = send.mayBeSent !== undefined && token !== chunk.token ? undefined : attempted;
  for (const _again of [1, 2]) {
    const ref = { send: send.id, index: attempt.index };
    const answer = await real.ledger.settle(ref, token, settlement, made);
    assert.equal(answer.settled, accepted);
    if (answer.settled) real.watch.settled(answer.chunk);
  }
}

/** The settlement for these messages. Its children or parts share them. */
function withMessages(how: Settlement, list: LedgerMessage[]): Settlement {
  if (how.to !== 'split' && how.to !== 'resolved_per_message') return how;
  const most = how.to === 'split' ? 2 : how.parts.length;
  const shares = Array.from({ length: Math.min(most, list.length) }, (_, share) =>
    list.filter((_message, index) => index % most === share),
  );
  if (how.to === 'split') return { ...how, children: shares, otherwise: withMessages(how.otherwise, list) };
  const parts = how.parts.slice(0, shares.length);
  return { ...how, parts: parts.map((part, share) => ({ ...part, messages: shares[share] ?? [] })) };
}

/** Some unknown chunks, or the first chunk of any send. */
function someChunks(model: rules.Model, at: number, anySend: boolean) {
  const found = anySend ? undefined : unknownsOf(model, at);
  const send = found?.send ?? pick(model.sends, at);
  return send && { send, indexes: found?.indexes ?? [0] };
}

async function saySent(model: rules.Model, real: Real, at: number, anySend: boolean) {
  const { send, indexes } = someChunks(model, at, anySend) ?? {};
  if (!send || !indexes) return;
  const people = ['U1', 'U2'];
  const chunks = { send: send.id, indexes };
  const answers = await Promise.all(people.map((by) => real.ledger.saySent(chunks, by)));
  const winner = people.find((_, person) => answers[person]?.won);
  const why = rules.saySent(model, send, indexes, winner ?? 'nobody');
  assert.equal(answers.filter(({ won }) => won).length, why === undefined ? 1 : 0);
  for (const answer of answers) if (!answer.won) assert.equal(answer.why, why ?? 'said_sent');
}

async function leave(model: rules.Model, real: Real, at: number, anySend: boolean) {
  const { send, indexes } = someChunks(model, at, anySend) ?? {};
  if (!send || !indexes) return;
  const why = rules.leave(send, indexes, 'U3');
  const answer = await real.ledger.leaveUnknown({ send: send.id, indexes }, 'U3');
  assert.deepEqual(answer, why === undefined ? { won: true } : { won: false, why });
}

async function permit(model: rules.Model, real: Real, priority: Priority) {
  const wait = rules.permitWait(model, priority);
  const token = freshToken();
  const answer = await real.ledger.permit('k1', priority, token);
  assert.deepEqual(answer, wait ?? { kind: 'taken' });
  if (wait) return;
  rules.grantPermit(model, token);
  real.permits.push(token);
}

const priority = fc.constantFrom<Priority>('interactive', 'background');
const which = fc.nat(8);
const answered = { request: 'answered', result: null } as const;

/** 429 answers. Most of them ask for a short rest, or else no command could take anything. */
const turnedAway: fc.Arbitrary<RateLimited> = fc
  .constantFrom(undefined, 0, 100, 300, 1000, 20_000)
  .map((restMs) => ({ restMs }));

const settlement: fc.Arbitrary<Settlement> = fc.oneof(
  fc.constantFrom<Settlement>(
    { to: 'sent', ...answered, receipt: { creditsUsed: 1, creditsRemaining: 9 } },
    { to: 'sent', ...answered, receipt: { creditsUsed: 3, creditsRemaining: 9 }, otherStatus: 'failed' },
  ),
  fc.constantFrom<Settlement>(
    { to: 'rejected', ...answered },
    { to: 'rejected', ...answered, pause: 'credits' },
  ),
  fc.constantFrom<Settlement>(
    { to: 'not_sent', ...answered },
    { ...answered, to: 'not_sent', request: 'never_started' },
  ),
  turnedAway.map((request): Settlement => ({ ...answered, to: 'not_sent', request })),
  fc.constantFrom<Settlement>(
    { to: 'unknown', ...answered },
    { to: 'unknown', ...answered, pause: 'list_refused' },
    { ...answered, to: 'unknown', request: 'unanswered' },
  ),
  fc.constantFrom(0, 500, 20_000).map((waitMs) => neverStarted(waitMs)),
  fc
    .record({
      waitMs: fc.constantFrom(0, 1000, 60_000, 600_000),
      paused: fc.boolean(),
    })
    .map(
      ({ waitMs, paused }): Settlement => ({
        to: 'pending',
        request: 'answered',
        waitMs,
        ...(paused ? { pause: 'key' } : {}),
      }),
    ),
  turnedAway.map((request): Settlement => ({ to: 'pending', request, waitMs: 0 })),
  fc
    .record({
      mostRequests: fc.constantFrom(3, 4, 5, 6, 8, 40),
      request: fc.constantFrom('answered', 'never_started'),
      otherwise: fc.constantFrom<Settlement>(
        { to: 'rejected', ...answered },
        { to: 'unknown', ...answered },
        { to: 'pending', request: 'answered', waitMs: 500 },
      ),
    })
    .map((over) => splitInto([], over)),
  turnedAway.map((request): Settlement => {
    const otherwise: Settlement = { to: 'pending', request, waitMs: 0 };
    return splitInto([], { mostRequests: 4, otherwise, request });
  }),
  fc
    .array(
      fc.constantFrom(
        aPart('sent', []),
        aPart('sent', [], { otherStatus: 'queued' }),
        aPart('unknown', []),
        aPart('unknown', [], { evidence: null }),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) => resolvedPerMessage(parts, 2)),
);

const fate: fc.Arbitrary<RequestEnd> = fc.oneof(
  fc.constantFrom<RequestEnd>('never_started', 'answered', 'unanswered'),
  turnedAway,
);

/** How long a send waits after its decision. Most sends begin at once. */
const undoMs = fc.constantFrom(0, 0, 0, 300, 10_000);

const draft = fc
  .tuple(
    fc.oneof(
      fc.constant(undefined),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
    ),
    fc.constantFrom(1, 5000, 5000),
    fc.oneof(fc.constant(undefined), which),
    fc.constantFrom('confirmed', 'confirmed', 'asked for', undefined),
    undoMs,
  )
  .map(([sizes, ttl, resends, then, undoMs]) =>
    command(
      `draft ${sizes ?? 'single'} for ${ttl} ms${then ? `, ${then}, ${undoMs} ms to undo it` : ''}`,
      async (model, real) => {
        await writeDraft(model, real, sizes, ttl, resends);
        if (then === 'asked for') await decide(model, real, model.sends.at(-1), { to: 'awaiting_approval' });
        if (then === 'confirmed') await decide(model, real, model.sends.at(-1), { to: 'running', undoMs });
      },
    ),
  );

/** The failover of which a person has read. */
const seen = fc.constantFrom(undefined, 'r2', 'r3');

const commands = [
  draft,
  fc
    .tuple(which, fc.constantFrom('running', 'running', 'cancelled', 'superseded'), undoMs, seen)
    .map(([at, to, undoMs, evenIfSent]) =>
      command(
        `decide ${at} ${to}${evenIfSent ? ` knowing of ${evenIfSent}` : ''}, ${undoMs} ms to undo it`,
        (model, real) => decide(model, real, pick(model.sends, at), { to, undoMs, evenIfSent }),
      ),
    ),
  which.map((at) =>
    command(`ask for approval of ${at}`, (model, real) =>
      decide(model, real, pick(model.sends, at), { to: 'awaiting_approval' }),
    ),
  ),
  fc
    .tuple(which, fc.constantFrom('running', 'running', 'declined'), undoMs, seen)
    .map(([at, to, undoMs, evenIfSent]) =>
      command(
        `a second person decides ${at} ${to}${evenIfSent ? ` knowing of ${evenIfSent}` : ''}, ${undoMs} ms to undo it`,
        (model, real) =>
          decide(model, real, pick(model.sends, at), { to, undoMs, approves: true, evenIfSent }),
      ),
    ),
  which.map((at) => command(`undo ${at}`, (model, real) => undo(model, real, pick(model.sends, at)))),
  priority.map((who) => command(`take ${who}`, (model, real) => take(model, real, who))),
  fc.tuple(priority, fc.integer({ min: 2, max: 10 })).map(([who, times]) =>
    command(`take ${who} ${times} times`, async (model, real) => {
      for (let i = 0; i < times; i += 1) await take(model, real, who);
    }),
  ),
  ...[0, 1, 2].map(() =>
    fc
      .tuple(which, fc.nat(9), settlement)
      .map(([at, odds, how]) =>
        command(
          `settle ${at}${odds === 0 ? ' with a foreign token' : ''} ${JSON.stringify(how)}`,
          (model, real) => settle(model, real, at, odds === 0, how),
        ),
      ),
  ),
  fc
    .oneof(
      { weight: 6, arbitrary: fc.nat(500) },
      { weight: 3, arbitrary: fc.constantFrom(20, 300, 600, 1020, 1320, 1620) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(5000, 10_000, 60_000, 600_000, 1_200_000, 1_800_000, 86_400_000),
      },
    )
    .map((ms) =>
      command(`${ms} ms pass`, async (model, real) => {
        real.clock.advance(ms);
        model.now = real.clock.now();
      }),
    ),
  fc.constantFrom(undefined, undefined, 'wait' as const, 'may_be_sent' as const).map((judged) =>
    command(`recover; overdue: ${judged}`, async (model, real) => {
      rules.recover(model, false, judged);
      await real.ledger.recover(() => judged);
    }),
  ),
  fc.constant(
    command('reopen', async (model, real) => {
      rules.recover(model, true);
      await real.reopen();
    }),
  ),
  fc.tuple(fc.constantFrom(0, 0, 300, 1000), fc.constantFrom('r2', 'r3')).map(([ago, doubt]) =>
    command(`presume at ${doubt} that the texts of ${ago} ms ago were taken`, async (model, real) => {
      rules.presumeForgotten(model, model.now - ago, doubt);
      await real.ledger.presumeForgotten({ begunBefore: model.now - ago, doubt });
    }),
  ),
  fc.tuple(which, fc.constantFrom('pause', 'resume', 'resume', 'stop')).map(([at, what]) =>
    command(`${what} ${at}`, async (model, real) => {
      const send = pick(model.sends, at);
      if (!send) return;
      if (what === 'pause')
        assert.equal(await real.ledger.pause(send.id, 'person'), rules.pause(model, send));
      if (what === 'resume') {
        const { mayLackRequests: doubt } = (await real.ledger.find(send.id)) ?? {};
        assert.equal((await real.ledger.resume(send.id, {}, { doubt })).won, rules.resume(model, send));
      }
      if (what === 'stop') assert.equal(await real.ledger.stop(send.id), rules.stop(model, send));
    }),
  ),
  fc
    .tuple(which, fc.boolean())
    .map(([at, anySend]) => command(`say ${at} sent`, (model, real) => saySent(model, real, at, anySend))),
  fc
    .tuple(which, fc.boolean())
    .map(([at, anySend]) => command(`leave ${at}`, (model, real) => leave(model, real, at, anySend))),
  priority.map((who) => command(`permit ${who}`, (model, real) => permit(model, real, who))),
  fc.tuple(which, fate).map(([at, fate]) =>
    command(`return permit ${at} ${JSON.stringify(fate)}`, async (model, real) => {
      const token = pick(real.permits, at);
      if (token === undefined) return;
      real.permits = real.permits.filter((other) => other !== token);
      rules.endPermit(model, token, fate);
      await real.ledger.returnPermit('k1', token, fate);
    }),
  ),
];

/** The result of a model's runs. */
export interface ModelResult {
  /** How many runs were made, with the failed one. */
  runs: number;
  failure?: {
    /** The error's name: a comparison must find a bug, not an accident. */
    name: string;
    /** How to repeat the failure. */
    report: string;
  };
}

/**
 * Runs random commands on an engine and on the rules in memory, and compares them. After a failure it looks for the
 * shortest list of commands that fails, unless `anyFailure`.
 */
export async function checkModel(
  open: OpenLedger,
  { runs, anyFailure = false }: { runs: number; anyFailure?: boolean },
): Promise<ModelResult> {
  const property = fc.asyncProperty(
    fc.constantFrom(1, 4, 40, 40),
    fc.commands(commands, { size: 'max', maxCommands: 150 }),
    async (permits, list) => {
      const limits = { permits, ...TIMES };
      const real = await createReal(open, limits);
      try {
        await fc.asyncModelRun(() => ({ model: createModel(real.clock.now(), limits), real }), list);
      } finally {
        await real.close();
      }
    },
  );
  const details = await fc.check(property, {
    numRuns: runs,
    endOnFailure: anyFailure,
    includeErrorInReport: true,
  });
  if (!details.failed) return { runs: details.numRuns };
  const { errorInstance: error, numRuns } = details;
  const name = error instanceof Error ? error.name : 'none';
  return { runs: numRuns, failure: { name, report: (await fc.asyncDefaultReportMessage(details)) ?? '' } };
}
