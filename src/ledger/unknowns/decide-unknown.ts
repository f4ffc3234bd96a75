import type { View } from '../../store/view.ts';
import { countOutcome } from '../accounts/outcome-counts.ts';
import { type ChunkDocument, chunkIdOf, chunks } from '../model/chunk-documents.ts';
import type { Undecidable, UnknownChunks } from '../model/chunk-record.ts';
import { type FoundChunk, findChunks } from '../model/read-chunks.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { showsOutcome } from '../model/send-states.ts';
import { whyUndecidable } from '../model/unknown-chunks.ts';
import { announceTopics } from '../outbox/announce.ts';
import { withChunkJudgedByWord } from '../rules/budget-usage.ts';
import { putSend } from '../rules/put-send.ts';

/** The result of a person's decision on unknown chunks. */
type UnknownDecided = { won: true } | { won: false; why: Undecidable };

/**
 * Writes down a person's word that these unknown chunks were sent: all of them or none, and only once. The chunks stay
 * unknown, and the books stay as they are: the word is no receipt.
 */
export function saySent(view: View, of: UnknownChunks, by: string): UnknownDecided {
  const found = findDecidable(view, of);
  if (typeof found === 'string') return { won: false, why: found };
  putDecision(view, found, { saidSentBy: by }, 'held');
  const record = found[0]?.send.record;
  // A job's card shows this even while the job runs or waits.
  if (record && (showsOutcome(record) || record.kind === 'job')) announceTopics(view, record);
  return { won: true };
}

/**
 * Takes unknown chunks off the list of decisions because a person said to leave them: all of them or none. A person may
 * still decide about them later.
 */
export function leaveUnknown(view: View, of: UnknownChunks, by: string): UnknownDecided {
  const found = findDecidable(view, of);
  if (typeof found === 'string') return { won: false, why: found };
  for (const { document, record } of found) view.put(chunks, chunkIdOf(record), { ...document, leftBy: by });
  const send = found[0]?.send;
  if (send?.retention) putSend(view, send.record.id, withDecision(send));
  return { won: true };
}

/** The chunks, if a person can decide about all of them. Otherwise the reason why not. */
export function findDecidable(view: View, { send, indexes }: UnknownChunks): FoundChunk[] | Undecidable {
  const found = findChunks(view, send, indexes);
  const why = whyUndecidable(found.map(({ record }) => record));
  return why ?? (found.length < indexes.length ? 'not_unknown' : found);
}

/**
 * Writes a person's decision down. `charge`: what the chunks then count in the budgets. One that evidence judged before
 * keeps its figure.
 */
export function putDecision(
  view: View,
  found: FoundChunk[],
  decision: Pick<ChunkDocument, 'resentAs' | 'saidSentBy'>,
  charge: 0 | 'held',
): void {
  const [first] = found;
  if (!first) return;
  let { send } = first;
  for (const { document, record } of found) {
    const isJudged = document.judged !== undefined;
    const { send: after, chunk } = isJudged
      ? { send, chunk: document }
      : withChunkJudgedByWord({ send, chunk: document }, charge);
    view.put(chunks, chunkIdOf(record), countOutcome(view, send, document, { ...chunk, ...decision }));
    send = after;
  }
  send = withDecision(send);
  if (send !== first.send) putSend(view, send.record.id, send);
}

/** The send after a person's decision: retention kept its words only for that, and may delete them now. */
function withDecision(send: SendDocument): SendDocument {
  return send.retention ? { ...send, retention: { ...send.retention, isDecided: true } } : send;
}
