import { type AccountDocument, accounts, dailySpending } from '../../ledger/accounts/account-documents.ts';
import { EMPTY_ACCOUNT } from '../../ledger/accounts/find-account.ts';
import { namedStates } from '../../ledger/accounts/named-states.ts';
import type { DailySpending } from '../../ledger/accounts/statement-types.ts';
import { chunkIdOf } from '../../ledger/model/chunk-documents.ts';
import type { ChunkRef } from '../../ledger/model/chunk-record.ts';
import { dayOf } from '../../ledger/model/days.ts';
import { repeatMarks } from '../../ledger/model/once.ts';
import { outbox } from '../../ledger/outbox/outbox-documents.ts';
import { type KeyPermits, keyPermits } from '../../ledger/permits/permit-documents.ts';
import type { Engine } from '../../store/store.ts';
import { type Put, put, putAll } from '../put.ts';
import { rowOf } from './old-documents.ts';
import { type ChunkOfSend, documentsOfSend } from './old-sends.ts';
import type { OldStore } from './old-store.ts';

/** Writes all data of an old store as documents. You may run it again. The old store must not change meanwhile. */
export function writeFromOld(old: OldStore, engine: Engine): Promise<void> {
  return putAll(engine, documents(old));
}

async function* documents(old: OldStore): AsyncIterable<Put> {
  const permits = new Map<string, { lane: string; liveUntil: number }>();
  for await (const { token, ...permit } of old.permits()) permits.set(token, permit);
  const accountsById = new Map<string, AccountDocument>();
  for await (const { id, anchor: credits, anchoredAt: at = 0, ...figures } of old.accounts()) {
    const baseline = credits === undefined ? {} : { baseline: { credits, at } };
    accountsById.set(id, { ...structuredClone(EMPTY_ACCOUNT), ...figures, ...baseline });
  }
  const daysById = new Map<string, DailySpending>();
  const attempts = new Map<string, ChunkRef>();

  function note({ ref, send, chunk, messages: { length: size }, creditsUsed }: ChunkOfSend): void {
    const { account: id, token = '', state, deadline = 0, settledAt = 0, evidence } = chunk;
    if (state === 'sending') attempts.set(token, ref);
    if (id !== undefined && (state === 'sending' || state === 'unknown')) {
      const account = found(accountsById, id, EMPTY_ACCOUNT);
      const isUnexplained = state === 'unknown' && evidence === undefined;
      if (state === 'sending') account.inFlight.push([chunkIdOf(ref), deadline, size]);
      // A chunk gets evidence only once its request can no longer be in flight.
      if (isUnexplained && deadline > settledAt)
        account.maybeInFlight = { ...account.maybeInFlight, [chunkIdOf(ref)]: deadline };
      if (isUnexplained) account.unexplained += 1;
    }
    const sent = state === 'sent' ? size : 0;
    if (creditsUsed === 0 && sent === 0) return;
    const { team, channelId, decidedBy: by = '' } = send;
    const spentOn = dayOf(settledAt);
    const nothing: DailySpending = { team, channelId, by, day: spentOn, credits: 0, messages: 0 };
    const day = found(daysById, [team, channelId, spentOn, by].join('/'), nothing);
    day.credits += creditsUsed;
    day.messages += sent;
  }

  for await (const send of old.sends()) {
    yield* documentsOfSend(old, send, (token = '') => permits.get(token)?.lane, note);
  }
  for (const [id, value] of accountsById) yield put(accounts, id, value);
  for (const [id, value] of daysById) yield put(dailySpending, id, value);

  const permitsByKey = new Map<string, KeyPermits>();
  const permitsOf = (key: string) => found(permitsByKey, key, { live: [], held: [] });
  for (const [token, { lane, liveUntil: until }] of permits) {
    const attempt = attempts.get(token);
    // Nobody can give back a permit without an attempt early, so it counts until it expires.
    if (attempt) permitsOf(lane).held.push({ token, until, attempt });
    else permitsOf(lane).live.push(until);
  }
  for await (const { lane, until } of old.rests()) permitsOf(lane).restsUntil = until;
  for (const [id, value] of permitsByKey) yield put(keyPermits, id, value);

  for await (const { name, ...state } of old.episodes()) yield put(namedStates, name, state);
  for await (const { id, state, deadline = 0, token = '', dueAt, ...row } of old.rows()) {
    const times = { due: { dueAt }, posting: { dueAt: deadline, token }, posted: {} };
    yield put(outbox, id, rowOf({ ...row, ...times[state] }, id));
  }
  for await (const { key, expiresAt: until } of old.seen()) yield put(repeatMarks, key, { until });
}

function found<T>(all: Map<string, T>, id: string, nothing: T): T {
  let value = all.get(id);
  if (value === undefined) {
    value = structuredClone(nothing);
    all.set(id, value);
  }
  return value;
}
