import type { Steps } from '../../store/steps.ts';
import type {
  Decision,
  DecisionResult,
  NewSend,
  ResumeAsked,
  ResumeResult,
  SendDetailsChange,
  Undo,
  UndoResult,
} from '../model/decision-types.ts';
import type { ChunkState } from '../model/outcome-types.ts';
import { findChunks, sendWithFirstChunk } from '../model/read-chunks.ts';
import type { DraftRepeats } from '../model/repeat-types.ts';
import { sends } from '../model/send-documents.ts';
import { emptyCounts, tallyOf } from '../model/tally.ts';
import type {
  ChunkRecord,
  LedgerMessage,
  LeftOutPart,
  SendRecord,
  SendWithFirstChunk,
  Tally,
} from '../model/types.ts';
import * as draftChunks from './draft-chunks.ts';
import * as drafts from './drafts.ts';
import * as jobs from './jobs.ts';
import { undo } from './undo.ts';

/** Chunks that are read at once. */
const PAGE = 100;

/** Sends and their chunks, from draft to receipt. */
export interface SendLedger {
  /**
   * Writes a send and its chunks as a draft, and returns it as `findWithFirstChunk` does. If the same request did so
   * before, writes nothing and returns undefined. Throws if there is a send with that id.
   */
  draft(send: NewSend): Promise<SendWithFirstChunk | undefined>;
  /**
   * Adds chunks to a draft, behind those it has; an error if it is no draft any more. For lists too long for one step.
   * With `repeats`, what comes last: texts that others sent, which the decision takes in or drops (`Decision.include`).
   */
  appendChunks(id: string, chunks: LedgerMessage[][], repeats?: DraftRepeats): Promise<void>;
  /** Adds messages to a draft of a job that are not sent, behind all of its chunks: they have their outcome already. */
  appendLeftOut(id: string, parts: LeftOutPart[]): Promise<void>;
  find(id: string): Promise<SendRecord | undefined>;
  /** A send with its first chunk: a single text has no other. Withdrawn and expired drafts have none. */
  findWithFirstChunk(id: string): Promise<SendWithFirstChunk | undefined>;
  /** The send's chunks in order; of a long list a part: those of one state, at most `limit`, from index `from` on. */
  chunks(id: string, part?: { from?: number; limit?: number; state?: ChunkState }): Promise<ChunkRecord[]>;
  tally(id: string): Promise<Tally>;
  /**
   * draft → running | cancelled | superseded | awaiting_approval, once. A draft that is too old becomes `expired`
   * instead. A draft that is not sent loses its chunks. A repeated request decides nothing. A request for approval
   * lives for a day. Within it, another person decides for sending, or it is declined, cancelled or superseded, once.
   * If another send brings the same words to the number, a text is not decided for sending, unless the person knows of
   * that send (`Decision.words`). With `startsInMs` no chunk is taken before `startsAt`.
   */
  decide(id: string, decision: Decision): Promise<DecisionResult>;
  /** Requests for approval of a workspace that nobody has decided, oldest first. */
  awaitingApproval(team: string): Promise<SendRecord[]>;
  /** running → paused; false if it was not running. */
  pause(id: string, reason: string): Promise<boolean>;
  /**
   * paused → running, with these details merged in. A job that costs more than its estimate goes on only if its rest
   * fits into its budgets. Above its approval, a second person must approve the rest.
   * With `seenServedAt` it does not go on if somebody resumed it since then.
   */
  resume(id: string, details?: SendDetailsChange, asked?: ResumeAsked): Promise<ResumeResult>;
  /** Merges details into those of a send that runs or is paused; false if it does neither. */
  mergeDetails(id: string, details: SendDetailsChange): Promise<boolean>;
  /** running | paused → stopped: pending chunks are cancelled, those in flight settle. False if it was neither. */
  stop(id: string): Promise<boolean>;
  /**
   * running | paused → cancelled, where nothing of it was ever taken: of this and a first `take` one wins. It loses its
   * chunks, and what its decision took is free again. It works after `startsAt`, too.
   */
  undo(id: string, undo: Undo): Promise<UndoResult>;
  /** Expires the drafts of a place, and its requests for approval, which lose their chunks; says how many. */
  expireDrafts(team: string, channelId: string): Promise<number>;
}

export function createSendLedger(run: Steps['run']): SendLedger {
  /** A send's chunks, a page at a time. */
  async function chunksOf(
    id: string,
    {
      from = 0,
      limit = Number.POSITIVE_INFINITY,
      state,
    }: { from?: number; limit?: number; state?: ChunkState },
  ): Promise<ChunkRecord[]> {
    const found: ChunkRecord[] = [];
    const count = await run((view) => view.get(sends, id)?.work.chunks ?? 0);
    for (let first = from; first < count && found.length < limit; first += PAGE) {
      const most = state === undefined ? limit - found.length : PAGE;
      const indexes = Array.from({ length: Math.min(PAGE, most, count - first) }, (_, i) => first + i);
      const page = await run((view) => findChunks(view, id, indexes, state));
      found.push(...page.map(({ record }) => record));
    }
    return found.slice(0, limit);
  }

  return {
    draft: (send) =>
      run((view) => {
        drafts.draft(view, send);
        return sendWithFirstChunk(view, send.id);
      }),
    appendChunks: (id, chunks, repeats) => run((view) => draftChunks.appendChunks(view, id, chunks, repeats)),
    appendLeftOut: (id, parts) => run((view) => draftChunks.appendLeftOut(view, id, parts)),
    find: (id) => run((view) => view.get(sends, id)?.record),
    findWithFirstChunk: (id) => run((view) => sendWithFirstChunk(view, id)),
    chunks: (id, part = {}) => chunksOf(id, part),
    tally: (id) => run((view) => tallyOf(view.get(sends, id) ?? { record: {}, tally: emptyCounts() })),
    // Decisions that count in the same periods would conflict, so they share a commit.
    decide: (id, decision) =>
      run(
        (view) => drafts.decide(view, id, decision),
        decision.budget && `budget ${decision.budget.periods[0]?.id}`,
      ),
    awaitingApproval: (team) => run((view) => drafts.awaitingApproval(view, team)),
    pause: (id, reason) => run((view) => jobs.pause(view, id, reason)),
    resume: (id, details, asked) => run((view) => jobs.resume(view, id, details, asked)),
    mergeDetails: (id, details) => run((view) => jobs.mergeDetails(view, id, details)),
    stop: (id) => run((view) => jobs.stop(view, id)),
    undo: (id, by) => run((view) => undo(view, id, by)),
    expireDrafts: (team, channelId) => run((view) => drafts.expireDrafts(view, team, channelId)),
  };
}
