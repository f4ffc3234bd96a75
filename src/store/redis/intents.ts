import type { ChunkRef, SendRecord, Settled, Settlement, Taken, TakeRequest } from '../ledger.ts';
import { AWAY_MS, applySettlement, isTurnedAway, LONGEST_WAIT_MS, STALE_AFTER_MS } from '../transitions.ts';
import type { Context } from './context.ts';
import { lastsAfter, permitTerms, restAfter, waitOf } from './permits.ts';
import {
  addChunk,
  asJson,
  closeIfDone,
  commit,
  type Plan,
  planOn,
  putChunk,
  putSend,
  untilDone,
} from './plan.ts';
import {
  openChunks,
  type Reading,
  read,
  type StoredChunk,
  type StoredSend,
  storedChunk,
  storedSend,
} from './reading.ts';
import { type Fields, fieldsOf } from './rows.ts';

const WAITS = { staleAfter: STALE_AFTER_MS, longestWait: LONGEST_WAIT_MS };
const AWAY = { awayAfter: AWAY_MS };

/** How many attempts' beginnings are kept at most: one that is never settled here must not stay for ever. */
const BEGUN_MOST = 1000;

/** Permit and intent in one step, or neither. */
export async function takeNext(context: Context, request: TakeRequest): Promise<Taken> {
  const { runner, limits } = context;
  const permits = permitTerms(limits, request.audience);
  const ask = { ...request, ...WAITS, ...AWAY, permits, lease: limits.leaseMs };
  const reply = await runner.run('take', ask);
  const [kind, at, send, index, chunk] = reply;
  if (kind === 'idle') return { kind };
  if (kind === 'wait') return waitOf(reply);
  if (kind === 'away') {
    const { record } = storedSend(fieldsOf(send)) as StoredSend;
    return { kind, send: record, since: Number(at) };
  }
  if (kind === 'used') throw new Error('this token was used for a request before: each needs its own');
  const stored = storedSend(fieldsOf(send)) as StoredSend;
  const ref = { send: stored.record.id, index: Number(index) };
  const fields = fieldsOf(chunk) as Fields;
  const found = storedChunk(ref, fields) as StoredChunk;
  // Of a chunk that descends from another its family is not known here.
  if (!fields.has('root'))
    begin(context, request.token, { at: Number(at), sends: [stored], chunks: [found], rests: false });
  return { kind: 'taken', send: stored.record, chunk: found.record };
}

function begin({ begun }: Context, token: string, reading: Reading): void {
  const [oldest] = begun.keys();
  if (begun.size >= BEGUN_MOST && oldest !== undefined) begun.delete(oldest);
  begun.set(token, reading);
}

/** What the attempt began with, as if it were read now: it counts only if nothing has moved since. */
function beginningOf({ begun, runner }: Context, ref: ChunkRef, token: string): Reading | undefined {
  const reading = begun.get(token);
  begun.delete(token);
  const chunk = reading?.chunks[0]?.record;
  if (chunk?.send !== ref.send || chunk.index !== ref.index) return undefined;
  return reading && { ...reading, at: Math.round(runner.now()) };
}

/** Ends an attempt: chunk, breaker, permit, credits, the send's end and its announcements in one step. */
export function settleAttempt(
  context: Context,
  ref: ChunkRef,
  token: string,
  asked: Settlement,
): Promise<Settled> {
  let reading = beginningOf(context, ref, token);
  return untilDone(context, async (deadline): Promise<{ answer: Settled } | undefined> => {
    reading ??= await read(context, [ref.send], [ref], deadline, token);
    const { at, sends, chunks, rests } = reading;
    const [[stored], [found]] = [sends, chunks];
    if (!stored || !found) return { answer: { settled: false } };
    const { record: chunk, family } = found;
    const after = applySettlement(stored.record, chunk, asked, { token, now: at, family, rests });
    if (!after) return { answer: { settled: false } };
    if (!after.changed) return { answer: { settled: true, send: stored.record, chunk } };

    const { settlement } = after;
    const plan = planOn(at, stored);
    const receipt = 'receipt' in settlement ? settlement.receipt : undefined;
    plan.reread = { sends: [ref.send], chunks: [ref], token };
    if (isTurnedAway(asked.request)) plan.key = { token, rests };
    putChunk(plan, chunk, after.chunk, {
      creditsUsed: receipt?.creditsUsed,
      neverStarted: settlement.request === 'never_started' ? found.neverStarted + 1 : undefined,
    });
    putSend(plan, stored.record, after.send);
    const children =
      after.chunk.state === 'split'
        ? addChildren(plan, stored, { ...found, record: after.chunk }, settlement)
        : 0;
    const { limits } = context;
    const ms = restAfter(limits, settlement.request);
    plan.changes.push({ kind: 'endPermit', token, lasts: lastsAfter(limits, settlement.request) });
    if (ms !== undefined) {
      plan.changes.push({ kind: 'rest', token, ms, instance: stored.record.instance, ...WAITS });
    }
    if (chunk.account !== undefined) {
      const { account } = chunk;
      plan.changes.push({ kind: 'activity', account });
      if (receipt) {
        plan.changes.push({
          kind: 'receipt',
          account,
          used: receipt.creditsUsed,
          remaining: receipt.creditsRemaining,
          // A late answer whose charge the evidence has already seen is in the new anchor.
          counts: chunk.evidence === undefined,
        });
      }
    }
    const before = chunk.state === 'sending' ? 1 : 0;
    const still = after.chunk.state === 'pending' ? 1 : 0;
    const open = openChunks(stored) - before + still + children;
    const send: SendRecord = closeIfDone(plan, stored.record, after.send, open);
    const committed = await commit(context, plan, deadline);
    if (committed.outcome !== 'conflict') return { answer: { settled: true, send, chunk: after.chunk } };
    reading = committed.reading;
    return undefined;
  });
}

/** Writes what a chunk was split into; answers how many of them are still to be sent. */
function addChildren(
  plan: Plan,
  { chunks: first }: StoredSend,
  { record: chunk, root }: StoredChunk,
  settlement: Settlement,
): number {
  const family = { parent: chunk.index, root };
  const lists =
    settlement.to === 'parted'
      ? settlement.parts.map(({ messages }) => messages)
      : settlement.to === 'split'
        ? settlement.children
        : [];
  for (const [offset, messages] of lists.entries()) {
    const ref = { send: chunk.send, index: first + offset };
    const part = settlement.to === 'parted' ? settlement.parts[offset] : undefined;
    if (!part) {
      addChunk(plan, ref, messages, family);
      continue;
    }
    addChunk(plan, ref, messages, {
      ...family,
      state: part.state,
      result: asJson(part.result),
      otherStatus: part.otherStatus,
      evidence: asJson(part.evidence),
      account: chunk.account,
      settledAt: chunk.settledAt,
      resentAs: part.state === 'unknown' ? chunk.resentAs : undefined,
      saidSentBy: part.state === 'unknown' ? chunk.saidSentBy : undefined,
    });
  }
  return settlement.to === 'split' ? lists.length : 0;
}
