import type { ChunkRecord, ChunkRef, Json, LedgerMessage, SendRecord } from '../ledger.ts';
import { hasEnded } from '../transitions.ts';
import type { Context } from './context.ts';
import { RedisStepError } from './errors.ts';
import { type Reading, readingOf, type StoredSend } from './reading.ts';
import type { Deadline, Reply } from './run.ts';

/**
 * Steps that the state machine decides: read, compute here, and write all of it if nothing moved in between, else
 * again. Every change of a send or of one of its chunks moves the send's version.
 */

type Values = { [field: string]: string };

/** One change of a plan; `lua/8-commit.lua` carries them out in their order. */
type Change =
  | { kind: 'send'; id: string; set: Values; gone: string[] }
  | { kind: 'chunk'; id: string; index: number; set: Values; gone: string[]; messages?: number }
  | { kind: 'cancelPending' | 'dropDraft'; id: string }
  | { kind: 'giveUpAt'; id: string; at: number }
  | { kind: 'endPermit'; token: string; lasts: number | undefined }
  | { kind: 'rest'; token: string; ms: number; instance: string; staleAfter: number; longestWait: number }
  | { kind: 'activity'; account: string }
  | { kind: 'receipt'; account: string; used: number; remaining: number; counts: boolean }
  | { kind: 'announce'; news: News }
  | { kind: 'anchor'; account: string; credits: number };

/** An announcement as the scripts take it. */
export interface News {
  id: string;
  topic: string;
  subject: string;
  details: string;
  spacing?: string;
}

/** What a step comes to: changes that count only while these sends stand as they were read. */
export interface Plan {
  /** When what it was made from was read, by the store's clock. */
  at: number;
  versions: { id: string; v: string }[];
  /** What to read again where something moved in between. */
  reread: { sends: string[]; chunks: ChunkRef[]; token?: string };
  /** Counts only while the key of this token's permit rests, or does not. */
  key?: { token: string; rests: boolean };
  /** Counts only before this moment. */
  before?: number;
  /** Counts only while the account is idle and its activity is this. */
  quiet?: { account: string; activity: number };
  changes: Change[];
  /** Long texts, which the changes name by number from 1. */
  texts: string[];
}

/** An empty plan on these sends; one that must not be there yet is named by its id alone. */
export function planOn(at: number, ...sends: (StoredSend | string)[]): Plan {
  const versions = sends.map((send) =>
    typeof send === 'string' ? { id: send, v: '' } : { id: send.record.id, v: send.version },
  );
  return { at, versions, reread: { sends: [], chunks: [] }, changes: [], texts: [] };
}

/** Carries a plan out, all of it or nothing. `moved`: the account was not quiet. */
export async function commit(
  { runner }: Context,
  { texts, ...plan }: Plan,
  deadline: Deadline,
): Promise<{ outcome: 'done' | 'moved' } | { outcome: 'conflict'; reading: Reading }> {
  // What was read within this step is fresh; more than that, and one of the clocks was set.
  const fresh = 2 * runner.stepMs;
  const [outcome, reread] = await runner.run('commit', { ...plan, fresh }, { texts, deadline });
  if (outcome !== 'conflict') return { outcome: outcome === 'done' ? 'done' : 'moved' };
  return { outcome, reading: readingOf(plan.reread.chunks, reread as Reply[]) };
}

/** Tries until nobody else was quicker, or the deadline is over. `attempt` answers undefined where somebody was. */
export async function untilDone<T>(
  { runner }: Context,
  attempt: (deadline: Deadline) => Promise<{ answer: T } | undefined>,
): Promise<T> {
  const deadline = runner.deadline();
  for (;;) {
    const done = await attempt(deadline);
    if (done) return done.answer;
    if (performance.now() >= deadline.local) {
      throw new RedisStepError('late', 'Others were quicker each time, until it was too late.');
    }
  }
}

/** Writes what is another about a send than it was when it was read. */
export function putSend(plan: Plan, was: SendRecord, is: SendRecord): void {
  const difference = between(sendFields(was), sendFields(is));
  const earlier = plan.changes.find((change) => change.kind === 'send' && change.id === is.id);
  if (earlier) Object.assign(earlier, difference);
  else plan.changes.push({ kind: 'send', id: is.id, ...difference });
}

function sendFields(send: SendRecord): MaybeFields {
  return {
    state: send.state,
    details: JSON.stringify(send.details),
    keeps: asJson(send.keeps),
    decidedAt: send.decidedAt,
    decidedBy: send.decidedBy,
    endedAt: send.endedAt,
    pauseReason: send.pauseReason,
    servedAt: send.servedAt,
    inFlightLimit: send.inFlightLimit,
    unknownRun: send.unknownRun,
  };
}

/** Writes what an answer changed about a chunk. */
export function putChunk(
  plan: Plan,
  was: ChunkRecord,
  is: ChunkRecord,
  more: { creditsUsed?: number | undefined; neverStarted?: number | undefined } = {},
): void {
  const { set, gone } = between(chunkFields(was), chunkFields(is));
  const all = { ...set, ...present(more) };
  plan.changes.push({ kind: 'chunk', id: is.send, index: is.index, set: all, gone });
}

function chunkFields(chunk: ChunkRecord): MaybeFields {
  return {
    state: chunk.state,
    deadline: chunk.deadline,
    notBefore: chunk.notBefore,
    refusals: chunk.refusals,
    result: asJson(chunk.result),
    otherStatus: chunk.otherStatus,
    settledAt: chunk.settledAt,
  };
}

/** A chunk that is new, pending unless `more` says otherwise. */
export function addChunk(
  plan: Plan,
  { send, index }: ChunkRef,
  messages: LedgerMessage[],
  more: MaybeFields = {},
): void {
  plan.texts.push(JSON.stringify(messages));
  const fields = { state: 'pending', size: messages.length, attempt: 0, refusals: 0, ...more };
  plan.changes.push({
    kind: 'chunk',
    id: send,
    index,
    set: present(fields),
    gone: [],
    messages: plan.texts.length,
  });
}

/** Single fields of a chunk. */
export function editChunk(plan: Plan, { send, index }: ChunkRef, set: Values): void {
  plan.changes.push({ kind: 'chunk', id: send, index, set, gone: [] });
}

/** Makes the send's topics due: their messages are made from the send as it stands when they are posted. */
export function announceEnd(plan: Plan, send: SendRecord): void {
  for (const topic of send.topics) {
    const news = { id: `${topic}:${send.id}`, topic, subject: send.id, details: 'null' };
    plan.changes.push({ kind: 'announce', news });
  }
}

/**
 * Finishes a send that has nothing open any more, and makes its topics due when it has ended: on every change after
 * that too, since a late answer changes what people were told. Returns the send as it then stands.
 */
export function closeIfDone(plan: Plan, was: SendRecord, send: SendRecord, open: number): SendRecord {
  if (open > 0) return send;
  let closed = send;
  if (send.state === 'running' || send.state === 'paused') {
    const { pauseReason: _over, ...rest } = send;
    closed = { ...rest, state: 'finished', endedAt: plan.at };
    putSend(plan, was, closed);
  }
  if (hasEnded(closed)) announceEnd(plan, closed);
  return closed;
}

/** JSON of what may be absent. */
export function asJson(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

type MaybeFields = { [field: string]: string | number | undefined };

function present(fields: MaybeFields): Values {
  const set: Values = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) set[name] = String(value);
  return set;
}

/** What to write and what to remove to come from the one to the other. */
function between(was: MaybeFields, is: MaybeFields): { set: Values; gone: string[] } {
  const set: Values = {};
  const gone: string[] = [];
  for (const [name, value] of Object.entries(is)) {
    if (value === was[name]) continue;
    if (value === undefined) gone.push(name);
    else set[name] = String(value);
  }
  return { set, gone };
}
