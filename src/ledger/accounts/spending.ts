import { startingFrom } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { dayOf } from '../model/days.ts';
import type { SendDocument } from '../model/send-documents.ts';
import type { SendRecord } from '../model/send-record.ts';
import { type AccountDocument, accounts, dailySpending } from './account-documents.ts';
import type { DailySpending } from './statement-types.ts';

/**
 * Counts charged credits and sent messages, for reports: by team, channel, day and person, and by the account that
 * pays. A channel may change its account within a day.
 */
export function recordSpending(
  view: View,
  { record }: SendDocument,
  spent: { credits: number; messages: number },
  account: string | undefined,
): void {
  const { id, spending } = spendingOfToday(view, record, account);
  view.put(dailySpending, id, {
    ...spending,
    credits: spending.credits + spent.credits,
    messages: spending.messages + spent.messages,
  });
}

/** The day on which things count now. If somebody has set the clock back, the last day that has begun goes on. */
export function dayNow(view: View, { statementDay = 0 }: Partial<AccountDocument> = {}): number {
  return Math.max(dayOf(view.now), statementDay);
}

/** Today's counts of a send's channel, person and account: zeros at first. With an account, its statement's day. */
export function spendingOfToday(
  view: View,
  { team, channelId, decidedBy: by = '' }: SendRecord,
  account: string | undefined,
): { id: string; spending: DailySpending } {
  const day = dayNow(view, account === undefined ? undefined : view.get(accounts, account));
  const id = [team, channelId, day, by, ...(account === undefined ? [] : [account])].join('/');
  const spending = view.getAssumingAbsent(dailySpending, id) ?? {
    team,
    channelId,
    by,
    day,
    ...(account === undefined ? {} : { account }),
    credits: 0,
    messages: 0,
    others: { arrived: 0, notSent: 0, unknown: 0 },
  };
  return { id, spending };
}

/** Credits charged for, and messages sent from, a channel from the day of `since` on. */
export function spentSince(view: View, team: string, channelId: string, since: number) {
  const found = view.list(dailySpending, 'channels', startingFrom([team, channelId], dayOf(since)));
  return {
    credits: found.reduce((sum, { value }) => sum + value.credits, 0),
    messages: found.reduce((sum, { value }) => sum + value.messages, 0),
  };
}
