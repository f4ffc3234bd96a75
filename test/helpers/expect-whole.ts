import assert from 'node:assert/strict';
import type { AccountDocument } from '../../src/ledger/accounts/account-documents.ts';
import type { DailySpending } from '../../src/ledger/accounts/statement-types.ts';
import { COLLECTIONS } from '../../src/ledger/collections.ts';
import type { BudgetPeriod } from '../../src/ledger/model/budget-types.ts';
import {
  type ChunkDocument,
  chunkIdOf,
  chunkRefOf,
  type TextsDocument,
} from '../../src/ledger/model/chunk-documents.ts';
import { isOpenState } from '../../src/ledger/model/chunk-progress.ts';
import type { ChunkProgress, SendDocument } from '../../src/ledger/model/send-documents.ts';
import { chunkSizeAt } from '../../src/ledger/model/sizes.ts';
import { countOf, emptyCounts, withChunkRecounted } from '../../src/ledger/model/tally.ts';
import { usageOf } from '../../src/ledger/rules/budget-usage.ts';
import { keyText } from '../../src/store/keys.ts';
import type { Dump } from './dump-store.ts';

/** A chunk, with what its send must count for it. */
type Chunk = ChunkDocument & { index: number; isTaken: boolean };

/**
 * Checks a ledger's indexes and counters against its documents. A step that forgets one would lose work that nobody
 * looks for, or text somebody without credits.
 */
export function expectWhole({ documents, entries }: Dump, { isUpgraded = false } = {}): void {
  const all = <T>(name: string) =>
    new Map(
      documents.flatMap(({ collection, id, value }) =>
        collection === name ? [[id, value as T] as const] : [],
      ),
    );
  const sends = all<SendDocument>('sends');
  const taken = all<ChunkDocument>('chunks');
  const texts = all<TextsDocument>('texts');
  assert.deepEqual(entries.map(shown).sort(), entriesOf(documents).sort());

  const chunks = new Map([...sends].map(([id, send]) => [id, chunksOf(send, taken, texts)]));
  for (const name of [...taken.keys(), ...texts.keys()]) {
    const { send, index } = chunkRefOf(name);
    assert(index < (chunks.get(send)?.length ?? 0), `${name} is left of a send that has no such chunk`);
  }
  for (const [id, send] of sends) {
    // A send that is being deleted counts chunks that are gone.
    if (send.retention?.left === undefined) expectCounted(send, chunks.get(id) ?? []);
  }
  for (const [id, account] of all<AccountDocument>('accounts')) expectAccount(id, account, taken);
  expectBudgets(all<BudgetPeriod>('budgets'), sends, chunks);
  expectDays([...all<DailySpending>('spending').values()], [...sends.values()]);
  // Earlier versions counted no outcomes.
  if (!isUpgraded) expectOutcomes(all<DailySpending>('spending'), sends, chunks);
}

function shown({ collection, index, key, id }: Dump['entries'][number]): string {
  return `${collection}.${index} ${key} ${id}`;
}

/** The entries that the functions of the indexes return. */
function entriesOf(documents: Dump['documents']): string[] {
  const named = new Map(COLLECTIONS.map((collection) => [collection.name, collection]));
  return documents.flatMap(({ collection, id, value }) => {
    const indexes = Object.entries(named.get(collection)?.indexes ?? assert.fail(`what is ${collection}?`));
    return indexes.flatMap(([index, keyOf]) => {
      const key = (keyOf as (value: unknown) => Parameters<typeof keyText>[0] | undefined)(value);
      return key ? [shown({ collection, index, key: keyText(key), id })] : [];
    });
  });
}

function chunksOf(
  { record, work, messages, retention }: SendDocument,
  taken: Map<string, ChunkDocument>,
  texts: Map<string, TextsDocument>,
): Chunk[] {
  return Array.from({ length: work.chunks }, (_, index) => {
    const name = chunkIdOf({ send: record.id, index });
    const document = taken.get(name);
    const isForgotten = document ? document.forgotten : index < (retention?.next ?? 0);
    if (isForgotten) assert.equal((messages ?? texts.get(name) ?? []).length, 0, `${name} is not forgotten`);
    const size = isForgotten
      ? (document?.size ?? chunkSizeAt(work.sizes ?? [], index) ?? (record.kind === 'single' ? 1 : 0))
      : ((messages ?? texts.get(name))?.length ?? assert.fail(`the messages of ${name} are gone`));
    if (document) assert.equal(document.size, size, `${name} counts other messages than it has`);
    const isCancelled = record.state === 'stopped' && (document?.state ?? 'pending') === 'pending';
    return {
      ...(document ?? { attempt: 0, refusals: 0, size, root: index }),
      index,
      isTaken: document !== undefined,
      state: isCancelled ? 'cancelled' : (document?.state ?? 'pending'),
    };
  });
}

function asStored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Checks a send's tally, and the lists of its chunks. */
function expectCounted({ record, work, tally }: SendDocument, chunks: Chunk[]): void {
  const { id } = record;
  let counted = { ...emptyCounts(), creditsUsed: tally.creditsUsed };
  for (const chunk of chunks) counted = withChunkRecounted(counted, undefined, chunk);
  assert.deepEqual(tally, asStored(counted), `the tally of ${id}`);
  if (chunks.length === 0) return;

  const by = <T>(list: Chunk[], value: (chunk: Chunk) => T) =>
    Object.fromEntries(list.map((chunk) => [chunk.index, value(chunk)]));
  const inFlight = chunks.filter(({ state }) => state === 'sending');
  assert.deepEqual(
    work.inFlight ?? {},
    by(inFlight, ({ deadline }) => deadline),
    `what ${id} has on its way`,
  );
  const back = chunks.filter(({ state, isTaken }) => state === 'pending' && isTaken);
  assert.deepEqual(
    work.back ?? {},
    by(back, ({ notBefore = 0 }) => notBefore),
    `what ${id} has waiting again`,
  );
  for (const { index, isTaken, state } of chunks) {
    const isFresh = index >= work.next && index < work.drafted;
    assert.equal(
      isTaken || state === 'cancelled',
      !isFresh,
      `chunk ${index} of ${id} is not where it counts`,
    );
  }
  assert.deepEqual(
    work.splitBudgets ?? {},
    familiesOf(record.state === 'stopped' ? [] : chunks),
    `splitBudgets of ${id}`,
  );
}

/** Drafted chunks that were split and have open children. */
function familiesOf(chunks: Chunk[]): ChunkProgress['splitBudgets'] {
  const splitBudgets: ChunkProgress['splitBudgets'] = {};
  for (const root of new Set(
    chunks.filter(({ parent }) => parent !== undefined).map((chunk) => chunk.root),
  )) {
    const family = chunks.filter((chunk) => chunk.root === root);
    const open = family.filter(({ state }) => isOpenState(state)).length;
    const requests = family.reduce((sum, { attempt, neverStarted = 0 }) => sum + attempt - neverStarted, 0);
    if (open > 0) splitBudgets[root] = { requests, open };
  }
  return splitBudgets;
}

/** Checks an account's chunks in flight, in doubt and without evidence. */
function expectAccount(id: string, account: AccountDocument, chunks: Map<string, ChunkDocument>): void {
  const mine = [...chunks].filter(([, chunk]) => chunk.account === id);
  const inFlight = mine.filter(([, { state }]) => state === 'sending');
  const expected = inFlight.map(([name, { deadline, size }]) => [name, deadline, size]);
  assert.deepEqual(account.inFlight.toSorted(), expected.toSorted(), `what ${id} has on its way`);
  const unknown = mine.filter(([, { state }]) => state === 'unknown');
  const unexplained = unknown.filter(([, { evidence }]) => evidence === undefined);
  assert.equal(account.unexplained, unexplained.length, `what ${id} has no evidence of`);
  for (const [name, deadline] of Object.entries(account.maybeInFlight ?? {})) {
    const chunk = chunks.get(name);
    assert.deepEqual(
      [chunk?.state, chunk?.deadline],
      ['unknown', deadline],
      `the doubt of ${id} about ${name}`,
    );
  }
  // A chunk with evidence may have left the list already: evidence comes after all doubt.
  for (const [name, { deadline = 0, settledAt = 0 }] of unexplained) {
    if (deadline > settledAt)
      assert.equal(account.maybeInFlight?.[name], deadline, `${id} does not doubt ${name}`);
  }
}

/** Checks that each period counts the credits that its sends have used and hold, and that sends agree with their chunks. */
function expectBudgets(
  periods: Map<string, BudgetPeriod>,
  sends: Map<string, SendDocument>,
  chunks: Map<string, Chunk[]>,
): void {
  const counted = new Map([...periods.keys()].map((id) => [id, { used: 0, held: 0 }]));
  for (const [id, send] of sends) {
    const { used, held } = usageOf(send);
    for (const name of send.budget?.periods ?? []) {
      // Retention deletes a period long after its end.
      const sum = counted.get(name);
      if (sum) counted.set(name, { used: sum.used + used, held: sum.held + held });
    }
    const judged = (chunks.get(id) ?? []).filter((chunk) => chunk.judged !== undefined);
    assert(
      judged.every(({ state }) => state === 'unknown'),
      `${id} has judged what is known`,
    );
    const messages = judged.reduce((sum, { size }) => sum + size, 0);
    const credits = judged.reduce((sum, chunk) => sum + (chunk.judged ?? 0), 0);
    assert.deepEqual(send.budget?.judged ?? { messages: 0, credits: 0 }, { messages, credits });
  }
  const said = [...periods].map(([id, { used, held }]) => [id, { used, held }]);
  assert.deepEqual(Object.fromEntries(said), Object.fromEntries(counted), 'what budgets count');
}

/** Checks that all days together have spent what all sends cost. */
function expectDays(days: DailySpending[], sends: SendDocument[]): void {
  const booked = summed(
    days.map(({ team, channelId, by, credits, messages }) => ({
      who: [team, channelId, by],
      credits,
      messages,
    })),
  );
  const used = summed(
    sends.map(({ record: { team, channelId, decidedBy = '' }, tally }) => ({
      who: [team, channelId, decidedBy],
      credits: tally.creditsUsed,
      messages: countOf(tally, 'sent').messages,
    })),
  );
  assert.deepEqual(booked, used, 'what was spent');
}

/**
 * Checks that each day counts, beside its receipts, the outcomes that became known on it. An unknown chunk stays with
 * the day that counted it. A recipient that a draft left out has no outcome.
 */
function expectOutcomes(
  days: Map<string, DailySpending>,
  sends: Map<string, SendDocument>,
  chunks: Map<string, Chunk[]>,
): void {
  const counted: { [line: string]: number } = {};
  for (const [id, { record, work }] of sends) {
    for (const { index, parent, state, saidSentBy, settledAt = 0, countedIn, size } of chunks.get(id) ?? []) {
      if (index >= work.drafted && parent === undefined) continue;
      const outcome = state === 'unknown' ? (saidSentBy === undefined ? 'unknown' : 'arrived') : 'notSent';
      if (!['unknown', 'rejected', 'not_sent'].includes(state)) continue;
      assert.equal(countedIn !== undefined, state === 'unknown', `where ${id}/${index} is counted`);
      const day = countedIn ? days.get(countedIn)?.day : Math.floor(settledAt / 86_400_000);
      const line = [whoOf(record.decidedBy, record), day, outcome].join(' ');
      counted[line] = (counted[line] ?? 0) + size;
    }
  }
  const said: { [line: string]: number } = {};
  // Retention deletes sends in the end, but keeps their counts.
  const there = new Set([...sends.values()].map(({ record }) => whoOf(record.decidedBy, record)));
  for (const { team, channelId, by, day, others = {} } of days.values()) {
    if (!there.has(whoOf(by, { team, channelId }))) continue;
    for (const [outcome, messages] of Object.entries<number>(others)) {
      const line = [whoOf(by, { team, channelId }), day, outcome].join(' ');
      if (messages !== 0) said[line] = (said[line] ?? 0) + messages;
    }
  }
  assert.deepEqual(said, counted, 'what became of texts on each day');
}

function whoOf(by: string | undefined, { team, channelId }: { team: string; channelId: string }): string {
  return [team, channelId, by].join(' ');
}

function summed(all: { who: string[]; credits: number; messages: number }[]): { [who: string]: string } {
  const groups = Map.groupBy(all, ({ who }) => who.join(' '));
  const total = (list: typeof all, what: 'credits' | 'messages') =>
    list.reduce((sum, one) => sum + one[what], 0);
  return Object.fromEntries(
    [...groups].flatMap(([who, list]) => {
      const [credits, messages] = [total(list, 'credits'), total(list, 'messages')];
      return credits > 0 || messages > 0 ? [[who, `${credits} credits, ${messages} messages`]] : [];
    }),
  );
}
