import type { BudgetPeriod } from '../model/budget-types.ts';
import type { ChunkDocument } from '../model/chunk-documents.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { countOf } from '../model/tally.ts';
import { withoutNoise } from '../model/without-noise.ts';

/** What a send counts for in its budgets. All functions are pure: a document in, another one out. */

/** What a send counts for in its periods, in credits; also what a period holds. */
export interface BudgetUsage {
  used: number;
  held: number;
}

export const NO_USAGE: BudgetUsage = { used: 0, held: 0 };
const NOT_JUDGED = { messages: 0, credits: 0 };

/**
 * The usage of a send: its charge so far, and the most that its open and unjudged messages may still take. If texts
 * cost more than estimated, the rest probably costs the same.
 */
export function usageOf(send: Pick<SendDocument, 'tally' | 'budget'> | undefined): BudgetUsage {
  const { budget, tally } = send ?? {};
  if (!budget || !tally) return NO_USAGE;
  const { judged = NOT_JUDGED } = budget;
  const used = tally.creditsUsed + judged.credits;
  const unknown = countOf(tally, 'unknown').messages;
  const inDoubt = unknown - judged.messages;
  const open = countOf(tally, 'pending').messages + countOf(tally, 'sending').messages + inDoubt;
  // Only receipts show a price. Earlier versions counted no priced messages: sent and unknown texts share it.
  const each =
    budget.priced === undefined
      ? used / Math.max(1, countOf(tally, 'sent').messages + unknown)
      : tally.creditsUsed / budget.priced;
  if (each > budget.perMessage || used > budget.credits)
    return { used, held: Math.ceil(withoutNoise(each * open)) };
  return { used, held: Math.min(budget.credits - used, Math.ceil(withoutNoise(budget.perMessage * open))) };
}

/**
 * The send with the count of its next receipt's messages: call it before the receipt's credits count. A single text has
 * no rest to price.
 */
export function withPriced(send: SendDocument, messages: number): SendDocument {
  const { budget, record, tally } = send;
  if (!budget || record.kind !== 'job') return send;
  const { priced = tally.creditsUsed === 0 ? 0 : undefined } = budget;
  if (priced === undefined) return send;
  return { ...send, budget: { ...budget, priced: priced + messages } };
}

/** Whether a used up period has the credits of this send already, since somebody decided it before. */
export function isPartOf({ usedUpAt = 0 }: BudgetPeriod, { record }: SendDocument): boolean {
  return (record.decidedAt ?? 0) < usedUpAt;
}

export interface Judged {
  send: SendDocument;
  chunk: ChunkDocument;
}

/** Judges an unknown chunk: from now on it holds nothing, and counts for `charge`, or for all that the send held for it. */
export function withChunkJudged({ send, chunk }: Judged, charge: number | 'held'): Judged {
  const open = withoutJudgement(send, chunk);
  if (!open.budget) return { send, chunk };
  const { judgedByWord: _over, ...rest } = chunk;
  const credits = charge === 'held' ? heldFor({ send: open, chunks: [chunk] }) : charge;
  return { send: withJudged(open, chunk.size, credits), chunk: { ...rest, judged: credits } };
}

/** The same by a person's word, which a released resend takes back. */
export function withChunkJudgedByWord(unjudged: Judged, charge: 0 | 'held'): Judged {
  const { send, chunk } = withChunkJudged(unjudged, charge);
  return { send, chunk: { ...chunk, judgedByWord: true } };
}

/** Judges an unknown chunk by a person's earlier word, if there is one. */
export function judgedAsSaid(unjudged: Judged): Judged {
  const { resentAs, saidSentBy } = unjudged.chunk;
  if (resentAs !== undefined) return withChunkJudgedByWord(unjudged, 0);
  return saidSentBy === undefined ? unjudged : withChunkJudgedByWord(unjudged, 'held');
}

/** The send without a chunk's judgement: an answer says now what became of the chunk. */
export function withoutJudgement(send: SendDocument, { judged, size }: ChunkDocument): SendDocument {
  return judged === undefined ? send : withJudged(send, -size, -judged);
}

function withJudged(send: SendDocument, messages: number, credits: number): SendDocument {
  if (!send.budget) return send;
  const { judged = NOT_JUDGED, ...budget } = send.budget;
  const after = { messages: judged.messages + messages, credits: judged.credits + credits };
  return { ...send, budget: after.messages === 0 ? budget : { ...budget, judged: after } };
}

/** What a send holds for these unknown chunks of its own. */
export function heldFor({ send, chunks }: { send: SendDocument; chunks: ChunkDocument[] }): number {
  const messages = chunks.reduce((sum, { judged, size }) => sum + (judged === undefined ? size : 0), 0);
  return usageOf(send).held - usageOf(withJudged(send, messages, 0)).held;
}
