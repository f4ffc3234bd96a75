import { z } from 'zod';
import {
  type AccountDocument,
  accounts,
  type DailySpending,
  dailySpending,
} from '../../ledger/accounts/account-documents.ts';
import { EMPTY_ACCOUNT } from '../../ledger/accounts/find-account.ts';
import { namedStates } from '../../ledger/accounts/named-states.ts';
import { chunkIdOf } from '../../ledger/model/chunk-documents.ts';
import { dayOf } from '../../ledger/model/days.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { Json } from '../../ledger/model/json.ts';
import { repeatMarks } from '../../ledger/model/once.ts';
import { outbox } from '../../ledger/outbox/outbox-documents.ts';
import { type KeyPermits, keyPermits } from '../../ledger/permits/permit-documents.ts';
import { permitOf } from '../../ledger/permits/rate-limit.ts';
import type { Engine } from '../../store/store.ts';
import { type Put, put, putAll } from '../put.ts';
import { documentsOfSend, type OldChunk } from './old-sends.ts';
import { count, json, notZero, type OldStore, optional, text, whole } from './old-store.ts';

const Permit = z.object({ token: text, lane: text, liveUntil: count });
const Rest = z.object({ lane: text, until: count });
const Seen = z.object({ key: text, expiresAt: count });
const Episode = z.object({ name: text, state: text, details: json<Json>(), movedAt: count });

const Account = z
  .object({
    id: text,
    activity: count,
    receiptsSince: count,
    ...optional(whole, 'credits', 'asOf', 'anchor'),
    anchoredAt: count,
  })
  .transform(({ id, anchor, anchoredAt: at, ...fields }) => {
    const baseline = anchor === undefined ? undefined : { credits: anchor, at };
    return [id, defined({ ...structuredClone(EMPTY_ACCOUNT), ...fields, baseline })] as const;
  });

const Row = z
  .object({
    id: text,
    state: text,
    topic: text,
    subject: text,
    details: json<Json>(),
    since: count,
    revision: count,
    attempts: count,
    dueAt: count,
    deadline: count,
    token: z.string().optional(),
    spacing: notZero,
    posted: json<Json>().optional(),
    ...optional(whole, 'takenRevision', 'postedAt'),
  })
  .transform(({ id, state, posted, postedAt, spacing, deadline, token, ...row }) => {
    const poster = state === 'posting' ? { dueAt: deadline, token } : {};
    const waiting = state === 'posted' ? undefined : defined({ ...row, ...poster });
    return [id, defined({ waiting, posted, postedAt, spacing })] as const;
  });

/** Writes all data of an old store as documents. You may run it again. The old store must not change meanwhile. */
export async function writeFromOld(old: OldStore, engine: Engine): Promise<void> {
  const keyOf = new Map<string, string>();
  const permitsByKey = new Map<string, KeyPermits>();
  const accountsById = new Map<string, AccountDocument>();
  const daysById = new Map<string, DailySpending>();
  const permitsOf = (id: string) => found(permitsByKey, id, { live: [], held: [] });

  for await (const fields of old.permits()) {
    const { token, lane, liveUntil: until } = Permit.parse(fields);
    keyOf.set(token, lane);
    permitsOf(lane).held.push({ token, until });
  }
  for await (const fields of old.rests()) {
    const { lane, until } = Rest.parse(fields);
    permitsOf(lane).restsUntil = until;
  }
  for await (const fields of old.accounts()) accountsById.set(...Account.parse(fields));

  function note({ ref, send, chunk, messages, creditsUsed }: OldChunk): void {
    const { account: id, rateLimitKey, token = '', state, deadline = 0, settledAt = 0 } = chunk;
    const isSending = state === 'sending';
    const permit =
      isSending && rateLimitKey !== undefined ? permitOf(permitsOf(rateLimitKey), token) : undefined;
    if (permit) permit.attempt = ref;
    const size = messages.length;
    if (id !== undefined && (isSending || state === 'unknown')) {
      const account = found(accountsById, id, EMPTY_ACCOUNT);
      const isUnexplained = !isSending && chunk.evidence === undefined;
      if (isSending) account.inFlight.push([chunkIdOf(ref), deadline, size]);
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

  async function* documents(): AsyncIterable<Put> {
    for await (const fields of old.sends()) {
      yield* documentsOfSend(old, fields, (token = '') => keyOf.get(token), note);
    }
    for (const [id, value] of permitsByKey) yield put(keyPermits, id, withoutOwners(value));
    for (const [id, value] of accountsById) yield put(accounts, id, value);
    for (const [id, value] of daysById) yield put(dailySpending, id, value);
    for await (const fields of old.episodes()) {
      const { name, ...state } = Episode.parse(fields);
      yield put(namedStates, name, state);
    }
    for await (const fields of old.rows()) yield put(outbox, ...Row.parse(fields));
    for await (const fields of old.seen()) {
      const { key, expiresAt: until } = Seen.parse(fields);
      yield put(repeatMarks, key, { until });
    }
  }

  await putAll(engine, documents());
}

function found<T>(all: Map<string, T>, id: string, nothing: T): T {
  let value = all.get(id);
  if (value === undefined) {
    value = structuredClone(nothing);
    all.set(id, value);
  }
  return value;
}

/** Drops the tokens of permits without an attempt: nobody can give those back early, so each counts until it expires. */
function withoutOwners({ held, ...rest }: KeyPermits): KeyPermits {
  return {
    ...rest,
    live: held.filter(({ attempt }) => !attempt).map(({ until }) => until),
    held: held.filter(({ attempt }) => attempt),
  };
}
