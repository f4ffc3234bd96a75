import { historyRefusal } from '../people/history-right.ts';
import type { SlackRequest } from '../requests/slack-request.ts';
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
