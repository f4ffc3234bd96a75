import type { Ledger } from '../../ledger/ledger.ts';
import type { LedgerMessage } from '../../ledger/model/chunk-record.ts';
import { inChunks } from '../lists/in-chunks.ts';
import type { ListSummary } from '../lists/list.ts';
import { createListTally } from '../lists/list-tally.ts';
import type { WordsOf } from '../sends/same-words.ts';
import { readNumber } from '../texts/phone.ts';

/** Sorts the messages of a list: new ones, and ones whose words another send brought to the same number. */
export function createRepeatSieve(
  { ledger, wordsOf }: { ledger: Pick<Ledger, 'whichRepeat'>; wordsOf: WordsOf },
  team: string,
  chunkSize: number,
) {
  const repeats: LedgerMessage[] = [];
  const tallyOfKept = createListTally();
  const tallyOfRepeats = createListTally();

  /** The new ones of some messages. */
  async function sifted(messages: LedgerMessage[]): Promise<LedgerMessage[]> {
    const hashes = messages.map((message) => wordsOf(team, message)?.hash ?? '');
    const found = await ledger.whichRepeat(team, hashes);
    return messages.filter((message, index) => {
      const isRepeat = found.has(hashes[index] ?? '');
      if (isRepeat) {
        repeats.push(message);
        const read = readNumber(`+${message.phone}`);
        tallyOfRepeats.add(
          message,
          read.kind === 'number' ? { ...read, isUnlikely: !!read.noKnownRange } : {},
        );
      } else tallyOfKept.add(message);
      return !isRepeat;
    });
  }

  return {
    /** The new messages, in chunks of the same size. */
    async *kept(pages: Iterable<LedgerMessage[][]> | AsyncIterable<LedgerMessage[][]>) {
      let rest: LedgerMessage[] = [];
      for await (const page of pages) {
        const kept = [...rest, ...(await sifted(page.flat()))];
        const full = kept.length - (kept.length % chunkSize);
        rest = kept.slice(full);
        if (full > 0) yield [...inChunks(kept.slice(0, full), chunkSize)];
      }
      if (rest.length > 0) yield [rest];
    },
    /** The repeats, once `kept` was read to its end. */
    repeats: () => repeats,
    /** What the preview says of the list without its repeats. */
    summaryOfKept(whole: ListSummary): ListSummary {
      const { bySegments = {}, ucs2 = 0, samples } = tallyOfKept.result() ?? {};
      const repeated = tallyOfRepeats.result();
      const less = new Map(repeated?.countries.map(({ name, messages }) => [name, messages]));
      const { unlikely: all = 0, ...others } = whole;
      const unlikely = all - (repeated?.unlikely ?? 0);
      const countries = whole.countries
        .map(({ name, messages }) => ({ name, messages: messages - (less.get(name) ?? 0) }))
        .filter(({ messages }) => messages > 0);
      const { fallback, ...ofWhole } = whole.samples;
      const isKept = fallback && !repeats.some(({ row }) => row === fallback.row);
      return {
        ...others,
        ...(unlikely > 0 && { unlikely }),
        toSend: whole.toSend - repeats.length,
        countries,
        bySegments,
        ucs2,
        samples: { ...(samples ?? ofWhole), ...(isKept && { fallback }) },
      };
    },
  };
}
