import { onTestFinished } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type {
  RateLimited,
  ResolvedPart,
  Settlement,
  TakeRequest,
} from '../../src/ledger/model/attempt-types.ts';
import type {
  ChunkRecord,
  ChunkRef,
  LedgerMessage,
  UnknownChunks,
} from '../../src/ledger/model/chunk-record.ts';
import type { NewSend } from '../../src/ledger/model/decision-types.ts';
import type { LedgerLimits } from '../../src/ledger/model/ledger-limits.ts';
import type { SendRecord } from '../../src/ledger/model/send-record.ts';

/** A clock that only the test moves; ms since 1970. */
export interface HandClock {
  now(): number;
  advance(ms: number): void;
  set(at: number): void;
}

/** An engine on a store of its own. `reopen` boots again as after a kill: nothing was closed in order. */
export interface Rig {
  ledger: Ledger;
  reopen(): Promise<Ledger>;
  close(): Promise<void>;
}

/** Opens an engine on an empty store. */
export type OpenLedger = (options: { limits: LedgerLimits; clock: HandClock }) => Promise<Rig>;

export const LIMITS: LedgerLimits = { permits: 60, windowMs: 60_000, leaseMs: 30_000, timeoutMs: 15_000 };

/** How long a permit outlives its window under `LIMITS`, in ms. */
export const MARGIN_MS = 60;

export function handClock(at: number = Date.UTC(2026, 0, 5, 9)): HandClock {
  let time = at;
  return {
    now: () => time,
    advance: (ms) => {
      time += ms;
    },
    set: (to) => {
      time = to;
    },
  };
}

/** An engine that lives until the end of the test. */
export async function startRig(open: OpenLedger, limits: Partial<LedgerLimits> = {}) {
  const clock = handClock();
  const rig = await open({ limits: { ...LIMITS, ...limits }, clock });
  onTestFinished(() => rig.close());
  return { ledger: rig.ledger, clock, reopen: rig.reopen };
}

let numbers = 0;

/** This many messages, each to a number of its own. */
export function messages(count: number): LedgerMessage[] {
  return Array.from({ length: count }, () => {
    numbers += 1;
    return { phone: `4479${String(numbers).padStart(8, '0')}`, text: 'Hello' };
  });
}

/** A draft of one message. */
export function aSingle(id: string, over: Partial<NewSend> = {}): NewSend {
  return {
    id,
    team: 'T1',
    channelId: 'C1',
    instance: 'i1',
    kind: 'single',
    details: { by: 'U1' },
    topics: [],
    expiresInMs: 900_000,
    chunks: [messages(1)],
    ...over,
  };
}

/** A draft of a job with chunks of these sizes. */
export function aJob(id: string, sizes: number[], over: Partial<NewSend> = {}): NewSend {
  return aSingle(id, { kind: 'job', chunks: sizes.map(messages), ...over });
}

/** Writes a draft and confirms it. */
export async function confirmed(ledger: Ledger, send: NewSend): Promise<SendRecord> {
  await ledger.draft(send);
  const decided = await ledger.decide(send.id, { to: 'running', by: 'U1' });
  if (!decided.won) throw new Error(`the fixture's send was not decided: ${decided.why}`);
  return decided.send;
}

let tokens = 0;

/** A new token. */
export function freshToken(): string {
  tokens += 1;
  return `token-${tokens}`;
}

/** A request for the next single text of `i1`. */
export function forSingles(over: Partial<TakeRequest> = {}): TakeRequest {
  return {
    instance: 'i1',
    rateLimitKey: 'k1',
    account: 'a1',
    priority: 'interactive',
    token: freshToken(),
    ...over,
  };
}

/** A request for the next chunk of a job of `i1`. */
export function forJobs(over: Partial<TakeRequest> = {}): TakeRequest {
  return forSingles({ priority: 'background', ...over });
}

/** An attempt in flight. */
export interface Attempt {
  ref: ChunkRef;
  token: string;
  send: SendRecord;
  chunk: ChunkRecord;
}

/** Takes a chunk. Throws if the ledger hands out none. */
export async function taken(ledger: Ledger, request: TakeRequest = forSingles()): Promise<Attempt> {
  const result = await ledger.take(request);
  if (result.kind !== 'taken') throw new Error(`expected a chunk, got ${JSON.stringify(result)}`);
  const { send, chunk } = result;
  return { ref: { send: chunk.send, index: chunk.index }, token: request.token, send, chunk };
}

/** Drafts, confirms and takes a single text. */
export async function inFlight(ledger: Ledger, id: string, over: Partial<NewSend> = {}): Promise<Attempt> {
  await confirmed(ledger, aSingle(id, over));
  return taken(ledger, forSingles({ instance: over.instance ?? 'i1' }));
}

/** A single text that ended unknown. */
export async function unknownSingle(
  ledger: Ledger,
  id: string,
  over: Partial<NewSend> = {},
): Promise<Attempt> {
  const attempt = await inFlight(ledger, id, over);
  await ledger.settle(attempt.ref, attempt.token, UNANSWERED);
  return attempt;
}

/** A clean answer, by default with 1 credit. */
export function sentFor(creditsUsed = 1, creditsRemaining = 99): Settlement {
  return {
    to: 'sent',
    request: 'answered',
    receipt: { creditsUsed, creditsRemaining },
    result: { messageIds: [7] },
  };
}

export const SENT: Settlement = sentFor();
export const REJECTED: Settlement = { to: 'rejected', request: 'answered', result: { code: 'VALIDATION' } };
export const NOT_SENT: Settlement = {
  to: 'not_sent',
  request: 'never_started',
  result: { cause: 'refused' },
};
export const UNANSWERED: Settlement = { to: 'unknown', request: 'unanswered', result: { cause: 'reset' } };
export const GARBLED: Settlement = { to: 'unknown', request: 'answered', result: { cause: 'html' } };

/** The request never started, so its chunk can be taken again after `waitMs`. */
export function neverStarted(waitMs = 0): Settlement {
  return { to: 'pending', request: 'never_started', waitMs };
}

/** A 429 that asks for a rest of this many ms, or does not say for how long. */
export function refused(restMs: number | undefined): Settlement {
  return { to: 'pending', request: { restMs }, waitMs: 0 };
}

/** Splits into these chunks, within 40 requests; else rejects the messages. */
export function splitInto(
  children: LedgerMessage[][],
  over: {
    mostRequests?: number;
    otherwise?: Settlement;
    request?: 'never_started' | 'answered' | RateLimited;
  } = {},
): Settlement {
  return { to: 'split', request: 'answered', children, mostRequests: 40, otherwise: REJECTED, ...over };
}

/** Splits into two halves. */
export function halved(messages: LedgerMessage[], over: Parameters<typeof splitInto>[1] = {}): Settlement {
  const middle = Math.ceil(messages.length / 2);
  return splitInto([messages.slice(0, middle), messages.slice(middle)], over);
}

/** The part of an answer about some messages. */
export function aPart(
  state: ResolvedPart['state'],
  list: LedgerMessage[],
  over: Partial<ResolvedPart> = {},
): ResolvedPart {
  return { state, messages: list, result: { of: state }, ...over };
}

/** An answer with different outcomes for a chunk's messages. */
export function resolvedPerMessage(
  parts: ResolvedPart[],
  creditsUsed = 1,
  creditsRemaining = 99,
): Settlement {
  return {
    to: 'resolved_per_message',
    request: 'answered',
    receipt: { creditsUsed, creditsRemaining },
    parts,
  };
}

/** The field of a draft that sends one unknown chunk again. */
export function resendOf({ send, index }: ChunkRef): UnknownChunks {
  return { send, indexes: [index] };
}

/** The state of each chunk of a send, in order. */
export async function states(ledger: Ledger, id: string): Promise<string[]> {
  return (await ledger.chunks(id)).map((chunk) => chunk.state);
}

/** The ids of due rows in the outbox. Marks each row as posted. */
export async function drain(ledger: Ledger): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const token = freshToken();
    const row = await ledger.takeDue(token, 10_000);
    if (!row) return ids;
    ids.push(row.id);
    await ledger.markPosted(row.id, token, { ts: `${ids.length}` });
  }
}

/** A person resumes a job that nobody worked on for long. */
export async function resumedAfterAbsence(ledger: Ledger, send: string): Promise<void> {
  const answer = await ledger.take(forJobs());
  if (answer.kind !== 'unattended' || answer.send.id !== send) throw new Error(`${send} was not unattended`);
  await ledger.pause(send, 'away');
  await ledger.resume(send);
}
