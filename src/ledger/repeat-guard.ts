import { addressOf } from '../store/collection.ts';
import type { View } from '../store/view.ts';
import { chunkIdOf, chunks, type GuardClaim, guards, sends } from './documents.ts';
import { chunkDocumentOf } from './read-chunks.ts';
import { WAS_CONFIRMED } from './transitions.ts';
import type { ChunkRef, ChunkState, SameWords, SendRecord, Words } from './types.ts';

/**
 * The repeat guard: which send may have brought these words to this number within the last hours. It knows both by a
 * keyed hash only, so it outlives the words. A claim no longer holds once its text surely did not go out.
 */

/** What a chunk that surely brought nobody anything ended as. */
const WENT_NOWHERE: readonly ChunkState[] = ['rejected', 'not_sent', 'cancelled'];

/** The newest send that brought these words to this number, or is about to; undefined where none but `mine` did. */
export function sameWords(view: View, team: string, hash: string, mine?: string): SameWords | undefined {
  const found = view.getAssumingAbsent(guards, guardIdOf(team, hash));
  for (const claim of found?.claims.toReversed() ?? []) {
    if (claim.send === mine) continue;
    const state = stateOf(view, claim);
    if (!state) continue;
    const { send, by, at } = claim;
    return { send, by, at, state };
  }
  return undefined;
}

/** Notes that this chunk brings the words to the number. Whoever calls this has looked whether another one does. */
export function claimWords(
  view: View,
  { id: send, team, decidedBy = '' }: SendRecord,
  { hash, holdsMs }: Words,
  index = 0,
): void {
  const id = guardIdOf(team, hash);
  const until = view.now + holdsMs;
  const others = (view.getAssumingAbsent(guards, id)?.claims ?? []).filter(
    (claim) => claim.send !== send && stateOf(view, claim),
  );
  // What was sent holds for good, so no claim before it counts.
  const last = others.findLastIndex((claim) => stateOf(view, claim) === 'sent');
  const claims = [...others.slice(Math.max(0, last)), { send, index, by: decidedBy, at: view.now, until }];
  view.put(guards, id, { claims });
}

/** The state of what a claim is for; undefined where the claim does not hold any more. */
function stateOf(view: View, claim: GuardClaim): ChunkState | undefined {
  if (claim.until <= view.now) return undefined;
  const send = view.get(sends, claim.send);
  // Retention has deleted it.
  if (!send) return 'sent';
  if (!WAS_CONFIRMED[send.record.state]) return undefined;
  const { state } = chunkDocumentOf(view, send, claim);
  if (WENT_NOWHERE.includes(state)) return undefined;
  if (state !== 'split' || send.record.state !== 'stopped') return state;
  // A part that was never taken has made no claim of its own.
  const parts = childrenOf(view, claim, send.work).map((index) => stateOf(view, { ...claim, index }));
  return parts.find((part) => part !== undefined);
}

function childrenOf(
  view: View,
  { send, index: parent }: ChunkRef,
  { drafted, chunks: end }: { drafted: number; chunks: number },
): number[] {
  const indexes = Array.from({ length: end - drafted }, (_, offset) => drafted + offset);
  view.prefetch(...indexes.map((index) => addressOf(chunks, chunkIdOf({ send, index }))));
  return indexes.filter((index) => view.get(chunks, chunkIdOf({ send, index }))?.parent === parent);
}

function guardIdOf(team: string, hash: string): string {
  return `${team}/${hash}`;
}
