import type { View } from '../../store/view.ts';
import { type ChunkDocument, chunkIdOf, chunks, texts } from '../model/chunk-documents.ts';
import type { LedgerMessage } from '../model/chunk-record.ts';
import { defined } from '../model/defined.ts';
import type { ChunkState } from '../model/outcome-types.ts';
import { chunkDocumentOf, indexesFrom, isErased, wasNeverTaken } from '../model/read-chunks.ts';
import type { SameWords, Words } from '../model/repeat-types.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import type { SendRecord } from '../model/send-record.ts';
import { mayHaveGoneOut, WAS_CONFIRMED } from '../model/send-states.ts';
import { countOf } from '../model/tally.ts';
import { type GuardClaim, guards, LOST_CLAIM } from './rule-documents.ts';

/**
 * The repeat guard remembers which send texted which words to which number, for `repeatGuardMs`. The guard keeps only a
 * keyed hash, so it still works after words and numbers are deleted. A claim ends once we know that its text was not
 * sent.
 */

/** Whether we know that nothing of a chunk in this state was or will be sent. */
const WENT_NOWHERE: { [state in ChunkState]: boolean } = {
  pending: false,
  sending: false,
  sent: false,
  rejected: true,
  not_sent: true,
  unknown: false,
  cancelled: true,
  split: false,
};

/** The newest other send of these words to this number, without `mine`: `decide` refuses such a repeat. */
export function sameWords(view: View, team: string, hash: string, mine?: string): SameWords | undefined {
  return othersWithSameWords(view, team, hash, mine)[0];
}

/** All other sends of these words to this number, the newest first. */
function othersWithSameWords(view: View, team: string, hash: string, mine?: string): SameWords[] {
  const found = view.getAssumingAbsent(guards, guardIdOf(team, hash));
  return (found?.claims.toReversed() ?? []).flatMap((claim) => {
    const state = claim.send === mine ? undefined : stateOf(view, claim);
    if (!state) return [];
    const { send, by, at } = claim;
    return [{ send, by, at, state }];
  });
}

/** Whether one of these sends sent the words, or may have. One that waits or is on its way may still send nothing. */
function countAsRepeat(others: SameWords[]): boolean {
  return others.some(({ state }) => state === 'sent' || state === 'unknown');
}

/** Claims these words to this number for a chunk: `sameWords` found no other send, or a person wants the repeat. */
export function claimWords(
  view: View,
  { id: send, team, decidedBy = '' }: SendRecord,
  { hash, repeatGuardMs }: Words,
  { index, place }: Pick<GuardClaim, 'index' | 'place'> = { index: 0, place: 0 },
): void {
  const id = guardIdOf(team, hash);
  const until = view.now + repeatGuardMs;
  const others = (view.getAssumingAbsent(guards, id)?.claims ?? []).filter(
    (claim) => claim.send !== send && claim.send !== LOST_CLAIM.send && stateOf(view, claim),
  );
  // A sent text's claim counts until it expires, so older claims are no longer needed.
  const last = others.findLastIndex((claim) => stateOf(view, claim) === 'sent');
  const claim = { send, index, ...defined({ place }), by: decidedBy, at: view.now, until };
  view.put(guards, id, { claims: [...others.slice(Math.max(0, last)), claim] });
}

/** Claims words that went out, or may have, with a send that the store has forgotten as a whole. */
export function claimLost(view: View, { team, decidedBy = '' }: SendRecord, words: Words): void {
  const id = guardIdOf(team, words.hash);
  const until = view.now + words.repeatGuardMs;
  const claim = { ...LOST_CLAIM, by: decidedBy, at: view.now, until };
  view.put(guards, id, { claims: [...(view.getAssumingAbsent(guards, id)?.claims ?? []), claim] });
}

/**
 * Claims the words of a job's chunk for an attempt, message by message, before its request. Returns the places of
 * messages that another send sent, or may have sent. The chunk does not claim these, and the caller must not send them.
 * Repeats that a person wants are not among them. Undefined if the attempt is over. Undefined, too, while a text with the
 * same words waits, or a request with them is on its way: the caller asks again later.
 */
export function claimChunk(
  view: View,
  send: SendRecord,
  { index, token, words }: { index: number; token: string; words: Words[] },
): number[] | undefined {
  const ids = words.map(({ hash }) => guardIdOf(send.team, hash));
  for (const id of ids) view.getAssumingAbsent(guards, id);
  prefetchClaims(view, ids);
  const chunk = view.get(chunks, chunkIdOf({ send: send.id, index }));
  if (chunk?.state !== 'sending' || chunk.token !== token) return undefined;
  const repeatsAllowed =
    send.resends !== undefined || chunk.root >= (send.repeatsFrom ?? Number.POSITIVE_INFINITY);
  const others = words.map(({ hash }) =>
    repeatsAllowed ? [] : othersWithSameWords(view, send.team, hash, send.id),
  );
  if (others.some((some) => some.length > 0 && !countAsRepeat(some))) return undefined;
  const repeats = others.flatMap((some, place) => (some.length > 0 ? [place] : []));
  for (const [place, each] of words.entries()) {
    if (!repeats.includes(place)) claimWords(view, send, each, { index, place });
  }
  return repeats;
}

/** Which of these hashes another send sent, or may have sent. */
export function whichRepeat(view: View, team: string, hashes: string[]): Set<string> {
  const ids = hashes.map((hash) => guardIdOf(team, hash));
  view.together(...ids.map((id) => () => view.get(guards, id)));
  prefetchClaims(view, ids);
  return new Set(hashes.filter((hash) => countAsRepeat(othersWithSameWords(view, team, hash))));
}

/** Prefetches the sends and chunks that decide whether claims hold. */
function prefetchClaims(view: View, ids: string[]): void {
  const claims = ids.flatMap((id) => view.getAssumingAbsent(guards, id)?.claims ?? []);
  view.prefetch(sends, ...claims.map(({ send }) => send));
  view.prefetch(chunks, ...claims.map(chunkIdOf));
}

/** The state of a claim's message; undefined if the claim no longer holds. */
function stateOf(view: View, claim: GuardClaim): ChunkState | undefined {
  if (claim.send === LOST_CLAIM.send) return 'unknown';
  if (claim.until <= view.now) return undefined;
  const send = view.get(sends, claim.send);
  // A missing send was undone: retention deletes other sends only after their claims end.
  if (!send) return view.isDamaged(sends, claim.send) ? 'unknown' : undefined;
  if (!WAS_CONFIRMED[send.record.state]) return undefined;
  if (isLost(view, send, claim)) return 'unknown';
  const { state, sentBefore } = chunkDocumentOf(view, send, claim);
  const now = state === 'split' ? stateOfPart(view, send, claim) : state;
  if (now === 'cancelled' && mayHaveGoneOut(send.record)) return 'unknown';
  // A job claims its words again before its next request.
  if (now === 'pending' && send.record.kind === 'job')
    return send.record.mayLackRequests || sentBefore !== undefined ? 'unknown' : undefined;
  return now && !WENT_NOWHERE[now] ? now : undefined;
}

/** Whether the store has lost or damaged the claim's chunk. A single text claims its words before it is taken. */
function isLost(view: View, send: SendDocument, claim: GuardClaim): boolean {
  if (wasNeverTaken(send, claim.index) || view.get(chunks, chunkIdOf(claim))) return false;
  const { record, tally } = send;
  const waits = countOf(tally, 'pending').chunks + countOf(tally, 'cancelled').chunks > 0;
  return record.kind === 'job' || !waits;
}

/** The state of the claim's message in a split chunk: the state of its part. */
function stateOfPart(view: View, send: SendDocument, claim: GuardClaim): ChunkState | undefined {
  const { send: id, index: parent, place } = claim;
  const { drafted, chunks: end } = send.work;
  const refs = indexesFrom(drafted, end).map((index) => ({ send: id, index }));
  view.prefetch(chunks, ...refs.map(chunkIdOf));
  const parts = refs
    .map((ref) => ({ ref, document: chunkDocumentOf(view, send, ref) }))
    .filter(({ document }) => document.parent === parent);
  // The message may be in a part that the store has lost, or whose texts it has lost.
  let otherwise: ChunkState | undefined = refs.some((ref) => !view.get(chunks, chunkIdOf(ref)))
    ? 'unknown'
    : undefined;
  const message = place === undefined ? undefined : view.get(texts, chunkIdOf(claim))?.[place];
  if (!message || isErased(message)) return stateOfAny(parts.map(({ document }) => document)) ?? otherwise;
  view.prefetch(texts, ...parts.map(({ ref }) => chunkIdOf(ref)));
  for (const { ref, document } of parts) {
    const messages = view.get(texts, chunkIdOf(ref));
    if (!messages) otherwise = 'unknown';
    const at = (messages ?? []).findIndex((each) => isSame(each, message));
    if (at < 0) continue;
    return document.state === 'split'
      ? stateOfPart(view, send, { ...claim, ...ref, place: at })
      : document.state;
  }
  return otherwise;
}

function isSame(one: LedgerMessage, other: LedgerMessage): boolean {
  return one.phone === other.phone && one.text === other.text && one.row === other.row;
}

/**
 * The state if nobody can tell which part has the message. A part that made its own request has a claim of its own. So
 * only a part without one matters: it waits, or the answer to the whole chunk settled it.
 */
function stateOfAny(parts: ChunkDocument[]): ChunkState | undefined {
  const states = parts.filter(({ attempt }) => attempt === 0).map(({ state }) => state);
  return (
    states.find((state) => state === 'sent' || state === 'unknown') ??
    states.find((state) => !WENT_NOWHERE[state])
  );
}

export function guardIdOf(team: string, hash: string): string {
  return `${team}/${hash}`;
}
