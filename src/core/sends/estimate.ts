import { z } from 'zod';
import { withoutNoise } from '../../ledger/model/without-noise.ts';

/** We forget a contradiction once this many receipts in a row agree: prices change, too. */
const FORGIVEN_AFTER = 50;

/** What receipts said about messages of one number of segments. */
const Price = z.object({
  /** Credits for one message, by the latest receipt. */
  credits: z.number().nonnegative(),
  /** How many of the latest receipts in a row said so. */
  inARow: z.int().positive(),
  /** Whether receipts before those said something else. */
  contradicted: z.boolean(),
  /** The least and the most that any of them said, while they contradict each other. */
  least: z.number().nonnegative().optional(),
  most: z.number().nonnegative().optional(),
});
type Price = z.infer<typeof Price>;

/** What an account's receipts show about its prices, by number of segments. Stored as JSON. */
export const Prices = z.object({ bySegments: z.record(z.string().regex(/^[1-9]\d*$/), Price) });
export type Prices = z.infer<typeof Prices>;

/** What a receipt says: this many messages, of this many segments each, took this many credits together. */
export type Charge = { segments: number; messages: number; credits: number };

/** Credits expected before a charge. */
export const Estimate = z.object({
  /** The most that it may be. */
  credits: z.number(),
  /** The least that it may be; absent if the price is certain. */
  least: z.number().optional(),
  /** The most that one of several messages may be; missing if that is `credits`, and in drafts of earlier versions. */
  perMessage: z.number().optional(),
  /** Nobody reads it. But a bot of an earlier version can't read an estimate without it, so we still write it. */
  basis: z.enum(['documented', 'receipts']).optional(),
});
export type Estimate = z.infer<typeof Estimate>;

/** A price above this many times the known one may be a mistake. Prices of countries differ by less. */
const FAR_TIMES = 100;

/** Whether a receipt's price is so far above the known one that one receipt does not prove it. */
export function isFarAbove(prices: Prices, { segments, messages, credits }: Charge): boolean {
  return credits / messages > FAR_TIMES * Math.max(1, estimateCredits(prices, [segments]).credits);
}

/** The record with one more receipt. A receipt without messages teaches nothing. */
export function learnPrice(prices: Prices, { segments, messages, credits }: Charge): Prices {
  if (messages < 1 || segments < 1) return prices;
  const each = credits / messages;
  const before = prices.bySegments[segments];
  return { bySegments: { ...prices.bySegments, [segments]: updated(before, each) } };
}

function updated(before: Price | undefined, credits: number): Price {
  if (!before) return { credits, inARow: 1, contradicted: false };
  if (before.credits !== credits) {
    const { least = credits, most = credits } = before;
    const seen = [before.credits, least, most, credits];
    return { credits, inARow: 1, contradicted: true, least: Math.min(...seen), most: Math.max(...seen) };
  }
  if (!before.contradicted) return before;
  const inARow = before.inARow + 1;
  return inARow < FORGIVEN_AFTER ? { ...before, inARow } : { credits, inARow, contradicted: false };
}

/**
 * The credits that messages of these numbers of segments will probably take. Until there is a receipt, a message of one
 * segment takes one, as documented.
 */
export function estimateCredits(prices: Prices, segmentsPerMessage: number[]): Estimate {
  const { perMessage, ...price } = priceOf(prices, segmentsPerMessage);
  const [least, credits] = [Math.ceil(price.least), Math.ceil(price.most)];
  const basis = observations(prices).length === 0 ? 'documented' : 'receipts';
  return { credits, ...(least < credits && { least }), ...(perMessage < credits && { perMessage }), basis };
}

/** What these messages take if all are charged, to compare with a balance; undefined when receipts don't tell. */
export function knownCost(prices: Prices, segmentsPerMessage: number[]): number | undefined {
  if (Object.values(prices.bySegments).some(({ contradicted }) => contradicted)) return undefined;
  const { least, most } = priceOf(prices, segmentsPerMessage);
  return least === most ? most : undefined;
}

type Observation = ReturnType<typeof observations>[number];

/** The interface document's samples: one credit for one message. */
const DOCUMENTED: Observation = { segments: 1, credits: 1, least: 1, most: 1, contradicted: false };

/** What all these messages take at least and at most, and one of them at most, in credits. */
function priceOf(
  prices: Prices,
  segmentsPerMessage: number[],
): { least: number; most: number; perMessage: number } {
  const price = pricesOf(observations(prices));
  let least = 0;
  let most = 0;
  let perMessage = 0;
  for (const [segments, { length }] of Map.groupBy(segmentsPerMessage, (each) => each)) {
    const each = price(segments);
    least += length * each.least;
    most += length * each.most;
    perMessage = Math.max(perMessage, each.most);
  }
  return { least: withoutNoise(least), most: withoutNoise(most), perMessage };
}

/**
 * What a message costs, by the receipts so far. The price is exact if a receipt had the same number of segments. The
 * price is also exact if receipts of different lengths all fit one price per segment, or one price per message.
 * Otherwise it is a range: the price of the next shorter message (or the shortest), and the same price per segment.
 * Receipts that contradict each other prove no rule: their prices are a range, too.
 */
function pricesOf(seen: Observation[]): (segments: number) => { least: number; most: number } {
  const [first = DOCUMENTED] = seen;
  const isProven = seen.length > 1 && !seen.some(({ contradicted }) => contradicted);
  const isPerMessage = isProven && seen.every(({ credits }) => credits === first.credits);
  const isPerSegment =
    isProven && seen.every(({ segments, credits }) => credits * first.segments === first.credits * segments);
  return (segments) => {
    const near = seen.findLast((known) => known.segments <= segments) ?? first;
    const { least, most } = near;
    if (isPerMessage || near.segments === segments) return { least, most };
    const perSegment = (credits: number) => (credits / near.segments) * segments;
    if (isPerSegment) return { least: perSegment(least), most: perSegment(most) };
    return { least: Math.min(least, perSegment(least)), most: Math.max(most, perSegment(most)) };
  };
}

function observations(prices: Prices) {
  return Object.entries(prices.bySegments)
    .map(([segments, { credits, contradicted, least = credits, most = credits }]) => ({
      segments: Number(segments),
      credits,
      contradicted,
      least,
      most,
    }))
    .sort((one, other) => one.segments - other.segments);
}
