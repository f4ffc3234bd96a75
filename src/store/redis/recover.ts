import { EXPIRED_FOR_MS, hasEnded } from '../transitions.ts';
import type { Context } from './context.ts';
import { expire, forgetExpired } from './drafts.ts';
import { announceEnd, closeIfDone, commit, planOn, putChunk } from './plan.ts';
import { openChunks, read } from './reading.ts';
import type { Deadline, Reply } from './run.ts';

/** How much is looked at in one go. */
const AT_ONCE = 100;

/**
 * Says what is true of what nobody owns any more; such chunks have no result, since no answer came. Every replica may
 * call this: what one of them has done is not done again. Unlike the embedded engine, no boot takes over what is in
 * flight before its time: other replicas may be alive.
 */
export async function recoverChunks(context: Context): Promise<void> {
  for (;;) {
    const [lost, stale, drafts, expired] = (await context.runner.run('overdue', {
      limit: AT_ONCE,
      expiredFor: EXPIRED_FOR_MS,
    })) as Reply[][];
    let changed = 0;
    for (const overdue of bySend(lost as string[][])) {
      changed += await giveUp(context, overdue, 'sending');
    }
    for (const overdue of bySend(stale as string[][])) {
      changed += await giveUp(context, overdue, 'pending');
    }
    for (const id of drafts as string[]) changed += (await expire(context, id, true)) ? 1 : 0;
    for (const id of expired as string[]) changed += (await forgetExpired(context, id)) ? 1 : 0;
    if (changed === 0) return;
  }
}

/** Chunks of one send whose time is over, and the send's version when that was seen. */
interface Overdue {
  send: string;
  version: string;
  indexes: number[];
}

function bySend(refs: string[][]): Overdue[] {
  const sends = new Map<string, Overdue>();
  for (const [send = '', index, version = ''] of refs) {
    const overdue = sends.get(send) ?? { send, version, indexes: [] };
    overdue.indexes.push(Number(index));
    sends.set(send, overdue);
  }
  return [...sends.values()];
}

/** How many chunks were given up: none where somebody was quicker, or the send does not run. */
async function giveUp(
  context: Context,
  { send: id, version, indexes }: Overdue,
  from: 'sending' | 'pending',
): Promise<number> {
  const deadline: Deadline = context.runner.deadline();
  const refs = indexes.map((index) => ({ send: id, index }));
  const { at, sends, chunks } = await read(context, [id], refs, deadline);
  const [stored] = sends;
  if (stored?.version !== version) return 0;
  if (from === 'pending' && stored.record.state !== 'running') return 0;
  const plan = planOn(at, stored);
  for (const found of chunks) {
    if (!found) continue;
    const { record: chunk } = found;
    putChunk(plan, chunk, { ...chunk, state: from === 'sending' ? 'unknown' : 'not_sent', settledAt: at });
    if (from === 'sending' && chunk.account !== undefined) {
      plan.changes.push({ kind: 'activity', account: chunk.account });
    }
  }
  const send = closeIfDone(plan, stored.record, stored.record, openChunks(stored) - chunks.length);
  // A job's card tells of its unknown ones while it still runs, or waits; an ended send is announced by then.
  if (!hasEnded(send) && send.kind === 'job') announceEnd(plan, send);
  return (await commit(context, plan, deadline)).outcome === 'done' ? chunks.length : 0;
}
