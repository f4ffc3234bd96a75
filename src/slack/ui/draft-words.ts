import { type BudgetsLeft, type ShortBudget, shortBudget } from '../../core/budgets/budgets.ts';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { Estimate } from '../../core/sends/estimate.ts';
import type { LastBalance } from '../../core/sends/send-details.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { countCharacters } from '../../core/texts/message-text.ts';
import type { SegmentCount, UnicodeCharacter } from '../../core/texts/segments.ts';
import type { Fact } from './blocks.ts';
import { escaped, quoted } from './safe-text.ts';
import { count, estimatedCredits, PRICE_UNKNOWN, plural, time } from './words.ts';

/** What the previews of a text and of a list have in common. */

export function costFact(estimate: Estimate): Fact {
  const why = estimate.least === undefined ? '' : `: ${PRICE_UNKNOWN}`;
  return ['Cost', `${estimatedCredits(estimate)}${why}`];
}

/** The budget that a draft does not fit into. A resend frees the credits that its first texts hold: only the ledger can tell. */
export function shortBudgetOf(
  { resends, details }: SendView | JobView,
  budgets: BudgetsLeft,
): ShortBudget | undefined {
  return resends ? undefined : shortBudget(budgets, details.estimate, details.by);
}

/** The warning if we have no fresh balance, and the last known one does not cover the estimate. */
export function perhapsShort(estimate: Estimate, last: LastBalance | undefined): string | undefined {
  if (!last || last.credits >= estimate.credits) return undefined;
  return '⚠️ *Perhaps not enough credits:* you can still send, but the service may refuse it.';
}

/** As small print: who pays, and until when somebody can decide. */
export function draftSmallPrint(instanceName: string, { expiresAt }: SendView | JobView): string {
  return `Instance ${quoted(instanceName)} · this draft expires at ${time(expiresAt)}`;
}

/** At most this many of the characters that force UCS-2 are named. */
const NAMED = 3;

/** `22 of 160`; `140 of 201: 3 segments of 67`. As segments count: in UCS-2 most emoji are two. */
export function lengthOf({ units, alone, segments, perSegment }: SegmentCount): string {
  if (segments === 1) return `${count(units)} of ${alone}`;
  return `${count(units)} of ${count(segments * perSegment)}: ${plural(segments, 'segment')} of ${perSegment}`;
}

/** Which characters lower the limit of a text or of its segments, and which count as two. */
export function whyLong(text: string, size: SegmentCount): string | undefined {
  const { segments, encoding, units, alone, perSegment, unicodeCharacters } = size;
  const hasDoubles = units > countCharacters(text);
  if (encoding === 'GSM-7')
    return segments > 1 && hasDoubles
      ? '€, brackets and some other signs count as two characters.'
      : undefined;
  const named = unicodeCharacters.slice(0, NAMED).map(whereIn).join(', ');
  const more = unicodeCharacters.length > NAMED ? ' and more' : '';
  const doubles = hasDoubles ? ' Most emoji count as two.' : '';
  const effect = segments > 1 ? `shorten a segment to ${perSegment}` : `lower the limit from 160 to ${alone}`;
  return `Emoji and special characters (${named}${more}) ${effect}.${doubles}`;
}

function whereIn({ character, position, codePoint }: UnicodeCharacter): string {
  const code = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  // A character that nobody can see alone is named by its code point.
  const shown = /[\p{Z}\p{C}\p{M}]/u.test(character) ? code : escaped(character);
  return `${shown} at position ${count(position)}`;
}
