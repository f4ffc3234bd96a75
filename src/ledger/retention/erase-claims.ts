import type { View } from '../../store/view.ts';
import { chunkIdOf, texts } from '../model/chunk-documents.ts';
import type { LedgerMessage } from '../model/chunk-record.ts';
import { indexesFrom } from '../model/read-chunks.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import { guardIdOf } from '../rules/repeat-guard.ts';
import { type GuardClaim, guards } from '../rules/rule-documents.ts';

/** Hashes a message's number and words for a workspace, as the repeat guard knows them. */
export type HashWords = (team: string, message: LedgerMessage) => string;

/**
 * Deletes what the repeat guard knows of these messages of a send, but not its claims of sends that still name the number.
 * Call it once this send names it no more.
 */
export function eraseClaims(
  view: View,
  { record: { team } }: SendDocument,
  messages: LedgerMessage[],
  hashOf: HashWords,
): void {
  for (const message of messages) {
    const id = guardIdOf(team, hashOf(team, message));
    const claims = view.get(guards, id)?.claims ?? [];
    const left = claims.filter((claim) => namesPhone(view, claim, message.phone));
    if (left.length > 0) view.put(guards, id, { claims: left });
    else view.delete(guards, id);
  }
}

/** Whether the claim's message, or its part of a split chunk, still names the number. */
function namesPhone(view: View, { send: id, index }: GuardClaim, phone: string): boolean {
  const send = view.get(sends, id);
  if (!send) return false;
  const isTo = (message: LedgerMessage) => message.phone === phone;
  if (send.messages) return send.messages.some(isTo);
  const { drafted, chunks: end } = send.work;
  const names = [index, ...indexesFrom(drafted, end)].map((each) => chunkIdOf({ send: id, index: each }));
  view.prefetch(texts, ...names);
  return names.some((name) => view.get(texts, name)?.some(isTo));
}
