import type { ContextBlock } from '@slack/types';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { Evidence } from '../../core/sends/chunk-result.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { countryName, describeNumber, formatNumber, maskNumber } from '../../core/texts/phone-format.ts';
import { context } from './blocks.ts';
import { escaped, oneLine } from './safe-text.ts';
import { count, credits, estimatedCredits, mention, present } from './words.ts';

/** While the balance has given no clue. */
export const NO_CLUE = 'The balance gives no clue so far.';
export const LOOKING_FOR_CLUES = 'Checking the balance for clues. This may take a few minutes.';

/** The outcome that the balance makes likely, and why we can't be certain. A charge may come long after its request. */
const LIKELY: { [verdict in Evidence['verdict']]: { outcome: string; doubt: string } | undefined } = {
  probably_sent: { outcome: 'probably sent', doubt: 'someone else may use this key' },
  probably_not_sent: { outcome: 'probably not sent', doubt: 'a charge may still come' },
  undecided: undefined,
  topped_up: undefined,
  none: undefined,
};

type Unknown = Pick<SendView | JobView, 'evidence'>;

/** Undefined if the balance makes no outcome likely. */
export function likelyOf({ evidence }: Unknown) {
  return evidence && LIKELY[evidence.verdict];
}

/** The doubt as a sentence. */
export function notCertain(view: Unknown): string | undefined {
  const likely = likelyOf(view);
  return likely && `Likely, but not certain: ${likely.doubt}.`;
}

/** `1 credit was taken` */
export function takenWords({ before = 0, after = 0 }: Evidence): string {
  const used = before - after;
  return `${credits(used)} ${used === 1 ? 'was' : 'were'} taken`;
}

/** `1 credit used · 119 left`, with the estimate if the charge differs from it. */
export function chargeOf({ result, details: { estimate } }: SendView): string {
  const { creditsUsed: used, creditsRemaining: left } = result ?? {};
  const { credits: most, least = most } = estimate;
  const differs = used !== undefined && (used < least || used > most);
  return present(
    used === undefined ? 'the service did not say what it cost' : `${credits(used)} used`,
    left !== undefined && `${count(left)} left`,
    differs && `the estimate was ${estimatedCredits(estimate)}`,
  ).join(' · ');
}

/** The service's status if it is not "sent", for mrkdwn. We never call such a text sent. */
export function otherStatusOf({ result }: SendView): string | undefined {
  return result?.otherStatus === undefined ? undefined : `“${escaped(oneLine(result.otherStatus))}”`;
}

/** `Unknown, probably not sent`: the word unknown always stays. */
export function unknownWords(view: Unknown): string {
  return present('Unknown', likelyOf(view)?.outcome).join(', ');
}

/** The same, with the balance before and after. */
export function unknownHeadline(view: Unknown): string {
  const { before, after } = view.evidence ?? {};
  const isKnown = before !== undefined && after !== undefined;
  const balance = isKnown ? ` (balance ${count(before)} before, ${count(after)} after)` : '';
  return `*${unknownWords(view)}*${balance}`;
}

/** Who pressed Send, or asked for what was approved. */
export function senderOf({ decidedBy, details }: SendView | JobView): string {
  return mention(decidedBy ?? details.by);
}

/** `(said by @ana)`, after an outcome: a person's word, not the service's. */
export function saidBy(person: string): string {
  return `(said by ${mention(person)})`;
}

/** The send's id, as the log names it. */
export function reference({ id }: { id: string }): ContextBlock {
  return context(`Reference \`${id}\``);
}

/** Whole, for the requester only: `+44 20 7946 0958 · United Kingdom` */
export function recipient(view: SendView): string {
  const { country } = view.details;
  return escaped(describeNumber({ e164: view.e164, countryName: country && countryName(country) }));
}

/** The same in a line that has more to say: `+44 20 7946 0958` */
export function shortRecipient(view: SendView): string {
  return escaped(formatNumber(view.e164));
}

/** For everybody who may see the request: `··· 0958 · United Kingdom` */
export function maskedRecipient({ e164, details: { country } }: SendView): string {
  return present(maskNumber(e164), country && escaped(countryName(country))).join(' · ');
}
