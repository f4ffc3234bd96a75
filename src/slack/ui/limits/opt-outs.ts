import type { Button } from '@slack/types';
import { REASON_MAX } from '../../../core/opt-outs/opt-outs.ts';
import type { OptOutEvent, OptOutView } from '../../../core/opt-outs/sealed-opt-outs.ts';
import { countCharacters } from '../../../core/texts/message-text.ts';
import type { ReadNumber } from '../../../core/texts/phone.ts';
import { formatNumber, maskNumber } from '../../../core/texts/phone-format.ts';
import { button, joined, type Message, message, small } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { escaped, oneLine, quoted } from '../safe-text.ts';
import { count, inLines, mention, plural, when } from '../words.ts';

/** A reason in a line is cut to this length. */
const REASON_SHOWN = 120;

/** `+44 20 7946 0101 (United Kingdom)`: in a sentence, the country must not read as its subject. */
export function numberWithCountry({ e164, countryName }: Pick<ReadNumber, 'e164' | 'countryName'>): string {
  return escaped(formatNumber(e164) + (countryName ? ` (${countryName})` : ''));
}

/** The number was opted out. `before`: who did so earlier, and when. `reason`: as it was typed. */
export function optedOutMessage(number: ReadNumber, before: OptOutEvent | undefined, reason = ''): Message {
  const shown = numberWithCountry(number);
  if (before) return message(`*${shown} is opted out already*: by ${eventWords(before)}.`);
  return message(
    inLines(
      `✅ *${shown} is opted out.*`,
      'Nobody here can text it. Texts that still wait are not sent.',
      countCharacters(reason) > REASON_MAX &&
        `Only the first ${REASON_MAX} characters of the reason were kept.`,
      `To allow texts again: \`/sms optin ${formatNumber(number.e164)}\``,
    ),
  );
}

export function optedInMessage(number: ReadNumber): Message {
  return message(`✅ *${numberWithCountry(number)} may be texted again.*`);
}

export function notOptedOut(number: ReadNumber): Message {
  return message(`${numberWithCountry(number)} is not opted out. Nothing was changed.`);
}

/** Refuses a text to an opted-out number. Says who opted the number out, when, and how to change that. */
export function optedOutRefusal(
  number: Pick<ReadNumber, 'e164' | 'countryName'>,
  { events }: OptOutView,
): Message {
  const last = events.at(-1);
  return message(
    `⛔ *${numberWithCountry(number)} is opted out*${last ? `: by ${eventWords(last)}` : ''}.\n` +
      `Nothing was sent. To allow texts again, type \`/sms optin ${formatNumber(number.e164)}\`, or ask an admin.`,
  );
}

export function allOptedOut(messages: number): Message {
  const who = messages === 1 ? 'The one recipient is' : `All ${count(messages)} recipients are`;
  return message(
    `⛔ ${who} opted out, so there is nothing to send.\nTo allow texts again, type \`/sms optin\` and the number. \`/sms optouts\` says more.`,
  );
}

/** `@ana, today at 14:02, “asked by phone”` */
export function eventWords({ by, at, via, reason }: OptOutEvent): string {
  const how = via === 'import' ? ' (import)' : '';
  const why = reason === undefined ? '' : `, ${quoted(oneLine(reason, REASON_SHOWN))}`;
  return `${mention(by)}, ${when(at)}${how}${why}`;
}

export const OPT_OUTS_FOR_ADMINS = message(
  '⛔ Only admins can change opt-outs in this workspace.\nNothing was changed. Please ask an admin.',
);

export const OPT_OUTS_FOR_SENDERS = message(
  '⛔ To see or change opt-outs, you must be in a channel that you may send from.\nNothing was changed. Please ask an admin.',
);

/** The words after the command begin with no number: plain text. */
export const NUMBER_FIRST = 'The phone number comes first.';

/** **Import**: opts many numbers out at once. */
export const IMPORT_BUTTON = button(ACTIONS.importOptOuts, 'Import');

/** We can't read a number in the typed words. `sentence`: why, in plain text. `next`: how to go on. */
export function optOutUsage(word: 'optout' | 'optin', sentence?: string, next?: Button): Message {
  const example = `/sms ${word} +44 20 7946 0958${word === 'optout' ? ' asked by phone' : ''}`;
  const opening = sentence === undefined ? 'The number is missing.' : escaped(sentence);
  return message(`⛔ ${opening}\nNothing was changed. Example: \`${example}\``, next);
}

/** The word for a number that we can't read any more. Its opt-out still holds. */
export function unseenNumber({ isDamaged }: Pick<OptOutView, 'isDamaged'>): string {
  return isDamaged ? 'damaged' : 'erased';
}

/** How many numbers are opted out, and the newest of them, masked. */
export function optOutsMessage(facts: {
  total: number;
  newest: OptOutView[];
  mayChange: boolean;
  mayExport: boolean;
}): Message {
  const { total, newest, mayChange, mayExport } = facts;
  const lines = newest.map((optOut) => {
    const { e164, events } = optOut;
    const last = events.at(-1);
    return `• ${e164 === undefined ? unseenNumber(optOut) : maskNumber(e164)}${last ? ` · ${eventWords(last)}` : ''}`;
  });
  const more = total - newest.length;
  if (more > 0) lines.push(`and ${count(more)} more`);
  const note =
    total === 0
      ? 'A number that is opted out gets no texts from this workspace. `/sms optout` adds one.'
      : 'These numbers get no texts from this workspace. `/sms optout` adds a number, `/sms optin` allows texts to it again.';
  return joined(
    total === 0 ? '*No number is opted out.*' : `*${plural(total, 'number')} opted out*`,
    lines.join('\n'),
    small(note),
    mayChange && IMPORT_BUTTON,
    mayExport && total > 0 && button(ACTIONS.exportOptOuts, 'Export CSV'),
  );
}
