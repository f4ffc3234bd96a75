import { countryOf } from '../../core/accounts/links.ts';
import { mayAdminister, type Person } from '../../core/accounts/permissions.ts';
import { readNumber } from '../../core/texts/phone.ts';
import type { Message } from '../ui/blocks.ts';
import { lookedUpMessage, lookUpProblem, NO_CHANNEL_TO_READ } from '../ui/reports/look-up.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/**
 * Says whether a number was texted: from any channel to admins, to others from the channels that they are in and may send
 * from. `typed` is read as in the channel where it was typed.
 */
export async function showLookUp(
  { core, conversations }: SlackDeps,
  { person, channel, typed }: { person: Person; channel: string; typed: string },
): Promise<Message> {
  const linked = await core.links.find(channel);
  const read = readNumber(typed, linked && countryOf(linked.link));
  if (read.kind !== 'number') return lookUpProblem(read);
  const isAdmin = mayAdminister(person);
  const readable = isAdmin ? [] : await conversations.sendableBy(person);
  if (!isAdmin && readable.length === 0) return NO_CHANNEL_TO_READ;
  const ids = new Set(readable.map(({ id }) => id));
  const found = await core.lookUp(read.digits, (id) => isAdmin || ids.has(id));
  return lookedUpMessage(read, found, { isAdmin });
}
