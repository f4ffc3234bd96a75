import type { NotNow } from '../../../core/accounts/list-refusal-check.ts';
import {
  type Arrived,
  chargeIn,
  type Finding,
  mayHaveSent,
} from '../../../core/accounts/list-refusal-seen.ts';
import type { RefusalMode } from '../../../core/accounts/list-refusals.ts';
import { KEY_TROUBLE } from '../key-trouble.ts';
import { capitalised, credits, plural, present } from '../words.ts';

/** Plain text, for the terminal and for Slack alike. */

type Answer = Finding['seen']['answer'];

export const RULES: { [mode in RefusalMode]: string } = {
  unproven: 'In part: some texts of a refused list may have been sent',
  atomic: 'All or nothing: my provider promised to send nothing of a refused list',
};

const ARRIVED: { [arrived in Arrived]: string } = {
  yes: 'a text arrived',
  no: 'no text arrived',
  unsure: 'nobody could tell whether a text arrived',
};

/** Says what a check does, and what it costs at most. Each element is a sentence. */
export function whatItDoes(mostCredits: number): string[] {
  return [
    'Switchboard sends one request with two texts: to your phone, and to a number that no phone can have.',
    'Your provider should refuse that request.',
    'If your phone gets its text, or credits are charged, your provider sends parts of refused lists.',
    `The check costs at most ${credits(mostCredits)} and takes about ten seconds. The request is made once.`,
  ];
}

/** `refused with 422, 0 credits charged, no text arrived` */
export function seenInWords({ seen, arrived }: Pick<Finding, 'seen' | 'arrived'>): string {
  const { answer, status } = seen;
  const charge = chargeIn(seen);
  const answers: { [answer in Answer]: string } = {
    refused: `refused with ${status}`,
    accepted: 'both texts accepted',
    key_refused: 'API key refused',
    rate_limited: 'asked to wait (429)',
    not_started: 'service out of reach, nothing was sent',
    no_answer: 'no clear answer',
  };
  return present(
    answers[answer],
    mayHaveSent(seen) && (charge === undefined ? 'charge not known' : `${credits(charge)} charged`),
    arrived && ARRIVED[arrived],
  ).join(', ');
}

/** Why a check proved nothing, by its answer. */
export const WHY_NOTHING_TOLD: { [answer in Answer]: string } = {
  accepted:
    'The service accepted both texts, so it refused nothing. Ask your provider what it does with a refused list.',
  key_refused:
    'The service refused the API key, so it did not look at the texts. Replace the key, then try again.',
  rate_limited:
    'The service asked to wait (429), so it did not look at the texts. Please try again in a few minutes.',
  not_started:
    'The service could not be reached. Nothing was sent and nothing was charged. Please try again later.',
  no_answer: 'The service gave no clear answer. Your phone may get its text. Please try again later.',
  refused: 'The check does not show whether the provider sends a part of a refused list.',
};

/** Why a check proposes this rule. */
export function proposalInWords(mode: RefusalMode): string {
  return mode === 'atomic'
    ? 'Your provider seems to send nothing of a list that it refuses.\nWith “All or nothing”, Switchboard splits such a list and goes on.'
    : 'Your provider sends a part of a list that it refuses.\nWith “In part”, all texts of such a list count as unknown, and the job pauses.';
}

export function notNowInWords(why: NotNow): string {
  return `${reasonOf(why)}\nNothing was sent.`;
}

function reasonOf(why: NotNow): string {
  switch (why.kind) {
    case 'in_flight':
      return 'Texts of this account are still being sent. Their charges would disturb the check. Please try again in a minute.';
    case 'evidence_awaited':
      return 'Switchboard is still checking the balance for unknown texts. This check would disturb that one. Please try again in a minute.';
    case 'job_running':
      return 'A job of this account is running. Wait until it ends, or pause it.';
    case 'opted_out':
      return 'Your own number is opted out. Allow texts to it with `/sms optin`, or use another phone.';
    case 'credits':
      return `The check needs ${credits(why.needed)}, and the account has ${credits(why.available)}. Top up the account first.`;
    case 'key_refused':
    case 'other_account':
      return `${capitalised(KEY_TROUBLE[why.kind]('this instance’s API key'))}. Replace the key first.`;
    case 'busy':
      return `This key has used up its requests for the moment. Please try again in ${plural(why.seconds, 'second')}.`;
    case 'unavailable':
      return 'The service did not say what the balance is. Please try again in a moment.';
  }
}
