import type { AccountRecord, BalanceMarker, ChunkRef, EvidenceCase, Json } from '../ledger.ts';
import { hasEnded } from '../transitions.ts';
import type { Context } from './context.ts';
import { announceEnd, commit, editChunk, planOn, untilDone } from './plan.ts';
import { read } from './reading.ts';
import { accountOf, chunkOf, type Fields, fieldsOf } from './rows.ts';
import type { Reply } from './run.ts';

/** What is known of an account's credits; nothing before the first figure. */
export async function findAccount({ runner }: Context, id: string): Promise<AccountRecord | undefined> {
  return accountOf(id, fieldsOf(await runner.run('account', { id })));
}

/** The known credits, and the messages of the account that are in flight since before this attempt. */
export async function fundsOf(
  { runner }: Context,
  account: string,
  { send, index }: ChunkRef,
): Promise<{ credits?: number; inFlight: number }> {
  const [credits, inFlight] = await runner.run('funds', { account, send, index });
  return { ...(credits === '' ? {} : { credits: Number(credits) }), inFlight: Number(inFlight) };
}

/** What a place's sends were charged since then, and how many messages that were. */
export async function spentAt(
  { runner }: Context,
  team: string,
  place: string,
  since: number,
): Promise<{ credits: number; messages: number }> {
  const [credits, messages] = await runner.run('spent', { team, place, since: String(since) });
  return { credits: Number(credits), messages: Number(messages) };
}

/** The account's activity as it stands; `idle`: nothing in flight and every unknown's deadline passed. */
export async function markRead({ runner }: Context, account: string): Promise<BalanceMarker> {
  const [activity, nothingSending, idle] = await runner.run('markRead', { account });
  return {
    account,
    activity: Number(activity),
    nothingSending: nothingSending === '1',
    idle: idle === '1',
  };
}

/** Takes a balance read in: a rise, and an anchor, only where the account was quiet during it. */
export async function takeBalance(
  { runner }: Context,
  marker: BalanceMarker,
  credits: number,
): Promise<{ account: AccountRecord; quiet: boolean }> {
  const [quiet, account] = await runner.run('recordBalance', { ...marker, credits });
  return { account: accountOf(marker.account, fieldsOf(account)) as AccountRecord, quiet: quiet === '1' };
}

/** The account's unknown chunks without evidence, if there are any and its balance was ever read. */
export async function evidenceCaseOf(
  { runner }: Context,
  account: string,
): Promise<EvidenceCase | undefined> {
  const [fields, rows] = await runner.run('evidenceCase', { account });
  const record = accountOf(account, fieldsOf(fields));
  const unknowns = (rows as Reply[][]).map(([send, index, chunk]) =>
    chunkOf(String(send), Number(index), fieldsOf(chunk) as Fields),
  );
  if (!record || unknowns.length === 0) return undefined;
  return { account: record, unknowns, readyAt: Math.max(...unknowns.map((chunk) => chunk.deadline ?? 0)) };
}

/** Accounts that have unknown chunks without evidence. */
export async function accountsWithUnknowns({ runner }: Context): Promise<string[]> {
  return (await runner.run('accountsWithUnknowns', {})) as string[];
}

/** Writes evidence and the new anchor, and tells of it; false where the account moved since the marker. */
export function writeEvidence(
  context: Context,
  marker: BalanceMarker,
  credits: number,
  evidence: { ref: ChunkRef; evidence: Json }[],
): Promise<boolean> {
  const { account, activity } = marker;
  return untilDone(context, async (deadline) => {
    if (!marker.idle) return { answer: false };
    const ids = [...new Set(evidence.map(({ ref }) => ref.send))];
    const { at, sends, chunks } = await read(
      context,
      ids,
      evidence.map(({ ref }) => ref),
      deadline,
    );
    const stored = sends.filter((send) => send !== undefined);
    const plan = { ...planOn(at, ...stored), quiet: { account, activity } };
    const touched = new Set<string>();
    for (const [i, { ref, evidence: found }] of evidence.entries()) {
      const chunk = chunks[i]?.record;
      if (chunk?.state !== 'unknown' || chunk.account !== account) continue;
      editChunk(plan, ref, { evidence: JSON.stringify(found) });
      touched.add(ref.send);
    }
    for (const { record } of stored) {
      // A job's card tells of it while the job still runs, or waits.
      if (touched.has(record.id) && (hasEnded(record) || record.kind === 'job')) announceEnd(plan, record);
    }
    plan.changes.push({ kind: 'anchor', account, credits });
    const { outcome } = await commit(context, plan, deadline);
    return outcome === 'conflict' ? undefined : { answer: outcome === 'done' };
  });
}
