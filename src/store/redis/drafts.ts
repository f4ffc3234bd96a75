import type { Decided, Decision, LedgerMessage, NewSend, SendRecord } from '../ledger.ts';
import { BREAKER_FIRST, decideDraft, forget, STALE_AFTER_MS } from '../transitions.ts';
import type { Context } from './context.ts';
import { addChunk, announceEnd, asJson, commit, type Plan, planOn, putSend, untilDone } from './plan.ts';
import { read, type StoredSend } from './reading.ts';
import { claimResends } from './unknowns.ts';

/** Writes the draft with its chunks, all or none. */
export async function draftSend(context: Context, send: NewSend): Promise<void> {
  await untilDone(context, async (deadline) => {
    const { at, sends } = await read(context, [send.id], [], deadline);
    if (sends[0]) throw new Error(`the send ${send.id} is there already`);
    const plan = planOn(at, send.id);
    const { id, team, place, instance, kind } = send;
    const keeps = asJson(send.keeps);
    const resends = asJson(send.resends && { ...send.resends });
    plan.changes.push({
      kind: 'send',
      id,
      set: {
        ...{ id, team, place, instance, kind, state: 'draft' },
        details: JSON.stringify(send.details),
        topics: JSON.stringify(send.topics),
        createdAt: String(at),
        expiresAt: String(at + send.expiresInMs),
        inFlightLimit: String(BREAKER_FIRST),
        unknownRun: '0',
        ...(keeps === undefined ? {} : { keeps }),
        ...(resends === undefined ? {} : { resends }),
      },
      gone: [],
    });
    for (const [index, messages] of send.chunks.entries()) addChunk(plan, { send: id, index }, messages);
    return (await commit(context, plan, deadline)).outcome === 'done' ? { answer: undefined } : undefined;
  });
}

/** Adds chunks to a draft, all or none. */
export async function appendChunksTo(context: Context, id: string, chunks: LedgerMessage[][]): Promise<void> {
  await untilDone(context, async (deadline) => {
    const { at, sends } = await read(context, [id], [], deadline);
    const [send] = sends;
    if (send?.record.state !== 'draft') throw new Error(`the send ${id} is no draft any more`);
    const plan = planOn(at, send);
    const first = send.chunks;
    for (const [offset, messages] of chunks.entries()) {
      addChunk(plan, { send: id, index: first + offset }, messages);
    }
    return (await commit(context, plan, deadline)).outcome === 'done' ? { answer: undefined } : undefined;
  });
}

/** The one decision on a draft; expiry, and a resend's claim on the unknown chunks, in the same step. */
export function decideSend(context: Context, id: string, decision: Decision): Promise<Decided> {
  return untilDone(context, async (deadline): Promise<{ answer: Decided } | undefined> => {
    const reading = await read(context, [id], [], deadline);
    const [stored] = reading.sends;
    if (!stored) return { answer: { won: false, why: 'missing' } };
    const send = stored.record;
    if (send.state === 'expired') return { answer: { won: false, why: 'expired', send } };
    if (send.state !== 'draft') return { answer: { won: false, why: 'decided', send } };
    const { at } = reading;
    const plan = planOn(at, stored);
    if (at >= send.expiresAt) {
      const expired = expireDraft(plan, send);
      const done = (await commit(context, plan, deadline)).outcome === 'done';
      return done ? { answer: { won: false, why: 'expired', send: expired } } : undefined;
    }
    if (decision.to === 'running' && stored.chunks === 0) {
      throw new Error(`the draft ${id} holds nothing to send`);
    }
    if (decision.to === 'running' && send.resends) {
      const why = await claimResends(context, plan, send.resends, id, deadline);
      if (why) return { answer: { won: false, why, send } };
    }
    const decided = decideDraft(send, decision, at);
    plan.before = send.expiresAt;
    putSend(plan, send, decided);
    if (decision.to !== 'running') plan.changes.push({ kind: 'dropDraft', id });
    else if (send.kind === 'single') plan.changes.push({ kind: 'giveUpAt', id, at: at + STALE_AFTER_MS });
    const done = (await commit(context, plan, deadline)).outcome === 'done';
    return done ? { answer: { won: true, send: decided } } : undefined;
  });
}

/** Expires a place's drafts; says how many. */
export async function expireDraftsOf(context: Context, team: string, place: string): Promise<number> {
  const ids = (await context.runner.run('draftsOf', { team, place })) as string[];
  let expired = 0;
  for (const id of ids) if (await expire(context, id, false)) expired += 1;
  return expired;
}

/** Expires one draft, only past its time where `overdue`. False where it is none any more. */
export function expire(context: Context, id: string, overdue: boolean): Promise<boolean> {
  return untilDone(context, async (deadline) => {
    const { at, sends } = await read(context, [id], [], deadline);
    const stored = sends[0] as StoredSend | undefined;
    if (stored?.record.state !== 'draft') return { answer: false };
    if (overdue && at < stored.record.expiresAt) return { answer: false };
    const plan = planOn(at, stored);
    expireDraft(plan, stored.record);
    return (await commit(context, plan, deadline)).outcome === 'done' ? { answer: true } : undefined;
  });
}

/** Of a draft that expired a while ago only what it keeps stays. False where somebody was quicker. */
export function forgetExpired(context: Context, id: string): Promise<boolean> {
  return untilDone(context, async (deadline) => {
    const { at, sends } = await read(context, [id], [], deadline);
    const [stored] = sends;
    if (stored?.record.keeps === undefined) return { answer: false };
    const plan = planOn(at, stored);
    putSend(plan, stored.record, forget(stored.record));
    return (await commit(context, plan, deadline)).outcome === 'done' ? { answer: true } : undefined;
  });
}

/** draft → expired, without its chunks; whoever was shown it reads of that. */
function expireDraft(plan: Plan, send: SendRecord): SendRecord {
  const expired: SendRecord = { ...send, state: 'expired', endedAt: plan.at };
  putSend(plan, send, expired);
  plan.changes.push({ kind: 'dropDraft', id: send.id });
  announceEnd(plan, expired);
  return expired;
}
