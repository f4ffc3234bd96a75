import type { Steps } from '../../store/steps.ts';
import type { View } from '../../store/view.ts';
import { chunkIdOf, chunkRefOf, chunks, isUnlisted, texts } from '../model/chunk-documents.ts';
import type { LedgerMessage } from '../model/chunk-record.ts';
import { withoutWords } from '../model/read-chunks.ts';
import { hasNoOpenChunk, isForgotten, type SendDocument, sends } from '../model/send-documents.ts';
import type { SendRecord } from '../model/send-record.ts';
import { hasEnded, isUndecidedSend, mayHoldDetails } from '../model/send-states.ts';
import { isUndecided } from '../model/unknown-chunks.ts';
import { putSend } from '../rules/put-send.ts';
import { eraseClaims, type HashWords } from './erase-claims.ts';
import { forgetSend, hasWaitingRow, putForgotten, type Remains } from './forget-ended.ts';

/** What stays of a send, and how the repeat guard hashes its messages. */
export interface Erasure {
  remains: Remains;
  hashOf: HashWords;
}

/** What became of a number in one place. `open`: the number stays, since the send is not over. */
type Erased = 'none' | 'erased' | 'open';

/**
 * Erases a number (its digits) and its texts in all workspaces, and from the repeat guard. Open sends and undecided
 * unknown chunks stay as they are. A list that nobody sends keeps its details for half an hour. Returns how many places
 * were erased, and how many stay. Each send and each chunk is a step of its own.
 */
export async function erase(
  steps: Steps,
  phone: string,
  how: Erasure,
): Promise<{ erased: number; open: number }> {
  const counts = { none: 0, erased: 0, open: 0 };
  const quoting = new Set<string>();
  for await (const page of steps.documents(sends)) {
    for (const { id, value } of page) {
      if (value.record.kind === 'job') {
        if (mayQuote(value.record, phone)) quoting.add(id);
        continue;
      }
      counts[await steps.run((view) => eraseFromSend(view, id, phone, how))] += 1;
    }
  }
  for await (const page of steps.documents(texts)) {
    for (const { id, value } of page) {
      if (quoting.has(chunkRefOf(id).send) || !value.some((message) => message.phone === phone)) continue;
      counts[await steps.run((view) => eraseFromChunk(view, id, phone, how))] += 1;
    }
  }
  return { erased: counts.erased, open: counts.open + quoting.size };
}

/** Erases a number from a single send, with its text, unless the send is open, or unknown and undecided. */
function eraseFromSend(view: View, id: string, phone: string, { remains, hashOf }: Erasure): Erased {
  const send = view.get(sends, id);
  if (!send || isForgotten(send) || !holdsPhone(send, phone)) return 'none';
  const ref = { send: id, index: 0 };
  const chunk = view.get(chunks, chunkIdOf(ref));
  if (!isOver(send) || (chunk && (isUndecided(chunk) || isUnlisted(chunk)))) return 'open';
  if (hasWaitingRow(view, send)) return 'open';
  if (chunk) putForgotten(view, ref, chunk, remains);
  putSend(view, id, forgetSend(view, send, { next: send.work.chunks, held: [] }, remains));
  eraseClaims(view, send, send.messages ?? [], hashOf);
  return 'erased';
}

/** Erases a number from a chunk of a job, with its text. The other messages of the chunk stay. */
function eraseFromChunk(view: View, name: string, phone: string, { remains, hashOf }: Erasure): Erased {
  const ref = chunkRefOf(name);
  const [messages, send, chunk] = view.together(
    () => view.get(texts, name),
    () => view.get(sends, ref.send),
    () => view.get(chunks, name),
  );
  const isTo = (message: LedgerMessage) => message.phone === phone;
  if (!messages?.some(isTo)) return 'none';
  if (!send || !isOver(send) || (chunk && (isUndecided(chunk) || isUnlisted(chunk)))) return 'open';
  const rest = messages.map((message) => (isTo(message) ? withoutWords(message) : message));
  view.put(texts, name, rest);
  eraseClaims(view, send, messages.filter(isTo), hashOf);
  const places = messages.flatMap((message, at) => (isTo(message) ? [at] : []));
  // The service's words may quote the number, and a job's preview may have shown it.
  if (chunk?.result !== undefined) view.put(chunks, name, { ...chunk, result: remains.result(chunk.result) });
  putSend(view, ref.send, {
    ...send,
    record: { ...send.record, details: remains.details(send.record) },
    erased: { ...send.erased, [ref.index]: [...(send.erased?.[ref.index] ?? []), ...places] },
  });
  return 'erased';
}

function holdsPhone({ record, messages }: SendDocument, phone: string): boolean {
  if (messages) return messages.some((message) => message.phone === phone);
  // A draft that is over has lost its messages, but keeps its details for half an hour.
  return record.kind === 'single' && JSON.stringify(record.details).includes(phone);
}

/** The last digits of a number, which people write the same with and without its country code. */
const LAST_DIGITS = 7;

/** Whether a list that is not sent has the number in its details. It forgets them by itself. */
function mayQuote(record: SendRecord, phone: string): boolean {
  const digits = () => JSON.stringify(record.details).replace(/\D/g, '');
  const isUnsent = isUndecidedSend(record.state) || mayHoldDetails(record);
  return isUnsent && digits().includes(phone.slice(-LAST_DIGITS));
}

function isOver(send: SendDocument): boolean {
  return hasEnded(send.record) && hasNoOpenChunk(send);
}
