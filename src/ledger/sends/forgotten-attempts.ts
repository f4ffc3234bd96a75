import type { View } from '../../store/view.ts';
import type { Settlement } from '../model/attempt-types.ts';
import { type ChunkDocument, chunkIdOf, chunks } from '../model/chunk-documents.ts';
import { withChunkChanged } from '../model/chunk-progress.ts';
import { chunkDocumentOf, chunkRecordOf, type FoundChunk, indexesFrom } from '../model/read-chunks.ts';
import type { Words } from '../model/repeat-types.ts';
import type { SendDocument } from '../model/send-documents.ts';
import type { SendRecord } from '../model/send-record.ts';
import { isUndecidedSend, isUnderWay } from '../model/send-states.ts';
import { announceRequest } from '../rules/approvals.ts';
import { claimWords } from '../rules/repeat-guard.ts';
import { claimResends, findResends } from '../unknowns/resends.ts';

/**
 * A store that fails over may forget attempts: see `presume-taken.ts`. If a bot still has such an attempt, its answer
 * counts, of a text as of a list.
 */

/** What a process knows of an attempt that it made itself. */
export interface MadeAttempt {
  rateLimitKey: string;
  account: string;
  /** Which attempt of its chunk it was, from 1. */
  attempt: number;
  /** The send as it was decided. */
  send: SendRecord;
  /** The process wrote the end of the attempt before, and does not know whether the store has it. */
  isRepeated?: boolean;
  /** How the repeat guard knows its messages, in their order; none if the guard does not ask about them. */
  words?: Words[];
}

/**
 * The chunk for an attempt's answer: as it is, or with the attempt that the store has forgotten. Undefined if the answer
 * does not count.
 */
export function remembered(
  view: View,
  stored: FoundChunk,
  { token, settlement }: { token: string; settlement: Settlement },
  made: MadeAttempt,
): FoundChunk | undefined {
  const { to } = settlement;
  const isForgotten = isAttemptForgotten(stored, token, made);
  // The store may have the end of this attempt already, and may have forgotten it with a later attempt.
  const mayBeOver = stored.document.mayHaveEnded && made.isRepeated;
  // Without a request, the store may have forgotten another attempt after this one.
  const hadNoRequest = to === 'pending' || to === 'not_sent' || to === 'split';
  if ((isForgotten || mayBeOver) && hadNoRequest) return undefined;
  return isForgotten
    ? withForgottenAttempt(view, withForgottenDecision(view, stored, made), token, made)
    : stored;
}

/**
 * Whether the store has forgotten this attempt: each take counts the chunk's attempts up. If somebody sent the messages
 * anyway, and the 429 of a later attempt makes them wait, this attempt's answer still saves them a request.
 */
function isAttemptForgotten(
  { send, document, record }: FoundChunk,
  token: string,
  made: MadeAttempt,
): boolean {
  // Splits that the store has forgotten may have given a part's index to other messages.
  if (record.index >= send.work.drafted) return false;
  const { mayBeSent } = send.record;
  const { state, token: last, sentBefore } = document;
  // `sentBefore`: this answer counts already.
  const waits = state === 'pending' && last !== token && sentBefore === undefined;
  return made.attempt > document.attempt || (waits && mayBeSent !== undefined);
}

/** The text with the decision that led to this attempt, if the store has forgotten that, too. */
function withForgottenDecision(view: View, found: FoundChunk, { send }: MadeAttempt): FoundChunk {
  if (send.kind === 'job' || !isUndecidedSend(found.send.record.state)) return found;
  const again = send.resends && findResends(view, send.resends);
  if (Array.isArray(again)) claimResends(view, again, send.id);
  announceRequest(view, send);
  return { ...found, send: { ...found.send, record: send } };
}

/** The chunk with the attempt that the store has forgotten; undefined if the chunk has an outcome. */
function withForgottenAttempt(
  view: View,
  found: FoundChunk,
  token: string,
  made: MadeAttempt,
): FoundChunk | undefined {
  const { send: before, document: was, record } = found;
  const { index } = record;
  // An earlier attempt that is still there ended without a request.
  const isTaken = was.state === 'sending' || was.state === 'unknown';
  // A chunk that somebody stopped was not cancelled after all.
  const seemsOpen = isUnderWay(before.record.state) ? was.state === 'pending' : was.state === 'cancelled';
  const isWaiting = seemsOpen && !view.isDamaged(chunks, chunkIdOf(record));
  if (!isWaiting && !isTaken) return undefined;
  const { notBefore: _spent, mayHaveEnded: _over, ...rest } = was;
  const document: ChunkDocument = {
    ...rest,
    state: was.state === 'unknown' ? 'unknown' : 'sending',
    token,
    attempt: made.attempt,
    rateLimitKey: made.rateLimitKey,
    // Its account counts an unknown chunk already. Without one, nobody does.
    ...(was.state !== 'unknown' && { account: was.account ?? made.account }),
  };
  const send = withChunkChanged(withEarlierTaken(view, doubted(before), index), index, was, document);
  return { send, document, record: chunkRecordOf(record, document, record.messages) };
}

/** Claims the words of an attempt again, as before its request: the store may have forgotten the claims. */
export function claimForgotten(view: View, { send, record }: FoundChunk, { words = [] }: MadeAttempt): void {
  for (const [place, each] of words.entries())
    claimWords(view, send.record, each, { index: record.index, place });
}

/** The store may lack requests of other bots, too: the balance decides whether a list goes on. */
function doubted(send: SendDocument): SendDocument {
  const { kind, state, mayLackRequests = true } = send.record;
  return kind === 'job' && isUnderWay(state)
    ? { ...send, record: { ...send.record, mayLackRequests } }
    : send;
}

/** The send as if the drafted chunks before this one had been taken: those that never were wait like others. */
function withEarlierTaken(view: View, send: SendDocument, index: number): SendDocument {
  const { record, work } = send;
  const earlier = indexesFrom(work.next, index);
  if (earlier.length === 0) return send;
  for (const each of earlier) {
    const ref = { send: record.id, index: each };
    view.put(chunks, chunkIdOf(ref), chunkDocumentOf(view, send, ref));
  }
  const back = { ...work.back, ...Object.fromEntries(earlier.map((each) => [each, 0])) };
  return { ...send, work: { ...work, next: index, back } };
}
