import type { KnownBlock } from '@slack/types';
import type { ListSummary } from '../../../core/lists/list.ts';
import { describeNumber, maskNumber } from '../../../core/texts/phone-format.ts';
import { countSegments } from '../../../core/texts/segments.ts';
import { context, table, typed } from '../blocks.ts';
import { lengthOf, whyLong } from '../draft-words.ts';
import { escaped, fitted, oneLine } from '../safe-text.ts';
import { count, inLines, plural, present } from '../words.ts';

/** The most countries, and the most sizes of texts, that a preview names. */
const MOST_NAMED = 5;
const COUNTRY_MAX = 40;
/** The longest filled-in text in a preview, in characters of JSON. Three of them leave room for the rest. */
const TEXT_ROOM = 1700;

/** `United Kingdom: 4,000, Germany: 213` */
export function countriesOf({ countries }: ListSummary): string {
  const named = countries.slice(0, MOST_NAMED).map(({ name, messages }) => {
    // Some countries share a code: then we only know the code.
    const shown = /^\+\d+$/.test(name) ? `${name} (country not known)` : name;
    return `${escaped(oneLine(shown, COUNTRY_MAX))}: ${count(messages)}`;
  });
  const others = countries.slice(MOST_NAMED);
  const rest = others.reduce((sum, { messages }) => sum + messages, 0);
  const more = others.length === 1 ? '1 more country' : `${others.length} more countries`;
  return present(...named, rest > 0 && `${more}: ${count(rest)}`).join(', ');
}

/** In lines: `4,000 texts, 1 segment each`, what a segment is if that matters, `13 texts with emoji or special characters`. */
export function segmentsOf({ bySegments, ucs2 }: ListSummary): string {
  const sizes = Object.entries(bySegments)
    .map(([segments, texts]) => ({ segments: Number(segments), texts }))
    .sort((a, b) => a.segments - b.segments);
  const named = sizes.slice(0, MOST_NAMED).map(({ segments, texts }) => {
    const each = texts === 1 ? '' : ' each';
    return `${plural(texts, 'text')}, ${plural(segments, 'segment')}${each}`;
  });
  const longer = sizes.slice(MOST_NAMED).reduce((sum, { texts }) => sum + texts, 0);
  return inLines(
    ...named,
    longer > 0 && plural(longer, 'longer text'),
    (sizes.some(({ segments }) => segments > 1) || ucs2 > 0) &&
      'A segment holds up to 160 characters, or 70 with emoji or special characters.',
    ucs2 > 0 && `${plural(ucs2, 'text')} with emoji or special characters`,
  );
}

/**
 * The filled-in texts of a preview. Numbers show their last four digits, unless the reader may see them `whole`. Words are
 * in boxes: a modal takes no table, and a message takes only one.
 */
export function sampleBlocks(list: ListSummary, { whole }: { whole: boolean }): KnownBlock[] {
  return shownOf(list, { whole }).flatMap(({ label, facts, why, words }) => {
    const notes = [`*${label}*`, ...facts.map(escaped)].join(' · ');
    return [context(inLines(notes, why)), typed(words)];
  });
}

/** The same with full phone numbers, as a table. */
export function sampleTable(list: ListSummary): KnownBlock[] {
  const shown = shownOf(list, { whole: true });
  const rows = shown.map(({ label, facts, words }) => [[label, ...facts].join(' · '), words]);
  const whys = new Set(shown.flatMap(({ why }) => (why === undefined ? [] : [why])));
  return [table(['Recipient', 'Text'], rows), ...[...whys].map((why) => context(why))];
}

/** The texts that a preview shows, each once: `Example (also the most expensive)`. */
function shownOf({ samples, bySegments }: ListSummary, { whole }: { whole: boolean }) {
  const { first, dearest, fallback } = samples;
  const areAlike = Object.keys(bySegments).length === 1;
  const named = present(
    { label: 'Example', sample: first },
    !areAlike && { label: 'The most expensive', sample: dearest },
    fallback && { label: 'With a missing value', sample: fallback },
  );
  const same = Map.groupBy(named, ({ sample }) => `${sample.row} ${sample.e164}`);
  return [...same.values()].flatMap(([one, ...others]) => {
    if (!one) return [];
    const { sample } = one;
    const also = others.map(({ label }) => `also ${label.toLowerCase()}`).join(', ');
    const words = fitted(sample.text, TEXT_ROOM) || ' ';
    const size = countSegments(sample.text);
    const facts = present(
      sample.row > 0 && `row ${count(sample.row)}`,
      whole ? describeNumber(sample) : maskNumber(sample.e164),
      `length ${lengthOf(size)}`,
      words.length < sample.text.length && 'shown in part',
    );
    const label = also === '' ? one.label : `${one.label} (${also})`;
    return [{ label, facts, why: whyLong(sample.text, size), words }];
  });
}
