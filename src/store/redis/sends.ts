import type { Audience, ChunkRecord, ChunkState, SendDetailsChange, SendRecord, Tally } from '../ledger.ts';
import { withDetails } from '../transitions.ts';
import type { Context } from './context.ts';
import { closeIfDone, commit, planOn, putSend, untilDone } from './plan.ts';
import { read } from './reading.ts';
import { chunkOf, type Fields, fieldsOf, sendOf, tallyOf } from './rows.ts';
import type { Reply } from './run.ts';

/** The send, if there is one. */
export async function findSend(context: Context, id: string): Promise<SendRecord | undefined> {
  const { sends } = await read(context, [id], [], context.runner.deadline());
  return sends[0]?.record;
}

/** The chunks of a send, in order; those of one state, or a part of them. */
export async function chunksOf(
  { runner }: Context,
  id: string,
  { from = 0, limit, state }: { from?: number; limit?: number; state?: ChunkState } = {},
): Promise<ChunkRecord[]> {
  const rows = (await runner.run('chunks', {
    id,
    from,
    limit: limit ?? Number.MAX_SAFE_INTEGER,
    state,
  })) as Reply[][];
  return rows.map(([index, chunk]) => chunkOf(id, Number(index), fieldsOf(chunk) as Fields));
}

/** Counts by state, and what was charged; the send carries them. */
export async function findTally(context: Context, id: string): Promise<Tally> {
  const { sends } = await read(context, [id], [], context.runner.deadline());
  return sends[0]?.tally ?? tallyOf(undefined);
}

/** running → paused. */
export function pauseSend(context: Context, id: string, reason: string): Promise<boolean> {
  return change(context, id, ['running'], (send) => ({ ...send, state: 'paused', pauseReason: reason }));
}

/** paused → running; unknown answers are counted from zero again. */
export function resumeSend(context: Context, id: string, details: SendDetailsChange = {}): Promise<boolean> {
  return change(context, id, ['paused'], ({ pauseReason: _over, ...send }, at) => ({
    ...withDetails(send, details),
    state: 'running',
    unknownRun: 0,
    servedAt: at,
  }));
}

/** Merges details into those of a send that runs or is paused. */
export function amendSend(context: Context, id: string, details: SendDetailsChange): Promise<boolean> {
  return change(context, id, ['running', 'paused'], (send) => withDetails(send, details));
}

/** running | paused → stopped, with everything that has not left cancelled. */
export function stopSend(context: Context, id: string): Promise<boolean> {
  return change(context, id, ['running', 'paused'], ({ pauseReason: _over, ...send }, at) => ({
    ...send,
    state: 'stopped',
    endedAt: at,
  }));
}

function change(
  context: Context,
  id: string,
  from: SendRecord['state'][],
  edit: (send: SendRecord, at: number) => SendRecord,
): Promise<boolean> {
  return untilDone(context, async (deadline) => {
    const { at, sends } = await read(context, [id], [], deadline);
    const [stored] = sends;
    if (!stored || !from.includes(stored.record.state)) return { answer: false };
    const plan = planOn(at, stored);
    const edited = edit(stored.record, at);
    putSend(plan, stored.record, edited);
    if (edited.state === 'stopped') {
      plan.changes.push({ kind: 'cancelPending', id });
      closeIfDone(plan, stored.record, edited, stored.tally.states.sending.chunks);
    }
    return (await commit(context, plan, deadline)).outcome === 'done' ? { answer: true } : undefined;
  });
}

/** What an instance still has to do or has in flight. */
export async function openSendsOf({ runner }: Context, instance: string): Promise<SendRecord[]> {
  const rows = await runner.run('openSends', { instance });
  return rows.map((row) => sendOf(fieldsOf(row) as Fields));
}

/** Instances with pending chunks of running sends. */
export async function instancesWithWork(
  { runner }: Context,
  audience: Audience,
): Promise<{ team: string; instance: string }[]> {
  const kind = audience === 'interactive' ? 'single' : 'job';
  const rows = (await runner.run('instancesWithWork', { kind })) as [string, string][];
  return rows.map(([team, instance]) => ({ team, instance }));
}
