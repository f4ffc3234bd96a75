import { mayAdminister, type Person } from '../../core/accounts/permissions.ts';
import { membershipRefusal, usableLink } from '../people/usable-link.ts';
import type { SlackRequest } from '../requests/slack-request.ts';
import { adminsOnly } from '../ui/access-refusals.ts';
import type { Message } from '../ui/blocks.ts';
import { historyMessage } from '../ui/reports/history.ts';
import type { HistoryState } from '../ui/reports/history-state.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/** Shows a page of the history to who may see it; `replaces`: in the place of the page before. */
export async function showHistory(
  deps: SlackDeps,
  { person, channel, to }: Pick<SlackRequest, 'person' | 'channel' | 'to'>,
  state: HistoryState,
  { replaces }: { replaces: boolean },
): Promise<void> {
  const { all = false, filter = {}, cursor } = state;
  const refusal = await historyRefusal(deps, person, { channel, all, isHere: !replaces });
  if (refusal) return deps.replies.toPerson(to, refusal);
  const asked = { person, filter, channel: all ? undefined : channel };
  const page = await deps.core.history.page(asked, cursor);
  await deps.replies.toPerson(to, historyMessage(page, state), { replace: replaces });
}

/**
 * Why this person may not see the history: only admins see the whole workspace; people who may send from a channel
 * see that channel. `isHere`: they have just typed in the channel, so they are in it. Undefined when they may.
 */
export async function historyRefusal(
  deps: SlackDeps,
  person: Person,
  { channel, all, isHere }: { channel: string; all: boolean; isHere: boolean },
): Promise<Message | undefined> {
  if (all) return mayAdminister(person) ? undefined : adminsOnly('history all');
  const usable = await usableLink(deps, person, channel, 'history');
  if ('refusal' in usable) return usable.refusal;
  return isHere ? undefined : membershipRefusal(deps, person, channel);
}
