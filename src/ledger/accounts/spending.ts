import { keyText, startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { dayOf } from '../model/days.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { dailySpending } from './account-documents.ts';

/**
 * Counts what was charged and sent, for reports: by team, channel, day and person, and by the account whose statement
 * counts it. A channel may change its account within a day.
 */
export function recordSpending(
  view: View,
  { record: { team, channelId, decidedBy: by = '' } }: SendDocument,
  spent: { credits: number; messages: number },
  account: string | undefined,
): void {
  const day = dayOf(view.now);
  const id = [team, channelId, day, by, ...(account === undefined ? [] : [account])].join('/');
  const { credits, messages } = view.getAssumingAbsent(dailySpending, id) ?? { credits: 0, messages: 0 };
  view.put(dailySpending, id, {
    ...{ team, channelId, by, day },
    ...(account === undefined ? {} : { account }),
    credits: credits + spent.credits,
    messages: messages + spent.messages,
  });
}

/** What a channelId's sends were charged, and how many messages were sent, from the day of `since` on. */
export function spentSince(view: View, team: string, channelId: string, since: number) {
  const from = keyText([team, channelId, Math.max(0, dayOf(since))]);
  const found = view.list(dailySpending, 'channels', { from, to: startingWith([team, channelId]).to });
  return {
    credits: found.reduce((sum, { value }) => sum + value.credits, 0),
    messages: found.reduce((sum, { value }) => sum + value.messages, 0),
  };
}
