import type { Link } from '../../core/accounts/links.ts';
import type { SendRefusal } from '../../core/accounts/permissions.ts';
import type { Message } from './blocks.ts';
import { COMMAND } from './ids.ts';
import { capitalised, present } from './words.ts';

/**
 * Every command, once. A new command begins here: the help lists it, the playground suggests it while somebody types, and
 * the compiler asks `listeners/receive-command.ts` for its handler. `for` says who can use a command:
 *
 * - `anywhere`: everybody, unless this channel refuses them
 * - `senders`: who may send, in a linked channel
 * - `admins`: admins, in any channel
 * - `admins of a link`: admins, in a linked channel
 * - `workspace admins`: admins, anywhere
 */
export const COMMANDS = [
  {
    word: 'send',
    hint: '<number> <text>',
    does: 'send a text: you see the cost, and decide',
    for: 'senders',
  },
  { word: 'send', does: 'send a text, with a form', for: 'anywhere' },
  { word: 'bulk', does: 'text a whole list, pasted or from a CSV file', for: 'anywhere' },
  { word: 'balance', does: 'see the credits that are left', for: 'senders' },
  { word: 'status', does: 'see what this channel is linked to, and how it is doing', for: 'senders' },
  { word: 'history', does: 'see what was sent from this channel', for: 'senders' },
  { word: 'history', hint: '<number>', does: 'see who texted a number, and when', for: 'senders' },
  { word: 'history', hint: 'all', does: 'see what was sent from all channels', for: 'workspace admins' },
  { word: 'optout', hint: '<number>', does: 'stop texts to a number, from everybody here', for: 'senders' },
  { word: 'optin', hint: '<number>', does: 'allow texts to a number again', for: 'senders' },
  { word: 'optouts', does: 'see, import or export opted-out numbers', for: 'senders' },
  { word: 'approvals', does: 'see what waits for approval', for: 'anywhere' },
  { word: 'statement', does: 'see where the credits went', for: 'admins' },
  { word: 'link', does: 'link this channel to prepaid credits', for: 'admins' },
  { word: 'settings', does: 'change the threshold, who can send, or the key', for: 'admins of a link' },
  { word: 'limits', does: 'set this channel’s budgets, approval and undo time', for: 'admins of a link' },
  { word: 'unlink', does: 'stop sending from this channel', for: 'admins of a link' },
] as const satisfies readonly Listed[];

interface Listed {
  word: string;
  hint?: string;
  does: string;
  for: 'anywhere' | 'senders' | 'admins' | 'workspace admins' | 'admins of a link';
}

/** A word after `/sms`. The help does not list itself: its readers know it. */
export type CommandWord = 'help' | (typeof COMMANDS)[number]['word'];

/** `/sms send <number> <text>` */
export function usageOf({ word, hint }: Pick<Listed, 'word' | 'hint'>): string {
  return present(COMMAND, word, hint).join(' ');
}

/** Who asks for help, and what they may do in that channel. */
export interface HelpContext {
  /** What they read first if this channel has no link, or a damaged one. */
  notLinked?: Message;
  isAdmin: boolean;
  /** A direct message can't be linked: the forms ask for a channel. */
  inDirectMessage?: boolean;
  refusal?: { why: SendRefusal; link: Link };
}

export function commandsFor({ notLinked, isAdmin, inDirectMessage = false, refusal }: HelpContext): Listed[] {
  const linked = !notLinked;
  const can = {
    anywhere: !refusal,
    senders: linked && !refusal,
    admins: isAdmin && !inDirectMessage,
    'workspace admins': isAdmin,
    'admins of a link': isAdmin && !inDirectMessage && linked,
  };
  return COMMANDS.filter((command) => can[command.for]);
}

interface SuggestedCommand {
  word: string;
  hint: string;
  description: string;
  /** Who can use the command; undefined: everybody. Guests can't send, unless a link says otherwise. */
  for?: 'staff' | 'admins';
}

/** Each word once, in the form that `COMMANDS` lists first. */
export function suggestedCommands(): SuggestedCommand[] {
  const words = Map.groupBy<string, Listed>(COMMANDS, ({ word }) => word);
  const first = [...words.values()].flatMap(([one]) => one ?? []);
  return [
    ...first.map(({ word, hint = '', does, for: who }) => ({
      word: `${COMMAND} ${word}`,
      hint,
      description: capitalised(does),
      for: who === 'admins' || who === 'admins of a link' ? ('admins' as const) : ('staff' as const),
    })),
    { word: `${COMMAND} help`, hint: '', description: 'See all commands' },
  ];
}
