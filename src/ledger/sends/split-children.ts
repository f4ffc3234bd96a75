import type { View } from '../../store/view.ts';
import { putChunk } from '../accounts/accounts.ts';
import { countOutcome } from '../accounts/outcome-counts.ts';
import type { Settlement } from '../model/attempt-types.ts';
import { type ChunkDocument, chunkIdOf, texts } from '../model/chunk-documents.ts';
import { withChunkChanged } from '../model/chunk-progress.ts';
import type { ChunkRecord, ChunkRef, LedgerMessage } from '../model/chunk-record.ts';
import { defined } from '../model/defined.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { judgedAsSaid } from '../rules/budget-usage.ts';

type Child = Pick<ChunkDocument, 'state'> & Partial<ChunkDocument> & { messages: LedgerMessage[] };

/** What a split chunk becomes: children that go on come first, then parts that have their outcome already. */
export function childrenOfSplit(chunk: ChunkRecord, settlement: Settlement): Child[] {
  const { account, resentAs, saidSentBy, leftBy, settledAt } = chunk;
  if (settlement.to === 'split') {
    return [
      ...settlement.children.map((messages) => ({ state: 'pending' as const, messages })),
      ...(settlement.leftOut ?? []).map((part) => ({
        ...part,
        state: 'not_sent' as const,
        ...defined({ settledAt }),
      })),
    ];
  }
  if (settlement.to !== 'resolved_per_message') return [];
  return settlement.parts.map((part) => ({
    ...part,
    ...defined({ account, settledAt }),
    // People's decisions hold for messages that are still unknown.
    ...(part.state === 'unknown' && defined({ resentAs, saidSentBy, leftBy })),
  }));
}

export function addChild(
  view: View,
  send: SendDocument,
  { ref: parent, root }: { ref: ChunkRef; root: number },
  { messages, ...child }: Child,
): SendDocument {
  const ref: ChunkRef = { send: parent.send, index: send.work.chunks };
  const size = messages.length;
  const document = countOutcome(view, send, undefined, {
    attempt: 0,
    ...child,
    size,
    root,
    parent: parent.index,
  });
  const longer = { ...send, work: { ...send.work, chunks: send.work.chunks + 1 } };
  const after = withChunkChanged(longer, ref.index, undefined, document);
  const { send: counted, chunk } = judgedAsSaid({ send: after, chunk: document });
  putChunk(view, ref, undefined, chunk);
  view.put(texts, chunkIdOf(ref), messages);
  return counted;
}
