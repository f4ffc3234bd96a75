import type { ChunkRecord, Resends, SaidSent, SendRecord, Undecidable } from '../ledger.ts';
import { hasReported, whyUndecidable } from '../transitions.ts';
import type { Context } from './context.ts';
import { announceEnd, commit, editChunk, type Plan, planOn, untilDone } from './plan.ts';
import { read } from './reading.ts';
import { chunkOf, type Fields, fieldsOf, sendOf } from './rows.ts';
import type { Deadline, Reply } from './run.ts';

/** Unknown chunks that need a decision, with their sends, oldest first. */
export async function unknownChunks(
  { runner }: Context,
  team?: string,
): Promise<{ send: SendRecord; chunk: ChunkRecord }[]> {
  const rows = (await runner.run('unknowns', { team })) as Reply[][];
  return rows.map(([fields, index, chunk]) => {
    const send = sendOf(fieldsOf(fields) as Fields);
    return { send, chunk: chunkOf(send.id, Number(index), fieldsOf(chunk) as Fields) };
  });
}

/** unknown → resent_as(id) for all of them or none, once and only after their deadlines; says why not otherwise. */
export async function claimResends(
  context: Context,
  plan: Plan,
  { send, indexes }: Resends,
  by: string,
  deadline: Deadline,
): Promise<Undecidable | 'too_early' | undefined> {
  const refs = indexes.map((index) => ({ send, index }));
  const { at, sends, chunks } = await read(context, [send], refs, deadline);
  const records = chunks.map((chunk) => chunk?.record);
  const [first] = sends;
  const why = whyUndecidable(records);
  if (!first || why) return why ?? 'not_unknown';
  if (records.some((chunk) => chunk?.deadline !== undefined && at < chunk.deadline)) return 'too_early';
  plan.versions.push({ id: send, v: first.version });
  for (const ref of refs) editChunk(plan, ref, { resentAs: by });
  if (hasReported(first.record)) announceEnd(plan, first.record);
  return undefined;
}

/** unknown → said_sent_by(person) for all of them or none, once. */
export function saySentOf(context: Context, { send: id, indexes }: Resends, by: string): Promise<SaidSent> {
  const refs = indexes.map((index) => ({ send: id, index }));
  return untilDone(context, async (deadline): Promise<{ answer: SaidSent } | undefined> => {
    const { at, sends, chunks } = await read(context, [id], refs, deadline);
    const [stored] = sends;
    const why = whyUndecidable(chunks.map((chunk) => chunk?.record));
    if (!stored || why) return { answer: { won: false, why: why ?? 'not_unknown' } };
    const plan = planOn(at, stored);
    for (const ref of refs) editChunk(plan, ref, { saidSentBy: by });
    // A job's card tells of it while the job still runs, or waits.
    const { record } = stored;
    if (hasReported(record) || record.kind === 'job') announceEnd(plan, record);
    return (await commit(context, plan, deadline)).outcome === 'done' ? { answer: { won: true } } : undefined;
  });
}
