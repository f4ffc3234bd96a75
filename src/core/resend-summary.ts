import type { LedgerMessage } from '../store/ledger.ts';
import type { ListSummary, Sample } from './bulk/list.ts';
import { readNumber } from './phone.ts';
import { placeOf } from './phone-format.ts';
import { countSegments } from './segments.ts';

/** What a preview says of messages that were checked once before and are to be sent again. At least one. */
export function summarise(messages: LedgerMessage[]): ListSummary {
  const countries = new Map<string, number>();
  const bySegments: { [segments: string]: number } = {};
  let ucs2 = 0;
  let dearest: { sample: Sample; segments: number } | undefined;
  let first: Sample | undefined;
  for (const { phone, text, row = 0 } of messages) {
    const number = readNumber(`+${phone}`);
    const country = placeOf({ e164: `+${phone}`, ...(number.kind === 'number' ? number : {}) });
    countries.set(country, (countries.get(country) ?? 0) + 1);
    const { segments, encoding } = countSegments(text);
    bySegments[segments] = (bySegments[segments] ?? 0) + 1;
    if (encoding === 'UCS-2') ucs2 += 1;
    const sample = { row, e164: `+${phone}`, text };
    first ??= sample;
    if (!dearest || segments > dearest.segments) dearest = { sample, segments };
  }
  if (!first || !dearest) throw new Error('there is nothing to send again');
  return {
    rows: messages.length,
    toSend: messages.length,
    wrong: { wrong_number: 0, duplicate: 0, empty_placeholder: 0, too_long: 0 },
    countries: [...countries]
      .map(([name, count]) => ({ name, messages: count }))
      .sort((one, other) => other.messages - one.messages),
    bySegments,
    ucs2,
    samples: { first, dearest: dearest.sample },
    wrongRows: [],
  };
}
