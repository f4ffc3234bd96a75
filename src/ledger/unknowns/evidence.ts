import { startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { accounts } from '../accounts/account-documents.ts';
import type { AccountRecord, BalanceMarker } from '../accounts/account-types.ts';
import { putChunk, rebase } from '../accounts/accounts.ts';
import { account, markBalanceRead } from '../accounts/balances.ts';
import { findAccount } from '../accounts/find-account.ts';
import { type ChunkDocument, chunkRefOf, chunks } from '../model/chunk-documents.ts';
import type { ChunkRecord, ChunkRef } from '../model/chunk-record.ts';
import type { Json } from '../model/json.ts';
import { findChunk, findEachChunk } from '../model/read-chunks.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import { hasEnded } from '../model/send-states.ts';
import { announceTopics } from '../outbox/announce.ts';
import { withChunkJudged } from '../rules/budget-usage.ts';
import { putSend } from '../rules/put-send.ts';

/** What a search for evidence needs: the baseline, and the unknown chunks without evidence. */
export interface EvidenceCase {
  account: AccountRecord;
  unknowns: ChunkRecord[];
  /** When the last deadline of these chunks passes. */
  readyAt: number;
}

/** Evidence on one unknown chunk. `charge`: the chunk's cost in credits, if the evidence shows one. */
export interface FoundEvidence {
  ref: ChunkRef;
  evidence: Json;
  charge?: number;
}

/** The account's unknown chunks without evidence, if there are any and its balance was ever read. */
export function evidenceCase(view: View, id: string): EvidenceCase | undefined {
  const [record, listed] = view.together(
    () => account(view, id),
    () => view.list(chunks, 'unexplained', startingWith([id])),
  );
  if (!record || listed.length === 0) return undefined;
  const refs = listed.map(({ id: name }) => chunkRefOf(name));
  const unknowns = findEachChunk(view, refs).map((found) => found.record);
  return { account: record, unknowns, readyAt: Math.max(...unknowns.map(({ deadline = 0 }) => deadline)) };
}

/** Marks unknown chunks whose send the store has lost: nobody can judge them, and they must not block the others. */
function explainOrphans(view: View, id: string): void {
  if (view.get(accounts, id)?.unexplained === 0) return;
  for (const { id: name, value } of view.list(chunks, 'unexplained', startingWith([id]))) {
    const ref = chunkRefOf(name);
    if (!view.get(sends, ref.send)) putChunk(view, ref, value, { ...value, evidence: null });
  }
}

/** Accounts that have unknown chunks without evidence. */
export function accountsWithUnknowns(view: View): string[] {
  return view.list(accounts, 'unexplained', startingWith([])).map(({ id }) => id);
}

/**
 * Writes evidence for unknown chunks, and a new baseline at `credits`. False if the account was not quiet since the
 * marker, or another bot wrote evidence since.
 */
export function recordEvidence(
  view: View,
  marker: BalanceMarker,
  credits: number,
  evidence: FoundEvidence[],
): boolean {
  const { account: id } = marker;
  const after = markBalanceRead(view, id);
  if (!marker.idle || !after.idle || after.activity !== marker.activity) return false;
  if (after.baselineAt !== marker.baselineAt) return false;
  // Only reads them, together. The loop looks again, since each chunk changes its send for the next one.
  findEachChunk(
    view,
    evidence.map(({ ref }) => ref),
  );
  const touched = new Map<string, SendDocument>();
  const isNoted = view.get(accounts, id)?.statementDay !== undefined;
  let charges = 0;
  for (const { ref, evidence: said, charge } of evidence) {
    const found = findChunk(view, ref);
    if (found?.document.state !== 'unknown' || found.document.account !== id) continue;
    // Without a charge, the budgets go on holding credits for the chunk.
    const unjudged = { send: found.send, chunk: found.document };
    const { send, chunk } = charge === undefined ? unjudged : withChunkJudged(unjudged, charge);
    const chargeFound = isNoted && { chargeFound: charge ?? 0 };
    const explained: ChunkDocument = { ...chunk, evidence: said, ...chargeFound };
    charges += charge ?? 0;
    putChunk(view, ref, found.document, explained);
    if (send !== found.send) putSend(view, ref.send, send);
    touched.set(ref.send, send);
  }
  explainOrphans(view, id);
  const { unexplained } = findAccount(view, id);
  if (unexplained === 0) rebase(view, id, credits, { charges });
  for (const { record } of touched.values()) {
    if (hasEnded(record) || record.kind === 'job') announceTopics(view, record);
  }
  return true;
}
