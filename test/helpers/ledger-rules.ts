import type { RateLimited, RequestEnd, Settlement, Wait } from '../../src/ledger/model/attempt-types.ts';
import type { LedgerLimits, Priority } from '../../src/ledger/model/ledger-limits.ts';
import type { ChunkState } from '../../src/ledger/model/outcome-types.ts';
import type { SendKind, SendState } from '../../src/ledger/model/send-record.ts';

/** The rules of the ledger in memory, written as plainly as possible: tests compare the engine with them. */

export interface ModelChunk {
  state: ChunkState;
  size: number;
  token?: string;
  deadline: number;
  notBefore: number;
  staleAt: number;
  refusals: number;
  /** The index of the drafted chunk that it is, or descends from. */
  root: number;
  /** How many requests were made for it. */
  requests: number;
  /** Whether recovery made it unknown, and no later answer has said why. */
  noCause: boolean;
  credits: number;
  resentAs?: string;
  saidSentBy?: string;
  leftBy?: string;
  otherStatus?: string;
}

export interface ModelSend {
  id: string;
  kind: SendKind;
  state: SendState;
  createdAt: number;
  expiresAt: number;
  /** The failover after which the store may have forgotten that somebody sent the draft. */
  mayBeSent?: string;
  /** The same of a job's requests, until its next chunk is taken, or somebody resumes it. */
  mayLackRequests?: string;
  decidedAt: number;
  /** No chunk is taken before this time. */
  startsAt: number;
  /** Whether a chunk was ever taken. */
  wasTaken: boolean;
  endedAt: number;
  /** Whether only the details that it keeps are left. */
  forgotten: boolean;
  /** The person who asked for approval. */
  askedBy?: string;
  servedAt: number;
  inFlightLimit: number;
  unknownRun: number;
  chunks: ModelChunk[];
  /** The sizes of its chunks, if it was undone. */
  undone?: number[];
  resends?: ModelChunk[];
}

export interface Model {
  now: number;
  limits: LedgerLimits;
  marginMs: number;
  sends: ModelSend[];
  /** `ended`: the request is over. */
  permits: { token: string; until: number; ended?: boolean }[];
  /** Until when the model's one key rests. */
  restsUntil: number;
  /** The ids of rows to post: about a send's end or a later change, and about a request for approval. */
  announced: Set<string>;
}

const TEN_SECONDS = 10_000;
const TEN_MINUTES = 600_000;
const FIFTEEN_MINUTES = 900_000;
const HALF_AN_HOUR = 1_800_000;
const A_DAY = 86_400_000;

function isOpen(chunk: ModelChunk): boolean {
  return chunk.state === 'pending' || chunk.state === 'sending';
}

export function newChunk(size: number, root: number): ModelChunk {
  const times = { deadline: 0, notBefore: 0, staleAt: 0 };
  return { state: 'pending', size, root, ...times, refusals: 0, requests: 0, noCause: false, credits: 0 };
}

function tell(model: Model, { id }: ModelSend): void {
  model.announced.add(`receipt:${id}`);
}

function tellOfRequest(model: Model, { id, askedBy }: ModelSend): void {
  if (askedBy !== undefined) model.announced.add(`request:${id}`);
}

function expire(model: Model, send: ModelSend): void {
  send.state = 'expired';
  send.endedAt = model.now;
  send.chunks = [];
  if (send.askedBy === undefined) tell(model, send);
  else tellOfRequest(model, send);
}

function cancelPending(send: ModelSend): void {
  for (const chunk of send.chunks) if (chunk.state === 'pending') chunk.state = 'cancelled';
}

/** A decision. `approves`: a second person makes it. */
export interface ModelDecision {
  to: 'running' | 'cancelled' | 'superseded' | 'awaiting_approval' | 'declined';
  /** How long the send waits before it begins, in ms. */
  undoMs?: number;
  approves?: boolean;
  /** The failover after which it may be sent already, as the person knows. */
  evenIfSent?: string | undefined;
}

/** Why a decision must fail, whoever makes it; undefined if exactly one person must win. */
export function decide(model: Model, send: ModelSend, decision: ModelDecision) {
  const { to, undoMs = 0, approves = false, evenIfSent } = decision;
  if (send.state === 'expired') return 'expired';
  if (send.state !== 'draft' && send.state !== 'awaiting_approval') return 'decided';
  if (model.now >= send.expiresAt) {
    expire(model, send);
    return 'expired';
  }
  const isDraft = send.state === 'draft';
  if (isDraft && (to === 'declined' || (to === 'running' && approves))) return 'decided';
  if (!isDraft && (to === 'awaiting_approval' || (to === 'running' && !approves))) return 'decided';
  if (to === 'running' && send.mayBeSent && send.mayBeSent !== evenIfSent) return 'may_be_sent';
  if (to === 'running' && send.resends) {
    const again = send.resends;
    const why = whyUndecidable(again);
    if (why) return why;
    if (again.some(({ deadline }) => model.now < deadline)) return 'too_early';
    for (const chunk of again) chunk.resentAs = send.id;
    tellFirst(model, again);
  }
  send.state = to;
  if (to === 'awaiting_approval') {
    send.expiresAt = model.now + A_DAY;
    return undefined;
  }
  tellOfRequest(model, send);
  send.decidedAt = model.now;
  send.startsAt = model.now + undoMs;
  if (to !== 'running') {
    send.endedAt = model.now;
    send.chunks = [];
    // For a while, the person who asked may edit a declined request.
    send.forgotten = to !== 'declined';
  }
  for (const chunk of send.chunks) chunk.staleAt = send.startsAt + TEN_SECONDS;
  return undefined;
}

/** Notes that this person asked for approval of the send: only another person can give it. */
export function asks(model: Model, send: ModelSend, by: string): void {
  send.askedBy = by;
  tellOfRequest(model, send);
}

function firstOf(model: Model, again: ModelChunk[]): ModelSend | undefined {
  return model.sends.find(({ chunks }) => chunks.includes(again[0] as ModelChunk));
}

/** If people were told of the send's end, they must read that it was sent again, or that this was undone. */
function tellFirst(model: Model, again: ModelChunk[]): void {
  const first = firstOf(model, again);
  const isTold = first?.state === 'finished' || first?.state === 'stopped' || first?.state === 'paused';
  if (first && isTold) tell(model, first);
}

/** Whether an undo must win. */
export function undo(model: Model, send: ModelSend): boolean {
  if ((send.state !== 'running' && send.state !== 'paused') || send.wasTaken) return false;
  release(model, send);
  send.state = 'cancelled';
  send.endedAt = model.now;
  send.undone = send.chunks.map(({ size }) => size);
  send.chunks = [];
  tell(model, send);
  tellOfRequest(model, send);
  return true;
}

/** Why nobody can decide about these chunks; undefined if somebody can. */
function whyUndecidable(chunks: (ModelChunk | undefined)[]) {
  if (chunks.some((chunk) => chunk?.state !== 'unknown')) return 'not_unknown';
  if (chunks.some((chunk) => chunk?.resentAs !== undefined)) return 'resent_already';
  return chunks.some((chunk) => chunk?.saidSentBy !== undefined) ? 'said_sent' : undefined;
}

/** Why the ledger must not write down a person's word; undefined if it must. */
export function saySent(model: Model, send: ModelSend, indexes: number[], by: string) {
  const said = indexes.map((index) => send.chunks[index]);
  const why = whyUndecidable(said);
  if (why) return why;
  for (const chunk of said) Object.assign(chunk as ModelChunk, { saidSentBy: by });
  const isOver = send.state === 'finished' || send.state === 'stopped';
  if (isOver || send.kind === 'job') tell(model, send);
  return undefined;
}

/** Why nobody may leave these chunks as they are; undefined if somebody may. Nobody is told. */
export function leave(send: ModelSend, indexes: number[], by: string) {
  const left = indexes.map((index) => send.chunks[index]);
  const why = whyUndecidable(left);
  if (!why) for (const chunk of left) Object.assign(chunk as ModelChunk, { leftBy: by });
  return why;
}

/** The send and index of each chunk that waits for a person's decision. */
export function undecided(model: Model): string[] {
  return model.sends.flatMap(({ id, chunks }) =>
    chunks.flatMap((chunk, index) =>
      whyUndecidable([chunk]) === undefined && chunk.leftBy === undefined ? [`${id}.${index}`] : [],
    ),
  );
}

export type Expected =
  | { kind: 'taken'; among: { send: ModelSend; index: number }[] }
  | { kind: 'unattended'; send: ModelSend; since: number }
  | Wait
  | { kind: 'idle' };

/** The right answer to a take. For `taken`: all chunks that it may have chosen. */
export function expectTake(model: Model, priority: Priority): Expected {
  const running = model.sends.filter((send) => send.state === 'running');
  const ready: { send: ModelSend; index: number; rank: number }[] = [];
  const waits: number[] = [];
  for (const send of running) {
    if ((send.kind === 'single') !== (priority === 'interactive')) continue;
    const pending = send.chunks.filter(
      (chunk) => chunk.state === 'pending' && (send.kind === 'job' || chunk.staleAt > model.now),
    );
    if (pending.length === 0) continue;
    if (send.startsAt > model.now) {
      waits.push(send.startsAt);
      continue;
    }
    const index = send.chunks.findIndex((chunk) => pending.includes(chunk) && chunk.notBefore <= model.now);
    const inFlight = send.chunks.filter((chunk) => chunk.state === 'sending');
    if (index < 0) waits.push(Math.min(...pending.map((chunk) => chunk.notBefore)));
    else if (send.kind === 'job' && inFlight.length >= send.inFlightLimit) {
      waits.push(Math.min(...inFlight.map((chunk) => chunk.deadline)));
    } else ready.push({ send, index, rank: send.kind === 'single' ? send.decidedAt : send.servedAt });
  }
  if (ready.length === 0)
    return waits.length ? { kind: 'wait', until: Math.min(...waits) } : { kind: 'idle' };
  if (priority === 'background') {
    ready.sort((one, other) => one.rank - other.rank || (one.send.id < other.send.id ? -1 : 1));
    ready.splice(1);
    const { send } = ready[0] as { send: ModelSend };
    const since = send.servedAt || send.decidedAt;
    if (model.now - since > FIFTEEN_MINUTES) return { kind: 'unattended', send, since };
  }
  const wait = permitWait(model, priority);
  if (wait) {
    if (priority === 'interactive') extendGiveUp(model, wait.until);
    return wait;
  }
  const best = Math.min(...ready.map(({ rank }) => rank));
  return { kind: 'taken', among: ready.filter(({ rank }) => rank === best) };
}

/** When the next permit is free; undefined if the ledger must grant one now. */
export function permitWait(model: Model, priority: Priority): Wait | undefined {
  if (model.restsUntil > model.now) return { kind: 'wait', until: model.restsUntil, rests: true };
  model.permits = model.permits.filter(({ until }) => until > model.now);
  const { permits } = model.limits;
  const allowed = priority === 'interactive' || permits === 1 ? permits : permits - Math.ceil(permits / 10);
  if (model.permits.length < allowed) return undefined;
  const ends = model.permits.map(({ until }) => until).sort((a, b) => a - b);
  return { kind: 'wait', until: ends[model.permits.length - allowed] as number };
}

export function grantPermit(model: Model, token: string): void {
  const { leaseMs, windowMs } = model.limits;
  model.permits.push({ token, until: model.now + leaseMs + windowMs + model.marginMs });
}

export function endPermit(model: Model, token: string, fate: RequestEnd): void {
  const { timeoutMs, windowMs } = model.limits;
  const permit = model.permits.find((one) => one.token === token && one.until > model.now && !one.ended);
  if (permit && fate === 'never_started') model.permits.splice(model.permits.indexOf(permit), 1);
  else if (permit) {
    const doubt = fate === 'unanswered' ? timeoutMs : 0;
    Object.assign(permit, { until: model.now + windowMs + model.marginMs + doubt, ended: true });
  }
  // Even if the permit is over by then.
  if (isTurnedAway(fate)) {
    model.restsUntil = Math.max(model.restsUntil, model.now + (fate.restMs ?? windowMs));
  }
}

function isTurnedAway(fate: RequestEnd): fate is RateLimited {
  return typeof fate === 'object';
}

function backToPending(request: RateLimited): Settlement {
  return { to: 'pending', request, waitMs: 0 };
}

export function startAttempt(model: Model, send: ModelSend, chunk: ModelChunk, token: string): void {
  grantPermit(model, token);
  Object.assign(chunk, { state: 'sending', token, deadline: model.now + model.limits.leaseMs });
  chunk.requests += 1;
  send.servedAt = model.now;
  delete send.mayLackRequests;
  // Its card has offered Undo until now.
  if (send.kind === 'job' && send.startsAt > send.decidedAt && !send.wasTaken) tell(model, send);
  send.wasTaken = true;
}

/**
 * Single texts that could be taken then, or earlier, count as taken: nobody knows by which token. Drafts from then may be
 * sent already, and the store may lack requests of jobs from then.
 */
export function presumeForgotten(model: Model, begunBefore: number, doubt: string): void {
  for (const send of model.sends) {
    const isUndecided = send.state === 'draft' || send.state === 'awaiting_approval';
    if (isUndecided && send.createdAt <= begunBefore) send.mayBeSent = doubt;
    const isUnderWay = send.state === 'running' || send.state === 'paused';
    const lastSeen = Math.max(send.startsAt, send.servedAt);
    if (send.kind === 'job' && isUnderWay && lastSeen <= begunBefore) send.mayLackRequests = doubt;
    if (send.kind !== 'single' || send.state !== 'running' || send.startsAt > begunBefore) continue;
    for (const chunk of send.chunks) {
      if (chunk.state !== 'pending') continue;
      Object.assign(chunk, { state: 'sending', deadline: model.now + model.limits.leaseMs });
      delete chunk.token;
      send.wasTaken = true;
    }
  }
}

/** `turnedAway`: the chunk gets more time, even if its own is over. */
function extendGiveUp(model: Model, until: number, turnedAway?: ModelSend): void {
  for (const send of model.sends) {
    if (send.kind !== 'single' || send.state !== 'running') continue;
    for (const chunk of send.chunks) {
      if (chunk.state !== 'pending') continue;
      if (chunk.staleAt <= model.now && send !== turnedAway) continue;
      const to = Math.min(until + TEN_SECONDS, send.startsAt + TEN_MINUTES);
      chunk.staleAt = Math.max(chunk.staleAt, to);
    }
  }
}

/** The part of a settlement that counts. A split counts only in time, and within its number of requests. */
function whatCounts(send: ModelSend, chunk: ModelChunk, how: Settlement): Settlement {
  if (how.to !== 'split') return how;
  if (chunk.state === 'unknown') return whatCounts(send, chunk, how.otherwise);
  const family = send.chunks.filter(({ root }) => root === chunk.root);
  const made = family.reduce((sum, { requests }) => sum + requests, 0);
  const open = family.filter((other) => other !== chunk && isOpen(other)).length;
  const fits = made + open + how.children.length <= how.mostRequests;
  return fits ? how : whatCounts(send, chunk, how.otherwise);
}

function stateAfter(send: ModelSend, how: Settlement): ChunkState {
  if (how.to === 'resolved_per_message') return 'split';
  const goesOn = how.to === 'pending' || how.to === 'split';
  return goesOn && send.state === 'stopped' ? 'cancelled' : how.to;
}

/** Whether the chunk has the state that this settlement, or its fallback, must give it. */
function isRepeat(send: ModelSend, chunk: ModelChunk, how: Settlement): boolean {
  if (chunk.state === 'unknown' && how.to === 'unknown') return !chunk.noCause;
  if (chunk.state === how.to || chunk.state === stateAfter(send, how)) return true;
  const { request } = how;
  if (how.to !== 'pending' && isTurnedAway(request) && isRepeat(send, chunk, backToPending(request)))
    return true;
  return how.to === 'split' && isRepeat(send, chunk, how.otherwise);
}

/** Whether the ledger must accept the settlement. */
export function settle(
  model: Model,
  send: ModelSend,
  chunk: ModelChunk,
  token: string,
  asked: Settlement,
): boolean {
  if (chunk.token !== token) return false;
  if (isRepeat(send, chunk, asked)) return true;
  const rests = model.restsUntil > model.now && chunk.state !== 'unknown';
  const again = rests && isTurnedAway(asked.request) ? backToPending(asked.request) : undefined;
  const how = again ?? whatCounts(send, chunk, asked);
  const to = stateAfter(send, how);
  const late =
    chunk.state === 'unknown' &&
    ['sent', 'rejected', 'not_sent', 'resolved_per_message', 'unknown'].includes(how.to);
  if (chunk.state !== 'sending' && !late) return false;

  chunk.state = to;
  chunk.noCause = false;
  chunk.refusals = isTurnedAway(how.request) ? chunk.refusals + (again ? 0 : 1) : 0;
  if (how.request === 'never_started') chunk.requests -= 1;
  if (how.to === 'pending') chunk.notBefore = model.now + how.waitMs;
  if (how.to === 'sent' && how.otherStatus) chunk.otherStatus = how.otherStatus;
  if ('receipt' in how) chunk.credits = how.receipt.creditsUsed;
  const wasRunning = send.state === 'running';
  if (!late) moveBreaker(send, how);
  if (send.kind === 'job' && send.state === 'running' && 'pause' in how && how.pause) send.state = 'paused';
  if (send.state === 'paused' && wasRunning) tell(model, send);
  endPermit(model, token, how.request);
  if (isTurnedAway(how.request)) extendGiveUp(model, model.restsUntil, send);
  if (to === 'split') send.chunks.push(...childrenOf(chunk, how));
  close(model, send);
  return true;
}

function childrenOf(chunk: ModelChunk, how: Settlement): ModelChunk[] {
  if (how.to === 'split') return how.children.map((messages) => newChunk(messages.length, chunk.root));
  if (how.to !== 'resolved_per_message') return [];
  return how.parts.map(({ state, messages, otherStatus }) => ({
    ...newChunk(messages.length, chunk.root),
    state,
    ...(otherStatus ? { otherStatus } : {}),
    ...(state === 'unknown' && chunk.resentAs ? { resentAs: chunk.resentAs } : {}),
    ...(state === 'unknown' && chunk.saidSentBy ? { saidSentBy: chunk.saidSentBy } : {}),
    ...(state === 'unknown' && chunk.leftBy ? { leftBy: chunk.leftBy } : {}),
  }));
}

/** The tally that the send must have. */
export function tally({ chunks, undone }: ModelSend) {
  const states: { [state: string]: { chunks: number; messages: number } } = {};
  const otherStatuses: { [status: string]: number } = {};
  for (const { state, size, otherStatus } of chunks) {
    const { chunks: before, messages } = states[state] ?? { chunks: 0, messages: 0 };
    states[state] = { chunks: before + 1, messages: messages + size };
    if (otherStatus) otherStatuses[otherStatus] = (otherStatuses[otherStatus] ?? 0) + size;
  }
  if (undone)
    states.not_sent = { chunks: undone.length, messages: undone.reduce((sum, size) => sum + size, 0) };
  return { states, otherStatuses, creditsUsed: chunks.reduce((sum, { credits }) => sum + credits, 0) };
}

function moveBreaker(send: ModelSend, how: Settlement): void {
  if (send.kind !== 'job') return;
  const namesNone = how.to === 'resolved_per_message' && how.parts.every(({ state }) => state === 'unknown');
  if (how.to === 'unknown' || namesNone) {
    send.inFlightLimit = 1;
    send.unknownRun += 1;
  } else if (how.to !== 'pending' && how.request === 'answered') {
    send.inFlightLimit = Math.min(16, send.inFlightLimit + 1);
    send.unknownRun = 0;
  }
  if (send.state !== 'running') return;
  if (send.unknownRun >= 2) send.state = 'paused';
}

function close(model: Model, send: ModelSend): void {
  if (send.chunks.some(isOpen)) return;
  if (send.state === 'running' || send.state === 'paused') send.state = 'finished';
  if (!send.mayLackRequests && wentNowhere(send)) release(model, send);
  tell(model, send);
}

/** Whether nobody was texted and no resend of it was decided. An older copy may have sent a text that was stopped. */
function wentNowhere({ kind, state, chunks }: ModelSend): boolean {
  if (kind === 'single' && state === 'stopped') return false;
  return chunks.every((chunk) => chunk.state !== 'sent' && chunk.state !== 'unknown' && !chunk.resentAs);
}

/** `judged`: what the bot says of overdue drafts and texts, since an old copy of the data may hold them. */
export function recover(model: Model, deadBoot: boolean, judged?: 'wait' | 'may_be_sent'): void {
  for (const send of model.sends) {
    const isUndecided = send.state === 'draft' || send.state === 'awaiting_approval';
    const isTextOverdue =
      send.kind === 'single' &&
      send.state === 'running' &&
      send.chunks.some(({ state, staleAt }) => state === 'pending' && staleAt <= model.now);
    const isOverdue = isTextOverdue || (isUndecided && send.expiresAt <= model.now);
    if (isOverdue && judged === 'wait') continue;
    if (isTextOverdue && judged) {
      stop(model, send);
      continue;
    }
    let touched = false;
    for (const chunk of send.chunks) {
      const lost = chunk.state === 'sending' && (deadBoot || chunk.deadline <= model.now);
      const stale = chunk.state === 'pending' && isTextOverdue;
      if (lost) Object.assign(chunk, { state: 'unknown', noCause: true });
      if (stale) chunk.state = 'not_sent';
      touched ||= lost || stale;
    }
    if (touched) close(model, send);
    const goesOn = send.state === 'running' || send.state === 'paused';
    if (touched && goesOn && send.kind === 'job') tell(model, send);
    if (isUndecided && send.expiresAt <= model.now) expire(model, send);
    const over = Math.min(send.endedAt, send.expiresAt) + HALF_AN_HOUR <= model.now;
    const holdsDetails = send.state === 'expired' || send.state === 'declined' || send.undone;
    if (holdsDetails && over) send.forgotten = true;
  }
}

export function pause(model: Model, send: ModelSend): boolean {
  if (send.state !== 'running') return false;
  send.state = 'paused';
  tell(model, send);
  return true;
}

export function resume(model: Model, send: ModelSend): boolean {
  if (send.state !== 'paused') return false;
  send.state = 'running';
  send.servedAt = model.now;
  send.unknownRun = 0;
  delete send.mayLackRequests;
  return true;
}

export function stop(model: Model, send: ModelSend): boolean {
  if (send.state !== 'running' && send.state !== 'paused') return false;
  send.state = 'stopped';
  cancelPending(send);
  close(model, send);
  return true;
}

/** The chunks that this send was to repeat need a decision again. */
function release(model: Model, { id, resends = [] }: ModelSend): void {
  const [chunk] = resends;
  const first = chunk && model.sends.find(({ chunks }) => chunks.includes(chunk));
  if (!first) return;
  // Also parts that a late answer made of these chunks.
  for (const each of [...resends, ...first.chunks]) if (each.resentAs === id) delete each.resentAs;
  tellFirst(model, resends);
  const isOver = ['finished', 'stopped'].includes(first.state) && !first.chunks.some(isOpen);
  if (isOver && !first.mayLackRequests && wentNowhere(first)) release(model, first);
}
