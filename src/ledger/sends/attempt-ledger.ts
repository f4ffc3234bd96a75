import type { Steps } from '../../store/steps.ts';
import type { Settlement, SettleResult, TakeRequest, TakeResult } from '../model/attempt-types.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { messagesOfJobChunk } from '../model/read-chunks.ts';
import { queueOfKey } from '../permits/lone-permits.ts';
import { deleteExpiredMarks, recoverSend, sendsToRecover } from './recover.ts';
import { settle } from './settle.ts';
import { take } from './take.ts';

/** Attempts to send a chunk: who makes one, and what became of it. */
export function createAttemptLedger(run: Steps['run'], limits: LedgerLimits) {
  /**
   * The keys of this process's attempts, by token: a settlement joins its key's queue, and so conflicts with no take.
   */
  const rateLimitKeys = new Map<string, string>();

  return {
    async take(request: TakeRequest): Promise<TakeResult> {
      const taken = await run((view) => take(view, request, limits), queueOfKey(request.rateLimitKey));
      if (taken.kind !== 'taken') return taken;
      const { chunk } = taken;
      const messages =
        chunk.messages.length > 0
          ? chunk.messages
          : await run((view) => messagesOfJobChunk(view, chunk), 'texts');
      rateLimitKeys.set(request.token, request.rateLimitKey);
      return { ...taken, chunk: { ...chunk, messages } };
    },
    settle(ref: ChunkRef, token: string, settlement: Settlement): Promise<SettleResult> {
      const rateLimitKey = rateLimitKeys.get(token);
      rateLimitKeys.delete(token);
      const queue = rateLimitKey === undefined ? 'settlements' : queueOfKey(rateLimitKey);
      return run((view) => settle(view, { ref, token, settlement }, limits), queue);
    },
    /** Ends what nobody works on any more: see `recoverSend`. Deletes repeat marks and claims that are over. */
    async recover(): Promise<void> {
      for (const id of await run(sendsToRecover)) await run((view) => recoverSend(view, id, false));
      while (await run(deleteExpiredMarks));
    },
  };
}
