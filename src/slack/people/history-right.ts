import { mayAdminister, type Person } from '../../core/accounts/permissions.ts';
import { adminsOnly, seeRefused } from '../ui/access-refusals.ts';
import type { Message } from '../ui/blocks.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { membershipRefusal, usableLink } from './usable-link.ts';

/**
 * Why this person may not see the history: of the whole workspace only admins may, of a channel those who may send from
 * it. `isHere`: they have just typed in the channel, so they are in it. Undefined when they may.
 */
export async function historyRefusal(
  deps: SlackDeps,
  person: Person,
  { channel, all, isHere }: { channel: string; all: boolean; isHere: boolean },
): Promise<Message | undefined> {
  if (all) return mayAdminister(person) ? undefined : adminsOnly('history all');
  const usable = await usableLink(deps, person, channel, (_why, link) => seeRefused('history', link));
  if ('refusal' in usable) return usable.refusal;
  return isHere ? undefined : membershipRefusal(deps, person, channel);
}
