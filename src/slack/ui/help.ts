import type { Link } from '../../core/accounts/links.ts';
import type { SendRefusal } from '../../core/accounts/permissions.ts';
import { ACTIONS, COMMAND } from '../ids.ts';
import { formButton, listButton } from './prefill.ts';
import { adminsToAsk, whoCanChange, whyNoTexts } from './refusals.ts';
import { button, buttons, context, escaped, type Message, section } from './words.ts';

/**
 * The commands as the help lists them, a line each, and who can use them where: `anywhere`, unless this channel refuses
 * them; `senders` of a linked channel; `admins` of a channel, or of a linked one.
 */
export const COMMANDS = [
  {
    word: 'send',
    line: '`/sms send <number> <text>` – a text: you see recipient and cost, and decide',
    for: 'senders',
  },
  { word: 'send', line: '`/sms send` – a text, in a form', for: 'anywhere' },
  {
    word: 'bulk',
    line: '`/sms bulk` – texts to a whole list, pasted or from a CSV file',
    for: 'anywhere',
  },
  { word: 'balance', line: '`/sms balance` – the credits left', for: 'senders' },
  {
    word: 'status',
    line: '`/sms status` – what this channel is linked to, and how it is doing',
    for: 'senders',
  },
  { word: 'link', line: '`/sms link` – link this channel to an instance', for: 'admins' },
  {
    word: 'settings',
    line: '`/sms settings` – threshold, who can send, replace the key',
    for: 'admins of a link',
  },
  { word: 'unlink', line: '`/sms unlink` – no more texts from this channel', for: 'admins of a link' },
] as const;

/** A word behind `/sms`. Each but `help` itself stands in the help: whoever reads it knows that one. */
export type CommandWord = 'help' | (typeof COMMANDS)[number]['word'];

/** What somebody is and may do where they ask. */
export interface Standing {
  linked: boolean;
  isAdmin: boolean;
  /** No channel is there to be linked: the form asks for one. */
  inDirectMessage?: boolean;
  /** Why the link does not let them send. */
  refusal?: { why: SendRefusal; link: Link };
  /** Where this channel is not linked: some of those who linked others. */
  linkers?: readonly string[];
}

/** The commands that this person can use here. */
export function commandsFor({
  linked,
  isAdmin,
  inDirectMessage = false,
  refusal,
}: Standing): (typeof COMMANDS)[number][] {
  const can = {
    anywhere: !refusal,
    senders: linked && !refusal,
    admins: isAdmin && !inDirectMessage,
    'admins of a link': isAdmin && !inDirectMessage && linked,
  };
  return COMMANDS.filter((command) => can[command.for]);
}

/** Short help. An unknown word is repeated only where it is plainly a word: anything else might be a key. */
export function helpMessage({
  unknownWord,
  suggestion,
  ...standing
}: Standing & { unknownWord?: string; suggestion?: string }): Message {
  const { linked, isAdmin, inDirectMessage = false, refusal } = standing;
  const opening =
    unknownWord === undefined
      ? '*Text messages from Slack*, on shared prepaid credits.'
      : unknown(unknownWord, suggestion);
  if (refusal) {
    const why = `${whyNoTexts(refusal.why, refusal.link)} ${whoCanChange(refusal.link)}`;
    return { text: [opening, why].join('\n'), blocks: [section(opening), section(why)] };
  }
  const commands = commandsFor(standing)
    .map(({ line }) => escaped(line))
    .join('\n');
  const note = linked ? 'Nothing is sent before you press *Send*.' : notLinked(standing);
  return {
    text: [opening, commands, ...(linked ? [] : [note])].join('\n'),
    blocks: [
      section(opening),
      section(commands),
      context(note),
      buttons(
        formButton('Write a text'),
        listButton(),
        ...(linked ? [button(ACTIONS.showBalance, 'Show balance')] : []),
        ...(isAdmin && linked ? [button(ACTIONS.openSettings, 'Settings')] : []),
        ...(isAdmin && !linked && !inDirectMessage ? [button(ACTIONS.linkChannel, 'Link this channel')] : []),
      ),
    ],
  };
}

function notLinked({ isAdmin, inDirectMessage = false, linkers = [] }: Standing): string {
  if (inDirectMessage) {
    return '*Write a text* and *Text a list* work here: each asks for the channel. Everything else is typed in a channel.';
  }
  if (isAdmin) return 'This channel is not linked yet: link it, then texts can be sent from here.';
  return `This channel is not linked yet, so no texts can be sent from here: please ask ${adminsToAsk(linkers)} to link it.`;
}

function unknown(word: string, suggestion: string | undefined): string {
  const there = /^\p{L}{1,16}$/u.test(word)
    ? `There is no \`/sms ${escaped(word)}\`.`
    : 'There is no such command.';
  return suggestion === undefined
    ? `${there} Nothing was sent. This is what there is:`
    : `${there} Did you mean \`/sms ${escaped(suggestion)}\`? Nothing was sent.`;
}

/** Slack's settings of the app name a slash command that is none of ours. */
export const UNKNOWN_SLASH_COMMAND = `Switchboard does not know this command: type \`${COMMAND}\`. Nothing was sent.`;
