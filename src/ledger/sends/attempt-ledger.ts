import type { Steps } from '../../store/steps.ts';
import type { Settlement, SettleResult, TakeRequest, TakeResult } from '../model/attempt-types.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { messagesOfJobChunk } from '../model/read-chunks.ts';
import type { SendRecord } from '../model/send-record.ts';
import { queueOfKey } from '../permits/lone-permits.ts';
import type { MadeAttempt } from './forgotten-attempts.ts';
import { type Forgotten, perhapsForgotten, presumeForgotten } from './presume-taken.ts';
import { deleteExpiredMarks, type JudgeOverdue, recoverSend, sendsToRecover } from './recover.ts';
import { settle } from './settle.ts';
import { take } from './take.ts';

/** Attempts to send a chunk: who makes one, and what became of it. */
export function createAttemptLedger(run: Steps['run'], limits: LedgerLimits) {
  return {
    async take(request: TakeRequest): Promise<TakeResult> {
      const taken = await run((view) => take(view, request, limits), queueOfKey(request.rateLimitKey));
      if (taken.kind !== 'taken') return taken;
      const { chunk } = taken;
      const messages =
        chunk.messages.length > 0
          ? chunk.messages
          : await run((view) => messagesOfJobChunk(view, chunk), 'texts');
      return { ...taken, chunk: { ...chunk, messages } };
    },
    /** Ends an attempt. With `made`, the answer counts even if the store has forgotten the attempt. */
    settle(ref: ChunkRef, token: string, settlement: Settlement, made?: MadeAttempt): Promise<SettleResult> {
      // A settlement joins its key's queue, and so conflicts with no take.
      const queue = made ? queueOfKey(made.rateLimitKey) : 'settlements';
      return run((view) => settle(view, { ref, token, settlement, made }, limits), queue);
    },
    /**
     * Presumes that somebody took each single text that began to wait until `begunBefore` (ms, the store's clock). The
     * store may have forgotten that, or a later attempt at a text on its way. With `doubt`, it also marks each draft
     * from then, since somebody may have sent it, and each job that may lack requests. Call this before any other step at a
     * store that may lack its last writes.
     */
    async presumeForgotten(what: Forgotten): Promise<void> {
      const ids = await run((view) => perhapsForgotten(view, what));
      // In one queue they share commits.
      await Promise.all(
        ids.map((id) => run((view) => presumeForgotten(view, id, what, limits), 'presumptions')),
      );
    },
    /**
     * Ends what nobody works on any more: see `recoverSend`. Deletes repeat marks and claims that are over. Resolves to
     * the sends that wait, as `judge` says.
     */
    async recover(judge: JudgeOverdue = () => undefined): Promise<SendRecord[]> {
      const { ids, waiting } = await run((view) => sendsToRecover(view, judge));
      for (const id of ids) await run((view) => recoverSend(view, id, { isDead: false, judge }));
      while (await run(deleteExpiredMarks));
      return waiting;
    },
  };
}
