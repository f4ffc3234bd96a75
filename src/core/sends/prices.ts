import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import { isErased } from '../../ledger/model/read-chunks.ts';
import type { Records } from '../../records/records.ts';
import { countSegments } from '../texts/segments.ts';
import { type Estimate, estimateCredits, isFarAbove, knownCost, learnPrice, Prices } from './estimate.ts';

export type PriceBook = ReturnType<typeof createPriceBook>;

/** What texts cost, by an account's receipts. */
export function createPriceBook(
  { prices, inOneStep }: Pick<Records, 'prices' | 'inOneStep'>,
  ledger: Pick<Ledger, 'account'>,
  log: Pick<Logger, 'warn'>,
) {
  /** Credits a message by the last receipt, of each account and number of segments, if that was far above the known price. */
  const doubted = new Map<string, number>();
  // A damaged record must stop no text: the next receipts teach the same again.
  const pricesIn = (record: unknown) => Prices.safeParse(record).data ?? { bySegments: {} };
  const read = async (accountId: string) => pricesIn(await prices.get(accountId));
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
    /**
     * Learns from the receipt of texts that were charged together. Learns nothing if they differ in segments, or if the
     * charge is more than the account had, as far as we know. A price that is far above the known one must come twice in
     * a row: one wrong answer must not make texts too dear to send.
     */
    async learn(accountId: string, texts: string[], credits: number): Promise<void> {
      const [segments = 1, ...others] = texts.map(segmentsOf);
      if (others.some((other) => other !== segments)) return;
      const charge = { segments, messages: texts.length, credits };
      const name = `${accountId} ${segments}`;
      const isAgain = doubted.get(name) === credits / texts.length;
      doubted.delete(name);
      await inOneStep(async (step) => {
        const before = pricesIn(await step.get(prices, accountId));
        const after = learnPrice(before, charge);
        if (isDeepStrictEqual(after, before)) return;
        if (!isAgain && isFarAbove(before, charge)) {
          if (!doubted.has(name))
            log.warn(
              { account: accountId, ...charge },
              'a receipt is far above the known price: it teaches none',
            );
          doubted.set(name, credits / texts.length);
          return;
        }
        // Nobody pays more than they have. Learned, such a price would refuse all texts, and no receipt could correct it.
        const { booked, credits: known = 0 } = (await ledger.account(accountId)) ?? {};
        // The books have counted this charge already.
        if (booked !== undefined && credits > Math.max(booked + credits, known)) return;
        step.set(prices, accountId, after as z.core.util.JSONType);
      });
    },
  };
}
