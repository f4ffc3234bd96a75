import { z } from 'zod';

/** A contradiction is forgotten once this many receipts in a row agree: prices change, too. */
const FORGIVEN_AFTER = 50;

/** What receipts said about messages of one number of segments. */
const Price = z.object({
  /** Credits for one message, by the latest receipt. */
  credits: z.number().nonnegative(),
  /** How many of the latest receipts in a row said so. */
  inARow: z.int().positive(),
  /** Whether receipts before those said something else. */
  contradicted: z.boolean(),
});
type Price = z.infer<typeof Price>;

/** What an account's own receipts teach about its prices; by number of segments. A record to be kept as JSON. */
export const Prices = z.object({ bySegments: z.record(z.string().regex(/^[1-9]\d*$/), Price) });
export type Prices = z.infer<typeof Prices>;

/** What a receipt says: this many messages, of this many segments each, took this many credits together. */
export interface Charge {
  segments: number;
  messages: number;
  credits: number;
}

/** Credits expected before a charge. */
export interface Estimate {
  credits: number;
  /**
   * `documented`: one credit per message, as in the samples of the interface document ("Resources"), until a receipt is
   * known.
   */
  basis: 'documented' | 'receipts';
}

/** The record of an account without receipts. */
export function emptyPrices(): Prices {
  return { bySegments: {} };
}

/** The record with one more receipt. One without messages teaches nothing. */
export function learnPrice(prices: Prices, { segments, messages, credits }: Charge): Prices {
  if (messages < 1 || segments < 1) return prices;
  const each = credits / messages;
  const before = prices.bySegments[segments];
  return { bySegments: { ...prices.bySegments, [segments]: updated(before, each) } };
}

function updated(before: Price | undefined, credits: number): Price {
  if (!before) return { credits, inARow: 1, contradicted: false };
  if (before.credits !== credits) return { credits, inARow: 1, contradicted: true };
  const inARow = Math.min(before.inARow + 1, FORGIVEN_AFTER);
  return { credits, inARow, contradicted: before.contradicted && inARow < FORGIVEN_AFTER };
}

/**
 * Credits that messages of these numbers of segments will probably take. In this order: the documented price while
 * there is no receipt; what a message of as many segments took; so much per segment, if all receipts fit that and one
 * of them was for several segments; so much per message, if all fit that; else as much per segment as a known message
 * of about that length.
 */
export function estimateCredits(prices: Prices, segmentsPerMessage: number[]): Estimate {
  const rule = findRule(prices);
  if (rule.kind === 'documented') {
    return { credits: segmentsPerMessage.length, basis: 'documented' };
  }
  let credits = 0;
  for (const segments of segmentsPerMessage) {
    credits += prices.bySegments[segments]?.credits ?? byRule(rule, segments) ?? guess(prices, segments);
  }
  return { credits: Math.ceil(credits), basis: 'receipts' };
}

/**
 * Credits that these messages take if all are charged, for comparing with a balance. Undefined when the account's
 * receipts contradict each other, or when they tell nothing about a message of so many segments.
 */
export function knownCost(prices: Prices, segmentsPerMessage: number[]): number | undefined {
  if (isContradicted(prices)) return undefined;
  const rule = findRule(prices);
  let credits = 0;
  for (const segments of segmentsPerMessage) {
    const each = prices.bySegments[segments]?.credits ?? byRule(rule, segments);
    if (each === undefined) return undefined;
    credits += each;
  }
  return credits;
}

type Rule =
  | { kind: 'documented' }
  | { kind: 'per_segment'; credits: number }
  | { kind: 'per_message'; credits: number }
  | { kind: 'none' };

function findRule(prices: Prices): Rule {
  const seen = observations(prices);
  const [first] = seen;
  if (!first) return { kind: 'documented' };
  const isMultiple = seen.every(
    ({ segments, credits }) => credits * first.segments === first.credits * segments,
  );
  if (isMultiple && seen.some(({ segments }) => segments > 1)) {
    return { kind: 'per_segment', credits: first.credits / first.segments };
  }
  const isConstant = seen.every(({ credits }) => credits === first.credits);
  return isConstant ? { kind: 'per_message', credits: first.credits } : { kind: 'none' };
}

/** What no rule covers: as much per segment as the longest known message that is not longer, else as the shortest. */
function guess(prices: Prices, segments: number): number {
  const seen = observations(prices);
  const near = seen.findLast((known) => known.segments <= segments) ?? seen[0];
  return near ? (near.credits / near.segments) * segments : 1;
}

function isContradicted(prices: Prices): boolean {
  return Object.values(prices.bySegments).some(({ contradicted }) => contradicted);
}

function observations(prices: Prices): { segments: number; credits: number }[] {
  return Object.entries(prices.bySegments)
    .map(([segments, { credits }]) => ({ segments: Number(segments), credits }))
    .sort((one, other) => one.segments - other.segments);
}

function byRule(rule: Rule, segments: number): number | undefined {
  if (rule.kind === 'none') return undefined;
  if (rule.kind === 'documented') return 1;
  return rule.kind === 'per_segment' ? rule.credits * segments : rule.credits;
}
