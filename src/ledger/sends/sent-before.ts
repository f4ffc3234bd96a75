import type { View } from '../../store/view.ts';
import { moveDifference } from '../accounts/account-days.ts';
import { putChunk } from '../accounts/accounts.ts';
import { recordSpending } from '../accounts/spending.ts';
import type { Settlement } from '../model/attempt-types.ts';
import type { FoundChunk } from '../model/read-chunks.ts';
import { hasEnded } from '../model/send-states.ts';
import { announceTopics } from '../outbox/announce.ts';
import { putSend } from '../rules/put-send.ts';
import type { MadeAttempt } from './forgotten-attempts.ts';

/**
 * Notes that the service also took an earlier request of a chunk, which somebody sent anyway since the store had
 * forgotten it. The charge counts, once. The chunk keeps its own attempt.
 */
export function noteSentBefore(
  view: View,
  { send, document, record: ref }: FoundChunk,
  answer: Settlement,
  { account }: MadeAttempt,
): void {
  const { record, tally, retention } = send;
  const isEarlier = record.mayBeSent && !retention;
  if (!isEarlier || !('receipt' in answer) || document.sentBefore !== undefined) return;
  const { creditsUsed: credits } = answer.receipt;
  putChunk(view, ref, document, { ...document, sentBefore: credits });
  putSend(view, record.id, { ...send, tally: { ...tally, creditsUsed: tally.creditsUsed + credits } });
  // Some balance read calls these credits used elsewhere, since the books knew nothing of the request.
  const isCounted = moveDifference(view, account, { elsewhere: credits });
  // Statements count each text once.
  recordSpending(view, send, { credits, messages: 0 }, isCounted ? account : undefined);
  if (hasEnded(record)) announceTopics(view, record);
}
