import type { ContextBlock } from '@slack/types';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { Evidence } from '../../core/sends/chunk-result.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { context } from './blocks.ts';
import { escaped, oneLine } from './safe-text.ts';
import { count, credits, estimatedCredits, mention } from './words.ts';

/** While nobody has looked at the balance. */
export const LOOKING_FOR_CLUES = 'Checking the balance for clues …';
/** Why an outcome is only likely, as half a sentence. A service may book a charge long after its request. */
export const WHY_NOT_CERTAIN = {
  probably_sent: 'someone else may use this key',
  probably_not_sent: 'a charge may still come',
} as const;

/** `WHY_NOT_CERTAIN` as a sentence. */
export function notCertain(verdict: keyof typeof WHY_NOT_CERTAIN): string {
  return `Likely, but not certain: ${WHY_NOT_CERTAIN[verdict]}.`;
}

/** `1 credit used · 119 left`, with the estimate if that was another figure. */
export function chargeOf({ result, details: { estimate } }: SendView): string {
  const { creditsUsed: used, creditsRemaining: left } = result ?? {};
  const spent = used === undefined ? 'the service did not say what it cost' : `${credits(used)} used`;
  const rest = left === undefined ? '' : ` · ${count(left)} left`;
  const { credits: most, least = most } = estimate;
  const differs = used !== undefined && (used < least || used > most);
  return `${spent}${rest}${differs ? ` · the estimate was ${estimatedCredits(estimate)}` : ''}`;
}

/** The service's status if it is not "sent", for mrkdwn. We never call such a text sent. */
export function otherStatusOf({ result }: SendView): string | undefined {
  return result?.otherStatus === undefined ? undefined : `“${escaped(oneLine(result.otherStatus))}”`;
}

/** `Unknown, probably not sent`: the word unknown always stays. */
export function unknownWords(view: { evidence?: Evidence | undefined }): string {
  const likely = likelyOutcome(view);
  return `Unknown${likely === undefined ? '' : `, ${likely}`}`;
}

/** The same, with the balance before and after. */
export function unknownHeadline({ evidence }: { evidence?: Evidence | undefined }): string {
  const { before, after } = evidence ?? {};
  const figures =
    before === undefined || after === undefined
      ? ''
      : ` (balance ${count(before)} before, ${count(after)} after)`;
  return `*${unknownWords({ evidence })}*${figures}`;
}

/** What the balance says about an unknown text: half a sentence; undefined if it can't tell. */
export function likelyOutcome({ evidence }: { evidence?: Evidence | undefined }): string | undefined {
  switch (evidence?.verdict) {
    case 'probably_not_sent':
      return 'probably not sent';
    case 'probably_sent':
      return 'probably sent';
    case 'undecided':
    case 'topped_up':
    case 'none':
    case undefined:
      return undefined;
  }
}

/** Who pressed Send, or asked for what was approved. */
export function senderOf({ decidedBy, details }: SendView | JobView): string {
  return mention(decidedBy ?? details.by);
}

/** `(said by @ana)`, behind an outcome: a person's word, not the service's. */
export function saidBy(person: string): string {
  return `(said by ${mention(person)})`;
}

/** The send's id, by which the log has it. */
export function reference({ id }: { id: string }): ContextBlock {
  return context(`Reference \`${id}\``);
}
