import { troubleIn } from '../../../core/accounts/key-trouble.ts';
import type { NoBalance } from '../../../core/accounts/read-balance.ts';
import type { Runway } from '../../../core/accounts/runway.ts';
import type { LastBalance } from '../../../core/sends/send-details.ts';
import { button, context, type Message, message } from '../blocks.ts';
import { replaceKeyButton, topUpButton } from '../draft-refusals.ts';
import { ACTIONS } from '../ids.ts';
import { KEY_TROUBLE, REPLACE_KEY_HERE } from '../key-trouble.ts';
import { quoted } from '../safe-text.ts';
import { count, credits, mention, plural, present, runwayWords, when } from '../words.ts';

/** The balance, as read just now. `sharedBy`: who posts it for the whole channel. */
export function balanceMessage(facts: {
  credits: number;
  userName: string;
  instanceName: string;
  threshold: number;
  topUpUrl?: string | undefined;
  readAt?: number;
  runway?: Runway | undefined;
  /** A line for each budget. */
  budget?: string[] | undefined;
  sharedBy?: string | undefined;
}): Message {
  const { credits: left, userName, instanceName, threshold, readAt, runway, budget = [], sharedBy } = facts;
  const whose =
    userName === instanceName
      ? quoted(instanceName)
      : `account ${quoted(userName)}, instance ${quoted(instanceName)}`;
  const text = `*${credits(left)}* · ${whose}`;
  const isBelow = left < threshold;
  const below = isBelow ? ', and the balance is below it' : '';
  const notes = present(
    ...budget,
    threshold === 0 ? 'Low-credit threshold: off' : `Low-credit threshold: ${count(threshold)}${below}`,
    runway && runwayWords(runway),
    readAt !== undefined && `read ${when(readAt)}`,
    sharedBy !== undefined && `shared by ${mention(sharedBy)}`,
  );
  return message(
    text,
    context(notes.join(' · ')),
    (isBelow || left <= 0) && topUpButton(facts),
    sharedBy === undefined && button(ACTIONS.shareBalance, 'Share in channel'),
  );
}

/** Why there is no balance, and the last known figure. If nobody can use the instance's key, an admin can replace it here. */
export function balanceUnavailable(
  why: NoBalance,
  { instance, known }: { instance: string; known?: LastBalance | undefined },
): Message {
  const last = known
    ? `Last known: *${credits(known.credits)}*, ${when(known.at)}.`
    : 'No earlier balance is known.';
  return message(`${reason(why)}\n${last}`, troubleIn(why) !== undefined && replaceKeyButton(instance));
}

function reason(why: NoBalance): string {
  switch (why.kind) {
    case 'unavailable':
      return '⚠️ *The balance cannot be read right now.*\nThe service did not answer as it should. Please try again in a moment.';
    case 'busy':
      return `⚠️ *The balance cannot be read right now.*\nThe service limits requests per minute. Please try again in ${plural(Math.max(1, why.seconds), 'second')}.`;
    case 'key_refused':
    case 'other_account':
      return `⛔ *The balance cannot be read: ${KEY_TROUBLE[why.kind]('this instance’s API key')}.*\n${REPLACE_KEY_HERE}`;
  }
}
