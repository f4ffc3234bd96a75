import type { ReadNumber } from '../phone.ts';
import { placeOf } from '../phone-format.ts';
import { countSegments } from '../segments.ts';
import type { ListSummary, Sample } from './list.ts';

/** Counts the messages of a list. */
export interface Tally {
  add(row: number, number: ReadNumber, text: string, hasFallback: boolean): void;
  /** Undefined while there is no message. */
  result(): Pick<ListSummary, 'countries' | 'bySegments' | 'ucs2' | 'samples'> | undefined;
}

export function createTally(): Tally {
  const countries = new Map<string, number>();
  const bySegments: { [segments: string]: number } = {};
  let ucs2 = 0;
  let first: Sample | undefined;
  let dearest: Sample | undefined;
  let fallback: Sample | undefined;
  let mostSegments = 0;

  return {
    add(row, number, text, hasFallback) {
      const country = placeOf(number);
      countries.set(country, (countries.get(country) ?? 0) + 1);
      const { segments, encoding } = countSegments(text);
      bySegments[segments] = (bySegments[segments] ?? 0) + 1;
      if (encoding === 'UCS-2') ucs2 += 1;
      const sample = { row, e164: number.e164, text };
      first ??= sample;
      if (hasFallback) fallback ??= sample;
      if (segments > mostSegments) {
        mostSegments = segments;
        dearest = sample;
      }
    },
    result() {
      if (!first || !dearest) return undefined;
      return {
        countries: [...countries]
          .map(([name, messages]) => ({ name, messages }))
          .sort((one, other) => other.messages - one.messages || (one.name < other.name ? -1 : 1)),
        bySegments,
        ucs2,
        samples: { first, dearest, ...(fallback && { fallback }) },
      };
    },
  };
}
