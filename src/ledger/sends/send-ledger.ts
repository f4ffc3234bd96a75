import type { Steps } from '../../store/steps.ts';
import type { View } from '../../store/view.ts';
import { asMethods } from '../model/as-methods.ts';
import { chunkIdOf, chunks } from '../model/chunk-documents.ts';
import type { ChunkRecord } from '../model/chunk-record.ts';
import type { Decision } from '../model/decision-types.ts';
import type { ChunkState } from '../model/outcome-types.ts';
import { type FoundChunk, findChunks, indexesFrom, sendWithFirstChunk } from '../model/read-chunks.ts';
import { sends } from '../model/send-documents.ts';
import type { SendRecord, Tally } from '../model/send-record.ts';
import { hasEnded } from '../model/send-states.ts';
import { emptyCounts, tallyOf } from '../model/tally.ts';
import { appendChunks, appendLeftOut } from './draft-chunks.ts';
import { awaitingApproval, decide, draft } from './drafts.ts';
import { expireDraft, expireDrafts } from './end-draft.ts';
import { mergeDetails, pause, resume, stop } from './jobs.ts';
import { undo } from './undo.ts';

const PAGE = 100;

/** Sends and their chunks, from draft to receipt. */
export function createSendLedger(run: Steps['run']) {
  return {
    ...asMethods(run, { draft, appendChunks, appendLeftOut, awaitingApproval, expireDraft, expireDrafts }),
    ...asMethods(run, { pause, resume, mergeDetails, stop, undo }),
    ...asMethods(run, { find, tally }),
    // A text's receipt and its line in the channel are made at the same time: one trip reads for both.
    findWithFirstChunk: (id: string) => run((view) => sendWithFirstChunk(view, id), `view ${id}`),
    // Decisions that count in the same periods would conflict, so they share a commit.
    decide: (id: string, decision: Decision) =>
      run(
        (view) => decide(view, id, decision),
        decision.budget && `budget ${decision.budget.periods[0]?.id}`,
      ),
    /**
     * The send's chunks in order, from index `from` on, at most `limit`. With `state`, only those in it. Of a send that has
     * ended, a damaged chunk is unknown: the store has lost its outcome. `state` leaves it out, since nobody can decide it.
     */
    async chunks(
      id: string,
      asked: { from?: number; limit?: number; state?: ChunkState } = {},
    ): Promise<ChunkRecord[]> {
      const { from = 0, limit = Number.POSITIVE_INFINITY, state } = asked;
      const found: ChunkRecord[] = [];
      const count = await run((view) => view.get(sends, id)?.work.chunks ?? 0);
      for (let first = from; first < count && found.length < limit; first += PAGE) {
        const most = state === undefined ? limit - found.length : PAGE;
        const indexes = indexesFrom(first, Math.min(count, first + PAGE, first + most));
        const page = await run((view) =>
          findChunks(view, id, indexes, state).map((each) => asKnown(view, each)),
        );
        found.push(...page.filter((chunk) => state === undefined || chunk.state === state));
      }
      return found.slice(0, limit);
    },
  };
}

/** A damaged chunk seems to wait, or to be cancelled. But its outcome is unknown, once nothing of its send waits any more. */
function asKnown(view: View, { send, record }: FoundChunk): ChunkRecord {
  const isLost = record.state !== 'sending' && view.isDamaged(chunks, chunkIdOf(record));
  return isLost && hasEnded(send.record) ? { ...record, state: 'unknown' } : record;
}

function find(view: View, id: string): SendRecord | undefined {
  return view.get(sends, id)?.record;
}

function tally(view: View, id: string): Tally {
  return tallyOf(view.get(sends, id) ?? { record: {}, tally: emptyCounts() });
}
