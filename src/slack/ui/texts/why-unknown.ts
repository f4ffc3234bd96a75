import type { SendView } from '../../../core/sends/send-view.ts';
import { notCertain, unknownWords } from '../outcome-words.ts';
import { count, credits, present } from '../words.ts';

/** Behind **Why?**: what is known of an unknown text, what that proves, and what a person may do. */
export function whyUnknown(view: SendView): string {
  return [
    `⚠️ *${unknownWords(view)}*`,
    whatHappened(view),
    ...whatTheBalanceShows(view),
    'We won’t retry by ourselves: that could text them twice.',
    view.resentAs === undefined
      ? 'If you know that it arrived, press *It arrived* on its receipt: it then counts as sent, with your name.\n*Resend…* sends it once more.'
      : 'Somebody resent it: see *Resends* below.',
  ].join('\n');
}

export function whatHappened({ result }: SendView): string {
  switch (result?.cause) {
    case 'no_answer':
      return 'We sent it, but the service never replied.';
    case 'server_error':
      return 'We sent it, but the service replied that something went wrong on its side.';
    case 'broken_answer':
      return 'We sent it, but the reply could not be read.';
    case 'interrupted':
    // The rest come with a clear answer, or to a request of several.
    case 'accepted':
    case 'key_refused':
    case 'credits':
    case 'validation':
    case 'refused':
    case 'rate_limited':
    case 'unreachable':
    case 'given_up':
    case 'other_account':
    case 'repeated':
    case 'group_refused':
    case 'list_refused':
    case 'not_listed':
    case 'opted_out':
    case undefined:
      return 'We may have sent it: Switchboard was interrupted before a reply came.';
  }
}

/** `1 credit was taken` */
export function taken(used: number): string {
  return `${credits(used)} ${used === 1 ? 'was' : 'were'} taken`;
}

function whatTheBalanceShows({ evidence }: SendView): string[] {
  const { verdict, before, after, messages = 1 } = evidence ?? {};
  if (verdict === undefined) return ['We are still checking the balance.'];
  if (before === undefined || after === undefined)
    return ['The balance does not show whether it was charged.'];
  const covers = messages > 1 ? `, for ${count(messages)} unknown texts together` : '';
  return present(
    `*Balance:* ${count(before)} before, ${count(after)} after${covers}.`,
    verdict === 'topped_up' && 'The credits were topped up meanwhile, so this shows nothing.',
    verdict === 'probably_sent' && 'A charge shows that the service took the text, not that it arrived.',
    (verdict === 'probably_sent' || verdict === 'probably_not_sent') && notCertain(verdict),
  );
}
