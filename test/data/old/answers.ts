import { randomUUID } from 'node:crypto';
import type { BalanceMarker } from '../../../src/ledger/accounts/account-types.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { ChunkRef } from '../../../src/ledger/model/chunk-record.ts';
import type { SendRecord, Tally } from '../../../src/ledger/model/send-record.ts';
import { type HandClock, halved } from '../../helpers/ledger-fixtures.ts';

/** The contents of the stores in this folder. */
const SENDS = [
  ...['sent', 'other-status', 'rejected', 'stopped', 'draft', 'draft-resend', 'draft-job', 'cancelled'],
  ...['superseded', 'expired', 'unknown-resent', 'unknown-said', 'unknown-evidence', 'resending'],
  ...['unknown-again', 'stale', 'running', 'paused', 'fresh', 'waits', 'sending'],
];
const INSTANCES = ['i1', 'i2', 'i3', 'i4', 'i5', 'i6', 'i7', 'i8', 'i9'];
const TODAY = Date.UTC(2026, 0, 6);

/**
 * A ledger's answers about these contents, as JSON: first its reads, then how work goes on. The `*.answers.json` are the
 * answers of the versions that wrote those stores.
 */
export async function answersOf(ledger: Ledger, clock: HandClock): Promise<unknown> {
  const said = { now: clock.now(), ...(await reads(ledger)), ...(await goesOn(ledger, clock)) };
  return JSON.parse(JSON.stringify(said));
}

/** The answers in such a file. The versions that wrote them told the two figures of an account's books apart. */
export function answersIn(json: string) {
  return JSON.parse(json, (_key, value) => {
    const { baseline, ...rest } = Object(value);
    if (!baseline) return value;
    return { ...rest, booked: baseline.credits - baseline.receiptsSince, baselineAt: baseline.at };
  });
}

async function reads(ledger: Ledger) {
  const of = async <T>(names: string[], ask: (name: string) => Promise<T>) =>
    Object.fromEntries(await Promise.all(names.map(async (name) => [name, await ask(name)] as const)));
  const refs = (found: { chunk: ChunkRef }[]) => found.map(({ chunk }) => [chunk.send, chunk.index]);
  const priorities = ['interactive', 'background'] as const;
  return {
    sends: await of(SENDS, async (id) => ({
      record: await ledger.find(id),
      chunks: await ledger.chunks(id),
      tally: await tallyOf(ledger, id),
    })),
    accounts: await of(['a1', 'a2', 'a3', 'a4', 'none'], async (id) => ({
      account: await ledger.account(id),
      marker: markerOf(await ledger.markBalanceRead(id)),
      evidence: await ledger.evidenceCase(id),
      funds: await ledger.funds(
        id,
        id === 'a4' ? { send: 'sending', index: 0 } : { send: 'running', index: 5 },
      ),
    })),
    openSends: await of(INSTANCES, async (id) => idsOf(await ledger.openSends(id))),
    spent: await of(['C1', 'C2'], (place) => ledger.spentSince('T1', place, 0)),
    spentToday: await of(['C1', 'C2'], (place) => ledger.spentSince('T1', place, TODAY)),
    unknowns: refs(await ledger.unknowns()),
    unknownsOfT2: refs(await ledger.unknowns('T2')),
    withUnknowns: (await ledger.pendingWork()).unexplained.sort(),
    work: await of([...priorities], async (priority) =>
      (await ledger.instancesWithWork(priority as 'background')).map(({ instance }) => instance).sort(),
    ),
    backlog: await ledger.backlog(),
    nextDue: await ledger.nextDueAt(),
    episode: await ledger.namedState('low:T1/C1'),
  };
}

async function goesOn(ledger: Ledger, clock: HandClock) {
  const firstTimes = [await ledger.firstTime('seen-1', 600_000), await ledger.firstTime('seen-2', 1000)];
  const takes = [];
  for (const instance of INSTANCES) {
    for (const priority of ['interactive', 'background'] as const) {
      takes.push(await next(ledger, instance, priority), await next(ledger, instance, priority));
    }
  }
  const permits = [];
  for (const rateLimitKey of ['k1', 'k4', 'k7', 'k8']) permits.push(await permitsLeft(ledger, rateLimitKey));
  const rows = [];
  for (const ms of [0, 700, 10_000, 60_000]) {
    clock.advance(ms);
    rows.push((await ledger.nextDueAt()) ?? null, ...(await drained(ledger)));
  }
  await ledger.recover();
  const recovered = await ledger.chunks('running');
  return { firstTimes, takes, permits, rows, recovered, rest: await restOfJob(ledger) };
}

const token = () => `after-${randomUUID()}`;

async function next(ledger: Ledger, instance: string, priority: 'interactive' | 'background') {
  const rateLimitKey = instance.replace('i', 'k');
  const found = await ledger.take({ instance, rateLimitKey, account: 'a9', priority, token: token() });
  if (found.kind !== 'taken') return found;
  const { send, index, attempt } = found.chunk;
  return [send, index, attempt];
}

/** How many permits a key has left, and when the next one is free. */
async function permitsLeft(ledger: Ledger, rateLimitKey: string) {
  for (let count = 0; ; count += 1) {
    const found = await ledger.permit(rateLimitKey, 'interactive', token());
    if (found.kind === 'wait') return { rateLimitKey, count, ...found };
  }
}

async function drained(ledger: Ledger) {
  const rows = [];
  for (;;) {
    const poster = token();
    const row = await ledger.takeDue(poster, 10_000);
    if (!row) return rows;
    const { areMore: _unsaid, ...said } = row;
    rows.push(said);
    await ledger.markPosted(row.id, poster, { ts: row.id });
  }
}

/** Takes the job that was under way to its end. A split chunk and its children may make four requests at most. */
async function restOfJob(ledger: Ledger) {
  const ends = [];
  for (;;) {
    const mine = token();
    const request = {
      instance: 'i4',
      rateLimitKey: 'k-new',
      account: 'a3',
      priority: 'background',
      token: mine,
    } as const;
    const found = await ledger.take(request);
    if (found.kind !== 'taken') return [...ends, found.kind, await tallyOf(ledger, 'running')];
    const { index, messages } = found.chunk;
    const ref = { send: found.send.id, index };
    const settled = await ledger.settle(ref, mine, halved(messages, { mostRequests: 4 }));
    ends.push([index, settled.settled && settled.chunk.state]);
  }
}

function idsOf(sends: SendRecord[]): string[] {
  return sends.map(({ id }) => id).sort();
}

/** The marker of versions before `baselineAt`, which the account's own baseline has, too. */
function markerOf({ baselineAt: _baselineAt, ...marker }: BalanceMarker) {
  return marker;
}

/** The counts of the versions that wrote the answers: these barred no message. */
async function tallyOf(ledger: Ledger, id: string): Promise<Omit<Tally, 'barred'>> {
  const { barred, ...tally } = await ledger.tally(id);
  if (Object.keys(barred).length > 0) throw new Error(`${id} has barred messages`);
  return tally;
}
