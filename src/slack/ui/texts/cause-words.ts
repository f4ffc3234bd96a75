import type { ChunkResult } from '../../../core/sends/chunk-result.ts';
import { REPLACE_KEY_HERE } from '../key-trouble.ts';
import { count, credits } from '../words.ts';
import { clientRefusal } from './typed-problems.ts';

/** Why a text ended as it did, for each outcome. */
interface CauseWords {
  /** Why the service refused it, what to do, and whether its own words help. */
  rejected: { why: string; next: string; showWords: boolean };
  notSent: string;
  unknown: string;
}

/** The words for an outcome whose cause has none of its own. */
const OTHERWISE: CauseWords = {
  rejected: {
    why: 'The service refused this text.',
    next: 'If its words do not help, show them to an admin with the reference below.',
    showWords: true,
  },
  notSent: 'Switchboard was held up, and does not send late texts. You can write it again.',
  unknown: 'We may have sent it: Switchboard was interrupted before a reply came.',
};

/** The service's words if they only repeat our headline: "The request is not valid." */
const SAYS_NOTHING = /^(?:the )?(?:request|input|validation)\b.{0,20}(?:not valid|invalid|failed)\W*$/i;

export function causeWords(result: ChunkResult | undefined): CauseWords {
  return { ...OTHERWISE, ...(result && ownWords(result)) };
}

function ownWords(result: ChunkResult): Partial<CauseWords> {
  const { requiredCredits: needed, availableCredits: available } = result;
  const words: { [cause in ChunkResult['cause']]: Partial<CauseWords> } = {
    key_refused: {
      rejected: {
        why: 'the service refuses the API key, not the number',
        next: `The admins were told. ${REPLACE_KEY_HERE}\nThen write the text again.`,
        showWords: false,
      },
    },
    credits: {
      rejected: {
        why:
          needed === undefined || available === undefined
            ? 'There are not enough credits for this text.'
            : `Not enough credits: this text needs ${credits(needed)}, and the account has ${count(available)}.`,
        next: 'Top up the account, then write the text again.',
        showWords: false,
      },
    },
    validation: {
      rejected: {
        why: 'The service does not accept this number or this text.',
        next: 'Please check both, then write it again.',
        showWords: !SAYS_NOTHING.test(result.message ?? ''),
      },
      notSent: `We did not hand the text to the service: ${clientRefusal(result.code)}.`,
    },
    unreachable: { notSent: 'The service could not be reached. Please try again in a moment.' },
    rate_limited: {
      notSent: 'The service limits requests per minute, and refused this one. Please try again in a minute.',
    },
    opted_out: { notSent: 'The number was opted out before the text went out. `/sms optouts` says more.' },
    other_account: {
      notSent:
        'Another account would have paid: after *Send*, this channel got another API key, or its key another account.\nWrite the text again to see who pays now.',
    },
    repeated: {
      notSent:
        'The answer to the unknown text came late: the service had accepted it. So it was not sent again.',
    },
    no_answer: { unknown: 'We sent it, but the service never replied.' },
    server_error: { unknown: 'We sent it, but the service replied that something went wrong on its side.' },
    broken_answer: { unknown: 'We sent it, but the reply could not be read.' },
    accepted: {},
    refused: {},
    given_up: {},
    interrupted: {},
    // Only requests with several texts end like this.
    group_refused: {},
    list_refused: {},
    not_listed: {},
  };
  return words[result.cause];
}
