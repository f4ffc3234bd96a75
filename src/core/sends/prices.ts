import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import { isErased } from '../../ledger/model/read-chunks.ts';
import type { Records } from '../../records/records.ts';
import { countSegments } from '../texts/segments.ts';
import { type Estimate, estimateCredits, knownCost, learnPrice, Prices } from './estimate.ts';

export type PriceBook = ReturnType<typeof createPriceBook>;

/** What texts cost, by an account's receipts. If two come at once, it may forget one: the next teaches the same. */
export function createPriceBook(prices: Records['prices']) {
  async function read(accountId: string) {
    // A damaged record must stop no text: the next receipts teach the same again.
    return Prices.safeParse(await prices.get(accountId)).data ?? { bySegments: {} };
  }
  const segmentsOf = (text: string) => countSegments(text).segments;

  return {
    /** Credits that texts of these numbers of segments would probably cost. */
    async estimate(accountId: string, segments: number[]): Promise<Estimate> {
      return estimateCredits(await read(accountId), segments);
    },
    /** The most credits that these texts may cost: the upper figure of their estimate. */
    async mostCredits(accountId: string, texts: string[]): Promise<number> {
      return estimateCredits(await read(accountId), texts.map(segmentsOf)).credits;
    },
    /** Credits that these chunks cost if all were charged; undefined when the receipts don't tell, or a text was erased. */
    async costOf(accountId: string, chunks: ChunkRecord[]): Promise<number | undefined> {
      const messages = chunks.flatMap((chunk) => chunk.messages);
      if (messages.some(isErased)) return undefined;
      const texts = messages.map(({ text }) => text);
      return knownCost(await read(accountId), texts.map(segmentsOf));
    },
    /** Whether one of these texts may have been free, by what receipts said lately. */
    async mayBeFree(accountId: string, chunks: ChunkRecord[]): Promise<boolean> {
      const prices = await read(accountId);
      const texts = chunks.flatMap((chunk) => chunk.messages.map(({ text }) => text));
      return [...new Set(texts.map(segmentsOf))].some((segments) => {
        const { credits, least = credits } = estimateCredits(prices, [segments]);
        return least === 0;
      });
    },
    /** Learns from the receipt of texts that were charged together; teaches nothing if they differ in segments. */
    async learn(accountId: string, texts: string[], credits: number): Promise<void> {
      const [segments = 1, ...others] = texts.map(segmentsOf);
      if (others.some((other) => other !== segments)) return;
      const before = await read(accountId);
      const after = learnPrice(before, { segments, messages: texts.length, credits });
      if (!isDeepStrictEqual(after, before)) await prices.set(accountId, after as z.core.util.JSONType);
    },
  };
}
