import type { Link } from '../../core/links.ts';
import type { SendView } from '../../core/send-view.ts';
import { unknownHeadline } from './outcome.ts';
import { maskedRecipient } from './recipient.ts';
import {
  count,
  credits,
  escaped,
  type Message,
  mention,
  mentions,
  plural,
  quoted,
  section,
  when,
} from './words.ts';

/** Of the unknown texts, so many are listed, newest first. */
const MOST_UNKNOWN = 5;

/** What stands behind a channel, and how it is doing. Numbers are masked: the asker need not be who sent them. */
export function statusMessage(status: {
  instanceName: string;
  keyHint: string;
  lastGoodCheckAt: number;
  keyRefusedAt?: number;
  balance?: { credits: number; at: number };
  userName: string;
  threshold: number;
  whoCanSend: Link['whoCanSend'];
  people: readonly string[];
  guests: boolean;
  /** All of this channel's, oldest first. */
  unknown: readonly SendView[];
  linkedBy: string;
  linkedAt: number;
}): Message {
  const { balance, threshold, unknown } = status;
  const key = `${escaped(status.keyHint)} · ${keyHealthOf(status)}`;
  const facts = [
    `*Instance:* ${quoted(status.instanceName)}, account ${quoted(status.userName)}`,
    `*API key:* ${key}`,
    balance ? `*Balance:* ${credits(balance.credits)}, read ${when(balance.at)}` : '*Balance:* not known yet',
    `*Low-credit threshold:* ${threshold === 0 ? 'off' : credits(threshold)}`,
    `*Who can send:* ${whoOf(status)}`,
    `*Linked:* by ${mention(status.linkedBy)}, ${when(status.linkedAt)}`,
  ].join('\n');
  const doubts = unknownOf(unknown);
  return { text: `${facts}\n${doubts}`, blocks: [section(facts), section(doubts)] };
}

function keyHealthOf({
  lastGoodCheckAt,
  keyRefusedAt,
}: {
  lastGoodCheckAt: number;
  keyRefusedAt?: number;
}): string {
  const good = `last good check ${when(lastGoodCheckAt)}`;
  return keyRefusedAt === undefined
    ? `works, ${good}`
    : `*refused by the service* since ${when(keyRefusedAt)}, ${good}. An admin replaces it in \`/sms settings\`.`;
}

function whoOf({
  whoCanSend,
  people,
  guests,
}: Pick<Link, 'whoCanSend' | 'guests'> & { people: readonly string[] }): string {
  const who = {
    everyone: 'everyone in this channel',
    admins: 'only admins',
    chosen: people.length === 0 ? 'chosen people (nobody yet) and admins' : `${mentions(people)} and admins`,
  }[whoCanSend];
  return `${who} · guests and people of other workspaces: ${guests ? 'yes' : 'no'}`;
}

function unknownOf(unknown: readonly SendView[]): string {
  if (unknown.length === 0) return '*Unknown:* none';
  const newest = unknown.slice(-MOST_UNKNOWN).reverse();
  const more = unknown.length - newest.length;
  const lines = newest.map((view) => {
    const at = view.decidedAt === undefined ? '' : `, ${when(view.decidedAt)}`;
    const again = view.resentAs ? ' · sent again since' : '';
    return `• ${maskedRecipient(view)}, by ${mention(view.decidedBy ?? view.details.by)}${at} · ${unknownHeadline(view)}${again}`;
  });
  return [
    `*Unknown:* ${plural(unknown.length, 'text')}, never repeated by ${unknown.length === 1 ? 'itself' : 'themselves'}.`,
    ...lines,
    ...(more > 0 ? [`and ${count(more)} older`] : []),
  ].join('\n');
}
