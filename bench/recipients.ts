import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Australian area codes. Their numbers 5550 xxxx and 7010 xxxx are for fiction. */
const AUSTRALIA = ['2', '3', '7', '8'].flatMap((area) => [`+61${area}5550`, `+61${area}7010`]);

/** Different fictitious numbers of two countries in turn: Australia's, and 555-01xx of North America. */
export function* fictitiousNumbers(): Generator<string> {
  const american = northAmerican();
  for (const prefix of AUSTRALIA) {
    for (let last = 0; last < 10_000; last += 1) {
      yield prefix + String(last).padStart(4, '0');
      // North America has fewer of these numbers, so they come every second time.
      const next = last % 2 ? american.next() : undefined;
      if (next?.value) yield next.value;
    }
  }
}

function* northAmerican(): Generator<string, undefined> {
  for (let area = 201; area < 990; area += 1) {
    if (!parsePhoneNumberFromString(`+1${area}5550100`)?.isValid()) continue;
    for (let last = 0; last < 100; last += 1) yield `+1${area}55501${String(last).padStart(2, '0')}`;
  }
}

/** A CSV file of this many recipients, up to 100,000, with columns for `{name}` and `{code}`. */
export function recipientsCsv(count: number): Uint8Array {
  const lines = ['phone,name,code'];
  for (const number of fictitiousNumbers()) {
    if (lines.length > count) break;
    lines.push(`${number},Name ${lines.length},C-${lines.length * 7}`);
  }
  if (lines.length <= count) throw new Error(`there are no ${count} fictitious numbers`);
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}
