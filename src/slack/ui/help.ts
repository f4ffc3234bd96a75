import { ACTIONS } from '../ids.ts';
import { formButton, listButton } from './prefill.ts';
import { button, buttons, context, escaped, type Message, section } from './words.ts';

/** The commands as the help lists them, a line each; only admins can use those that are `adminsOnly`. */
export const COMMANDS = [
  {
    word: 'send',
    line: '`/sms send <number> <text>` – a text: you see recipient and cost, and decide',
    adminsOnly: false,
  },
  { word: 'send', line: '`/sms send` – the same in a form', adminsOnly: false },
  {
    word: 'bulk',
    line: '`/sms bulk` – texts to a whole list, pasted or from a CSV file',
    adminsOnly: false,
  },
  { word: 'balance', line: '`/sms balance` – the credits left', adminsOnly: false },
  {
    word: 'status',
    line: '`/sms status` – what this channel is linked to, and how it is doing',
    adminsOnly: false,
  },
  { word: 'link', line: '`/sms link` – link this channel to an instance', adminsOnly: true },
  { word: 'settings', line: '`/sms settings` – threshold, who can send, replace the key', adminsOnly: true },
  { word: 'unlink', line: '`/sms unlink` – no more texts from this channel', adminsOnly: true },
] as const;

/** A word behind `/sms`. Each but `help` itself stands in the help: whoever reads it knows that one. */
export type CommandWord = 'help' | (typeof COMMANDS)[number]['word'];

/** Short help. An unknown word is repeated only where it is plainly a word: anything else might be a key. */
export function helpMessage({
  linked,
  isAdmin,
  inDirectMessage = false,
  unknownWord,
  suggestion,
}: {
  linked: boolean;
  isAdmin: boolean;
  /** No channel is there to be linked: the form asks for one. */
  inDirectMessage?: boolean;
  unknownWord?: string;
  suggestion?: string;
}): Message {
  const opening =
    unknownWord === undefined
      ? '*Text messages from Slack*, on shared prepaid credits.'
      : unknown(unknownWord, suggestion);
  const commands = COMMANDS.filter(({ adminsOnly }) => isAdmin || !adminsOnly)
    .map(({ line }) => escaped(line))
    .join('\n');
  const notLinked = inDirectMessage
    ? 'Type these in a channel; *Write a text* and *Text a list* work here, too: each asks for the channel.'
    : isAdmin
      ? 'This channel is not linked yet: link it, then texts can be sent from here.'
      : 'This channel is not linked yet: an admin can do that with `/sms link`.';
  return {
    text: [opening, commands, ...(linked ? [] : [notLinked])].join('\n'),
    blocks: [
      section(opening),
      section(commands),
      context(linked ? 'Nothing is sent before you press *Send*.' : notLinked),
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

function unknown(word: string, suggestion: string | undefined): string {
  const there = /^\p{L}{1,16}$/u.test(word)
    ? `There is no \`/sms ${escaped(word)}\`.`
    : 'There is no such command.';
  return suggestion === undefined
    ? `${there} Nothing was sent. This is what there is:`
    : `${there} Did you mean \`/sms ${escaped(suggestion)}\`? Nothing was sent.`;
}
