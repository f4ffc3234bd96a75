import type {
  Audience,
  ChunkState,
  LedgerLimits,
  RequestFate,
  SendKind,
  SendState,
  Settlement,
} from '../../src/store/ledger.ts';

/** The rules of the ledger in memory, as plainly as they can be written down: what the engine is compared with. */

export interface ModelChunk {
  state: ChunkState;
  size: number;
  token?: string;
  deadline: number;
  notBefore: number;
  staleAt: number;
  refusals: number;
  resentAs?: string;
}

export interface ModelSend {
  id: string;
  kind: SendKind;
  state: SendState;
  expiresAt: number;
  decidedAt: number;
  servedAt: number;
  inFlightLimit: number;
  unknownRun: number;
  chunks: ModelChunk[];
  resends?: ModelChunk;
}

export interface Model {
  now: number;
  limits: LedgerLimits;
  marginMs: number;
  sends: ModelSend[];
  permits: { token: string; until: number }[];
  /** Ids of the sends whose end, or change after it, is not yet posted. */
  announced: Set<string>;
}

const TEN_SECONDS = 10_000;
const TEN_MINUTES = 600_000;

function isOpen(chunk: ModelChunk): boolean {
  return chunk.state === 'pending' || chunk.state === 'sending';
}

export function newChunk(size: number): ModelChunk {
  return { state: 'pending', size, deadline: 0, notBefore: 0, staleAt: 0, refusals: 0 };
}

function cancelPending(send: ModelSend): void {
  for (const chunk of send.chunks) if (chunk.state === 'pending') chunk.state = 'cancelled';
}

/** Why a decision must fail, or undefined where it must win. */
export function decide(model: Model, send: ModelSend, to: 'running' | 'cancelled' | 'superseded') {
  if (send.state === 'expired') return 'expired';
  if (send.state !== 'draft') return 'decided';
  if (model.now >= send.expiresAt) {
    send.state = 'expired';
    cancelPending(send);
    return 'expired';
  }
  if (to === 'running' && send.resends) {
    if (send.resends.state !== 'unknown') return 'not_unknown';
    if (send.resends.resentAs !== undefined) return 'resent_already';
    if (model.now < send.resends.deadline) return 'too_early';
    send.resends.resentAs = send.id;
    const first = model.sends.find(({ chunks }) => send.resends && chunks.includes(send.resends));
    // People hear that it was sent again, where they were told of its end before.
    if (first?.state === 'finished' || first?.state === 'stopped') model.announced.add(first.id);
  }
  send.state = to;
  send.decidedAt = model.now;
  if (to !== 'running') cancelPending(send);
  for (const chunk of send.chunks) chunk.staleAt = model.now + TEN_SECONDS;
  return undefined;
}

export type Expected =
  | { kind: 'taken'; among: { send: ModelSend; index: number }[] }
  | { kind: 'wait'; until: number }
  | { kind: 'idle' };

/** What a take must answer; for `taken`, which chunks are as good as each other. */
export function expectTake(model: Model, audience: Audience): Expected {
  const running = model.sends.filter((send) => send.state === 'running');
  const ready: { send: ModelSend; index: number; rank: number }[] = [];
  const waits: number[] = [];
  for (const send of running) {
    if ((send.kind === 'single') !== (audience === 'interactive')) continue;
    const pending = send.chunks.filter(
      (chunk) => chunk.state === 'pending' && (send.kind === 'job' || chunk.staleAt > model.now),
    );
    if (pending.length === 0) continue;
    const index = send.chunks.findIndex((chunk) => pending.includes(chunk) && chunk.notBefore <= model.now);
    const flying = send.chunks.filter((chunk) => chunk.state === 'sending');
    if (index < 0) waits.push(Math.min(...pending.map((chunk) => chunk.notBefore)));
    else if (send.kind === 'job' && flying.length >= send.inFlightLimit) {
      waits.push(Math.min(...flying.map((chunk) => chunk.deadline)));
    } else ready.push({ send, index, rank: send.kind === 'single' ? send.decidedAt : send.servedAt });
  }
  if (ready.length === 0)
    return waits.length ? { kind: 'wait', until: Math.min(...waits) } : { kind: 'idle' };
  const until = permitWait(model, audience);
  if (until !== undefined) {
    if (audience === 'interactive') excuse(model, until);
    return { kind: 'wait', until };
  }
  const best = Math.min(...ready.map(({ rank }) => rank));
  return { kind: 'taken', among: ready.filter(({ rank }) => rank === best) };
}

/** When a permit is next to be had, or undefined where one must be granted. */
export function permitWait(model: Model, audience: Audience): number | undefined {
  model.permits = model.permits.filter(({ until }) => until > model.now);
  const { permits } = model.limits;
  const allowed = audience === 'interactive' || permits === 1 ? permits : permits - Math.ceil(permits / 10);
  if (model.permits.length < allowed) return undefined;
  const ends = model.permits.map(({ until }) => until).sort((a, b) => a - b);
  return ends[model.permits.length - allowed];
}

export function grantPermit(model: Model, token: string): void {
  const { leaseMs, windowMs } = model.limits;
  model.permits.push({ token, until: model.now + leaseMs + windowMs + model.marginMs });
}

export function endPermit(model: Model, token: string, fate: RequestFate): void {
  if (fate === 'never_started') {
    model.permits = model.permits.filter((permit) => permit.token !== token);
  }
  const doubt = fate === 'unanswered' ? model.limits.timeoutMs : 0;
  for (const permit of model.permits) {
    if (permit.token === token) permit.until = model.now + model.limits.windowMs + model.marginMs + doubt;
  }
}

export function startAttempt(model: Model, send: ModelSend, chunk: ModelChunk, token: string): void {
  grantPermit(model, token);
  Object.assign(chunk, { state: 'sending', token, deadline: model.now + model.limits.leaseMs });
  send.servedAt = model.now;
}

function excuse(model: Model, until: number): void {
  for (const send of model.sends) {
    if (send.kind !== 'single' || send.state !== 'running') continue;
    for (const chunk of send.chunks) {
      if (chunk.state !== 'pending') continue;
      const to = Math.min(until + TEN_SECONDS, send.decidedAt + TEN_MINUTES);
      chunk.staleAt = Math.max(chunk.staleAt, to);
    }
  }
}

/** True where the settlement must be accepted. */
export function settle(
  model: Model,
  send: ModelSend,
  chunk: ModelChunk,
  token: string,
  how: Settlement,
): boolean {
  if (chunk.token !== token) return false;
  const goesOn = how.to === 'pending' || how.to === 'split';
  const to = goesOn && send.state === 'stopped' ? 'cancelled' : how.to;
  if (chunk.state === to || chunk.state === how.to) return true;
  const late = chunk.state === 'unknown' && (to === 'sent' || to === 'rejected' || to === 'not_sent');
  if (chunk.state !== 'sending' && !late) return false;

  chunk.state = to;
  chunk.refusals = how.to === 'pending' && how.refused ? chunk.refusals + 1 : 0;
  if (how.to === 'pending') chunk.notBefore = model.now + how.waitMs;
  if (!late) moveBreaker(send, how);
  endPermit(model, token, how.request);
  if (how.to === 'pending' && how.refused) excuse(model, to === 'pending' ? chunk.notBefore : 0);
  if (how.to === 'split' && to === 'split') {
    send.chunks.push(...how.children.map((messages) => newChunk(messages.length)));
  }
  close(model, send);
  return true;
}

function moveBreaker(send: ModelSend, how: Settlement): void {
  if (how.to === 'unknown') {
    send.inFlightLimit = 1;
    send.unknownRun += 1;
  } else if (how.to !== 'pending' && how.request === 'answered') {
    send.inFlightLimit = Math.min(16, send.inFlightLimit + 1);
    send.unknownRun = 0;
  }
  if (send.kind !== 'job' || send.state !== 'running') return;
  if (send.unknownRun >= 2 || (how.to === 'pending' && how.pause)) send.state = 'paused';
}

function close(model: Model, send: ModelSend): void {
  if (send.chunks.some(isOpen)) return;
  if (send.state === 'running' || send.state === 'paused') send.state = 'finished';
  model.announced.add(send.id);
}

export function recover(model: Model, deadBoot: boolean): void {
  for (const send of model.sends) {
    let touched = false;
    for (const chunk of send.chunks) {
      const lost = chunk.state === 'sending' && (deadBoot || chunk.deadline <= model.now);
      const stale =
        chunk.state === 'pending' &&
        send.kind === 'single' &&
        send.state === 'running' &&
        chunk.staleAt <= model.now;
      if (lost) chunk.state = 'unknown';
      if (stale) chunk.state = 'not_sent';
      touched ||= lost || stale;
    }
    if (touched) close(model, send);
    if (send.state === 'draft' && send.expiresAt <= model.now) {
      send.state = 'expired';
      cancelPending(send);
    }
  }
}

export function pause(send: ModelSend): boolean {
  if (send.state !== 'running') return false;
  send.state = 'paused';
  return true;
}

export function resume(send: ModelSend): boolean {
  if (send.state !== 'paused') return false;
  send.state = 'running';
  send.unknownRun = 0;
  return true;
}

export function stop(model: Model, send: ModelSend): boolean {
  if (send.state !== 'running' && send.state !== 'paused') return false;
  send.state = 'stopped';
  cancelPending(send);
  close(model, send);
  return true;
}
