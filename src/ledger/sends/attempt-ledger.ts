import type { Steps } from '../../store/steps.ts';
import type { Settlement, SettleResult, TakeRequest, TakeResult } from '../model/attempt-types.ts';
import { messagesOfJobChunk } from '../model/read-chunks.ts';
import type { ChunkRef, LedgerLimits } from '../model/types.ts';
import { queueOfKey } from '../permits/key-queue.ts';
import { deleteExpiredMarks, recoverSend, sendsToRecover } from './recover.ts';
import { settle } from './settle.ts';
import { take } from './take.ts';

/** Attempts to send a chunk: who makes one, and what became of it. */
export interface AttemptLedger {
  /**
   * Permit and intent in one step: pending → sending(token, attempt, deadline), or neither. Asked again with a token
   * that holds an attempt, it answers with that attempt, whose deadline stays as it was.
   */
  take(request: TakeRequest): Promise<TakeResult>;
  /**
   * Ends an attempt. A 429 makes its key rest in the same step: while it rests, `take` and `permit` give nobody a
   * permit of the key. If the key rests already, the limit was reached by other requests. Then the chunk goes back to
   * pending, whatever the settlement asks for.
   */
  settle(ref: ChunkRef, token: string, settlement: Settlement): Promise<SettleResult>;
  /**
   * Ends what nobody works on any more. Attempts past their deadline become unknown, drafts past theirs expire, and
   * single sends that waited too long are not sent. Expired drafts and undone sends forget all but what they keep.
   */
  recover(): Promise<void>;
}

export function createAttemptLedger(run: Steps['run'], limits: LedgerLimits): AttemptLedger {
  /** The keys of this process's attempts, by token. A settlement waits in its key's queue, so it does not conflict with takes. */
  const rateLimitKeys = new Map<string, string>();

  return {
    async take(request) {
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
    settle(ref, token, settlement) {
      const rateLimitKey = rateLimitKeys.get(token);
      rateLimitKeys.delete(token);
      const queue = rateLimitKey === undefined ? 'settlements' : queueOfKey(rateLimitKey);
      return run((view) => settle(view, { ref, token, settlement }, limits), queue);
    },
    async recover() {
      for (const id of await run(sendsToRecover)) await run((view) => recoverSend(view, id, false));
      while (await run(deleteExpiredMarks));
    },
  };
}
