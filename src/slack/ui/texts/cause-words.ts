import type { ChunkResult } from '../../../core/sends/chunk-result.ts';
import { REPLACE_KEY_HERE } from '../key-trouble.ts';
import { count, credits } from '../words.ts';
import { clientRefusal } from './typed-problems.ts';

/** Why a text ended as it did, for each outcome. */
interface CauseWords {
  /** Why the service refused it, what to do, and whether its own words help. */
  rejected: { why: string; next: string; showWords: boolean };
  notSent: { why: string; next?: string };
  unknown: string;
}

/** The words for an outcome whose cause has none of its own. */
const OTHERWISE: CauseWords = {
  rejected: {
    why: 'The service refused this text.',
    next: 'If its words do not help, show them to an admin with the reference below.',
    showWords: true,
  },
  notSent: {
    why: 'Switchboard was held up, and does not send late texts.',
    next: 'You can write it again.',
  },
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
      notSent: { why: `We did not hand the text to the service: ${clientRefusal(result.code)}.` },
    },
    unreachable: {
      notSent: { why: 'The service could not be reached.', next: 'Please try again in a moment.' },
    },
    rate_limited: {
      notSent: {
        why: 'The service limits requests per minute, and refused this one.',
        next: 'Please try again in a minute.',
      },
    },
    opted_out: {
      notSent: {
        why: 'The number was opted out before the text went out.',
        next: '`/sms optouts` says more.',
      },
    },
    other_account: {
      notSent: {
        why: 'Another account would have paid: the channel’s key, or the account behind it, changed after *Send*.',
        next: 'Write the text again to see who pays now.',
      },
    },
    repeated: {
      notSent: {
        why: 'A late answer says that the service accepted the first text. So this one was not sent.',
      },
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
