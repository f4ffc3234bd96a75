import { type FoundMessage, type LookedUp, MOST_LISTED } from '../../../core/history/look-up.ts';
import type { ReadNumber } from '../../../core/texts/phone.ts';
import { describeNumber } from '../../../core/texts/phone-format.ts';
import { context, type Message, message } from '../blocks.ts';
import { escaped } from '../safe-text.ts';
import { inLines, mention, plural, when } from '../words.ts';
import { OUTCOME_WORDS } from './history-words.ts';

const MOST_NAMED = 5;

const OUTCOMES: { [outcome in FoundMessage['outcome']]: string } = {
  ...OUTCOME_WORDS,
  said_sent: 'unknown, and somebody said that it arrived',
};

/** Whether a number was texted: how often, and the newest times first. */
export function lookedUpMessage(
  number: ReadNumber,
  { messages, isCut, isBehind, days }: LookedUp,
  { isAdmin }: { isAdmin: boolean },
): Message {
  const shown = `*${escaped(describeNumber(number))}*`;
  const where = isAdmin ? 'all channels of this workspace' : 'the channels that you may send from';
  const behind = isBehind ? ' The newest texts may be missing: ask again in a minute.' : '';
  const note = context(`We looked back ${plural(days, 'day')}, in ${where}.${behind}`);
  if (messages.length === 0) {
    const none = isCut
      ? `none of the ${MOST_LISTED} newest messages to this number came from ${where}. There may be older ones.`
      : 'no message to this number is on record. A message that is just being sent may not show yet. Erased messages never show.';
    return message(`${shown}: ${none}`, note);
  }
  const counted = `${plural(messages.length, 'message')}${isCut ? ' or more' : ''}`;
  const some = messages.length > MOST_NAMED ? `, the newest ${MOST_NAMED}:` : '';
  const newest = messages
    .slice(-MOST_NAMED)
    .toReversed()
    .map((one) => `• ${messageWords(one)}`);
  return message(inLines(`${shown} · ${counted}${some}`, ...newest), note);
}

function messageWords({ at, by, channel, outcome }: FoundMessage): string {
  return `${when(at)} by ${mention(by)} in <#${channel}>: ${OUTCOMES[outcome]}`;
}

/** There is no channel whose history this person may read. */
export const NO_CHANNEL_TO_READ = message(
  '⛔ *You may not send from any channel yet*, so there is no history to look in.\nPlease ask an admin.',
);
