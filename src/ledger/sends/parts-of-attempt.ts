import type { View } from '../../store/view.ts';
import type { Settlement } from '../model/attempt-types.ts';
import type { LedgerMessage } from '../model/chunk-record.ts';
import { type FoundChunk, findChunks, indexesFrom } from '../model/read-chunks.ts';

/**
 * The parts of an unknown chunk that was split when somebody stopped its resend. Parts keep the token of its attempt,
 * so that a late answer finds them.
 */
export function partsOfAttempt(view: View, { send, document, record }: FoundChunk): FoundChunk[] {
  if (document.state !== 'split') return [];
  const { drafted, chunks } = send.work;
  return findChunks(view, record.send, indexesFrom(drafted, chunks)).filter(
    ({ record: { parent, token } }) => parent === record.index && token === record.token,
  );
}

/** What an answer to the whole attempt says of each of its parts. */
export function answersToParts(settlement: Settlement, parts: LedgerMessage[][]): Settlement[] {
  if (settlement.to !== 'sent' && settlement.to !== 'resolved_per_message')
    return parts.map(() => settlement);
  const { receipt } = settlement;
  const answers = parts.map((messages) =>
    settlement.to === 'sent' ? settlement : { ...settlement, parts: resolvedOf(settlement, messages) },
  );
  const sent = answers.map((answer, index) =>
    answer.to === 'sent' ? (parts[index]?.length ?? 0) : countSent(answer),
  );
  const credits = sharesOf(receipt.creditsUsed, sent);
  return answers.map((answer, index) => ({
    ...answer,
    receipt: { ...receipt, creditsUsed: credits[index] ?? 0 },
  }));
}

type Resolved = Settlement & { to: 'resolved_per_message' };

function resolvedOf({ parts }: Resolved, messages: LedgerMessage[]): Resolved['parts'] {
  const names = new Set(messages.map(nameOf));
  return parts
    .map((part) => ({ ...part, messages: part.messages.filter((message) => names.has(nameOf(message))) }))
    .filter((part) => part.messages.length > 0);
}

function countSent({ parts }: Resolved): number {
  return parts.reduce((sum, { state, messages }) => sum + (state === 'sent' ? messages.length : 0), 0);
}

/** A figure shared out by these sizes, in whole numbers that add up to it. If all sizes are 0, the last gets it. */
export function sharesOf(whole: number, sizes: number[]): number[] {
  let rest = whole;
  let size = sizes.reduce((sum, each) => sum + each, 0);
  return sizes.map((each, index) => {
    const isLast = index === sizes.length - 1;
    const share = isLast ? rest : size === 0 ? 0 : Math.round((rest * each) / size);
    rest -= share;
    size -= each;
    return share;
  });
}

/** Tells the messages of one send apart: no list has a number twice. */
export function nameOf({ phone, text }: LedgerMessage): string {
  return `${phone} ${text}`;
}
