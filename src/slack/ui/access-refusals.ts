import type { Link } from '../../core/accounts/links.ts';
import type { SendRefusal } from '../../core/accounts/permissions.ts';
import { button, joined, type Message, message, section } from './blocks.ts';
import type { CommandWord } from './command-list.ts';
import { ACTIONS } from './ids.ts';
import { formButton, type Prefill } from './prefill.ts';
import { escaped } from './safe-text.ts';
import { count, mention, mentions } from './words.ts';

/** Refusals for lack of a right, of a link, or of the bot in the channel. */

const MOST_CHANNELS = 20;
/** The room for all channels, in characters of JSON: Slack takes some 13,200 a message, and the words may stand below. */
const CHANNELS_ROOM = 9000;

/** The channel has no link: admins get the button, members learn who can link it. `elsewhere`: its id, if it is another one. */
export function notLinked(found: {
  isAdmin: boolean;
  admins: readonly string[];
  isDamaged?: boolean | undefined;
  elsewhere?: string | undefined;
}): Message {
  const { isAdmin, admins, isDamaged = false, elsewhere } = found;
  const [it, here] = elsewhere === undefined ? ['This channel', 'here'] : [`<#${elsewhere}>`, 'there'];
  const why = isDamaged ? `${it}’s link is damaged in the database` : `${it} is not linked yet`;
  const fact = `⛔ *${why}, so no texts can be sent from ${here}.*`;
  if (isAdmin) {
    const then = isDamaged
      ? `Link it again with \`/sms link\` ${here}.\nThen check \`/sms settings\` and \`/sms limits\` there: they may have the defaults again.`
      : `Link it with \`/sms link\`, and everybody ${here} can send.`;
    const link =
      elsewhere === undefined
        ? button(ACTIONS.linkChannel, 'Link this channel')
        : button(ACTIONS.linkSomeChannel, 'Link a channel');
    return message(`${fact}\n${then}`, link);
  }
  const where = elsewhere === undefined ? 'in this channel' : here;
  return message(`${fact}\nPlease ask ${adminsToAsk(admins)} to type \`/sms link\` ${where}.`);
}

/** Admins by their names, as far as we know some. They may have left since. */
export function adminsToAsk(admins: readonly string[]): string {
  return admins.length === 0 ? peopleToAsk([]) : `${mentions(admins)} or another admin`;
}

/** These people, and nobody else. Empty: the admins. */
export function peopleToAsk(people: readonly string[]): string {
  return people.length === 0 ? 'an admin of this workspace' : mentions(people);
}

/** The link's rules do not let this person send or confirm. */
export function sendRefused(why: SendRefusal, link: Link): Message {
  return message(`⛔ ${whyNoTexts(why, link)} Nothing was done.\n${whoCanChange(link)}`);
}

/** The same for the balance, the status and the history: only people who may send see them. */
export function seeRefused(what: 'balance' | 'status' | 'history', link: Link): Message {
  return message(`⛔ Only people who may send from this channel can see its ${what}.\n${whoCanChange(link)}`);
}

export function whyNoTexts(why: SendRefusal, link: Link): string {
  const reasons = {
    outsider: 'People of other workspaces cannot send texts from this channel.',
    guest: 'Guests cannot send texts from this channel.',
    admins_only: 'Only admins can send texts from this channel.',
    not_chosen:
      link.people.length === 0
        ? 'Only chosen people can send texts from this channel, and nobody is chosen yet.'
        : `Only chosen people can send texts from this channel: ${mentions(link.people)}.`,
  };
  return reasons[why];
}

export function whoCanChange(link: Link): string {
  return `Please ask ${mention(link.linkedBy)}, who linked this channel, or another admin.`;
}

/** For words after a command that takes none. The words may hold a key, so the answer repeats none of them. */
export function takesNoArgument(word: string): Message {
  const command = `\`/sms ${escaped(word)}\``;
  return message(
    `⛔ ${command} takes no words after it. Nothing was done, and the words were not kept.\n` +
      'If that was a key, rotate it: it has passed through Slack.\n' +
      `Then type ${command} alone.`,
  );
}

/** What only admins do: by a command, or with a button that no command replaces. */
export type AdminTask = CommandWord | 'history all' | 'change keys' | 'check refusals';

const WITH_BUTTONS: { [task in AdminTask]?: string } = {
  'change keys': 'replace or remove an API key',
  'check refusals': 'check how the provider refuses lists: it sends a text and may cost credits',
};

export function adminsOnly(task: AdminTask, admins: readonly string[]): Message {
  const act = WITH_BUTTONS[task] ?? `use \`/sms ${task}\``;
  return message(`⛔ Only admins can ${act}.\nPlease ask ${adminsToAsk(admins)}.`);
}

export const CANNOT_POST_HERE = message(
  '⛔ Switchboard is not in this channel, so it cannot post here.\nType `/invite @Switchboard`, then try again.',
);

/** The bot is in the channel, whose rules let only some people post. */
export const MAY_NOT_POST_HERE = message(
  '⛔ Switchboard may not post in this channel, so nothing was posted.\nPlease ask somebody who manages the channel to let it post here.',
);

/** The bot must be in a channel before somebody links the channel. */
export const INVITE_FIRST = message(
  '⛔ Switchboard is not in this channel yet, so it cannot post here.\nType `/invite @Switchboard` here, then press *Link this channel*.',
  button(ACTIONS.linkChannel, 'Link this channel'),
);

/** The same for a form's field, which takes plain text only. */
export function botNotInChannel(press: 'Link' | 'Preview'): string {
  return `Switchboard is not in this channel. Type /invite @Switchboard there, then press ${press} again.`;
}

export function channelsOnly(word: string): Message {
  return message(`\`/sms ${escaped(word)}\` is about a channel. Type it there, not in a direct message.`);
}

/** A form, draft or button for a channel that the person has left. */
export function notInChannel(channel: string): Message {
  return message(
    `⛔ You are not in <#${channel}>, so nothing was done.\nOnly its members can send from there. Join the channel, then try again.`,
  );
}

/** The bot was removed from a private channel, so Slack does not tell it who is there. */
export function membersUnknown(channel: string): Message {
  return message(
    `⛔ Switchboard is no longer in <#${channel}>, so it cannot see whether you are in it.\n` +
      'Nothing was done. Type `/invite @Switchboard` there, then try again.',
  );
}

/** In a direct message: the channels this person can send from. Each button carries the words, if a message has room for that. */
export function needsChannel(channels: readonly { id: string }[], prefill: Prefill = {}): Message {
  if (channels.length === 0) {
    return message(
      '⛔ *You are in no channel that you can send from.*\n' +
        'Nothing was sent. An admin can link a channel with `/sms link`.',
    );
  }
  const shown = channels.slice(0, MOST_CHANNELS);
  const more = channels.length - shown.length;
  const blocksWith = (given: Prefill) =>
    shown.map(({ id }) => section(`<#${id}>`, formButton('Write a text', { ...given, channel: id })));
  const { message: _text, ...rest } = prefill;
  const whole = blocksWith(prefill);
  return joined(
    'Texts are sent from a linked channel. You can write from these:',
    {
      text: shown.map(({ id }) => `<#${id}>`).join(', '),
      blocks: JSON.stringify(whole).length <= CHANNELS_ROOM ? whole : blocksWith(rest),
    },
    more > 0 && `and ${count(more)} more: type \`/sms send\` there`,
  );
}
