import {
  type AccountDocument,
  accounts,
  type DailySpending,
  dailySpending,
} from '../../ledger/accounts/account-documents.ts';
import { EMPTY_ACCOUNT } from '../../ledger/accounts/accounts.ts';
import { chunkIdOf } from '../../ledger/model/chunk-documents.ts';
import { dayOf } from '../../ledger/model/days.ts';
import type { Json } from '../../ledger/model/json.ts';
import { repeatMarks } from '../../ledger/model/once.ts';
import {
  namedStates,
  type OutboxDocument,
  outbox,
  type WaitingRow,
} from '../../ledger/outbox/outbox-documents.ts';
import { type KeyPermits, keyPermits } from '../../ledger/permits/permit-documents.ts';
import { permitOf } from '../../ledger/permits/rate-limit.ts';
import type { Engine } from '../../store/store.ts';
import { type Put, put, putAll } from '../put.ts';
import { documentsOfSend, type OldChunk } from './old-sends.ts';
import { type Fields, jsonIn, numbersIn, type OldStore, wholeNumberIn } from './old-store.ts';

/** Writes all that an old store holds as documents. It can be run again; the old store must not change meanwhile. */
export async function writeFromOld(old: OldStore, engine: Engine): Promise<void> {
  const keyOf = new Map<string, string>();
  const permitsByKey = new Map<string, KeyPermits>();
  const accountsById = new Map<string, AccountDocument>();
  const daysById = new Map<string, DailySpending>();
  const permitsOf = (id: string) => found(permitsByKey, id, { live: [], held: [] });

  for await (const { token, lane: id, until } of old.permits()) {
    keyOf.set(token, id);
    permitsOf(id).held.push({ token, until: Math.ceil(until) });
  }
  for await (const { lane: id, until } of old.rests()) permitsOf(id).restsUntil = Math.ceil(until);
  for await (const { id, fields } of old.accounts()) accountsById.set(id, accountOf(fields));

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
      // Evidence comes after all doubt.
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
      yield* documentsOfSend(
        old,
        fields,
        (token) => (token === undefined ? undefined : keyOf.get(token)),
        note,
      );
    }
    for (const [id, value] of permitsByKey) yield put(keyPermits, id, withoutOwners(value));
    for (const [id, value] of accountsById) yield put(accounts, id, value);
    for (const [id, value] of daysById) yield put(dailySpending, id, value);
    for await (const { name, fields } of old.episodes()) {
      const { state = '', details = '' } = fields;
      const movedAt = wholeNumberIn(fields, 'movedAt') ?? 0;
      yield put(namedStates, name, { state, details: JSON.parse(details) as Json, movedAt });
    }
    for await (const { id, fields } of old.rows()) yield put(outbox, id, rowOf(fields));
    for await (const { key, until } of old.seen()) yield put(repeatMarks, key, { until: Math.ceil(until) });
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

/** Only an attempt's permit has somebody who may end it: the others count until their time is over. */
function withoutOwners({ held, ...rest }: KeyPermits): KeyPermits {
  return {
    ...rest,
    live: held.filter(({ attempt }) => !attempt).map(({ until }) => until),
    held: held.filter(({ attempt }) => attempt),
  };
}

function accountOf(fields: Fields): AccountDocument {
  const { anchor: credits, anchoredAt: at = 0 } = numbersIn(fields, ['anchor', 'anchoredAt']);
  return {
    ...structuredClone(EMPTY_ACCOUNT),
    ...numbersIn(fields, ['credits', 'asOf', 'activity', 'receiptsSince']),
    ...(credits === undefined ? {} : { baseline: { credits, at } }),
  };
}

function rowOf(fields: Fields): OutboxDocument {
  const { topic = '', subject = '', details = '', state, token } = fields;
  const { spacing = 0 } = numbersIn(fields, ['spacing']);
  const dueAt = wholeNumberIn(fields, state === 'posting' ? 'deadline' : 'dueAt') ?? 0;
  const waiting: WaitingRow = {
    topic,
    subject,
    details: JSON.parse(details) as Json,
    since: wholeNumberIn(fields, 'since') ?? 0,
    revision: wholeNumberIn(fields, 'revision') ?? 0,
    attempts: wholeNumberIn(fields, 'attempts') ?? 0,
    dueAt,
    ...numbersIn(fields, ['takenRevision']),
    ...(state === 'posting' && token !== undefined ? { token } : {}),
  };
  return {
    ...(state === 'posted' ? {} : { waiting }),
    ...numbersIn(fields, ['postedAt']),
    ...jsonIn<Json, 'posted'>(fields, ['posted']),
    ...(spacing > 0 ? { spacing } : {}),
  };
}
