import type { LedgerMessage } from '../../ledger/model/chunk-record.ts';
import { callingCode } from '../texts/phone-format.ts';
import { countSegments } from '../texts/segments.ts';
import type { Sample } from './list.ts';

/** What the caller knows of a message. The country need not be known. */
interface KnownOfMessage {
  countryName?: string | undefined;
  isUnlikely?: boolean;
  hasFallback?: boolean;
}

/** Counts the messages of a list one by one, for its summary: by country and by segments, with samples. */
export function createListTally() {
  const countries = new Map<string, number>();
  const places = new Map<string, string>();
  const bySegments: { [segments: string]: number } = {};
  let ucs2 = 0;
  let unlikely = 0;
  let first: Sample | undefined;
  let dearest: Sample | undefined;
  let fallback: Sample | undefined;
  let mostSegments = 0;

  /** Three digits tell every calling code, and reading the number again takes long. */
  function placeByCode(e164: string): string {
    const start = e164.slice(0, 4);
    const place = places.get(start) ?? callingCode(e164);
    places.set(start, place);
    return place;
  }

  return {
    add({ phone, text, row = 0 }: LedgerMessage, known: KnownOfMessage = {}): void {
      const e164 = `+${phone}`;
      const country = known.countryName ?? placeByCode(e164);
      countries.set(country, (countries.get(country) ?? 0) + 1);
      const { segments, encoding } = countSegments(text);
      bySegments[segments] = (bySegments[segments] ?? 0) + 1;
      if (encoding === 'UCS-2') ucs2 += 1;
      if (known.isUnlikely) unlikely += 1;
      const sample = { row, e164, text };
      first ??= sample;
      if (known.hasFallback) fallback ??= sample;
      if (segments > mostSegments) {
        mostSegments = segments;
        dearest = sample;
      }
    },
    /** Undefined while there is no message. */
    result() {
      if (!first || !dearest) return undefined;
      return {
        countries: [...countries]
          .map(([name, messages]) => ({ name, messages }))
          .sort((one, other) => other.messages - one.messages || (one.name < other.name ? -1 : 1)),
        bySegments,
        ucs2,
        ...(unlikely > 0 && { unlikely }),
        samples: { first, dearest, ...(fallback && { fallback }) },
      };
    },
  };
}
