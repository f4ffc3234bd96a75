import type { Ledger } from '../../ledger/ledger.ts';
import type { PeriodAsked } from '../../ledger/model/budget-types.ts';
import { defined } from '../../ledger/model/defined.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import type { Link } from '../accounts/links.ts';
import type { RulesOfWorkspaces } from '../workspaces/workspace-rules.ts';
import { type CalendarPeriod, calendarOf, canonicalTimeZone } from './calendar.ts';

export interface PeriodDeps {
  ledger: Pick<Ledger, 'now'>;
  rules: Pick<RulesOfWorkspaces, 'of'>;
  /** User ids that read news of budgets, beside the person who linked the channel. */
  admins: readonly string[];
}

/** Which month and which day count for budgets now, by the workspace's time zone. */
export function createBudgetPeriods({ ledger, rules, admins }: PeriodDeps) {
  async function calendarNow(team: string) {
    const { timeZone } = await rules.of(team);
    // A time zone that this program no longer knows must not stop everybody.
    return calendarOf(ledger.now(), canonicalTimeZone(timeZone) ?? 'UTC');
  }

  /** A channel's month, or a person's day in the channel. */
  function periodOf(link: Link, { name, renewsAt }: CalendarPeriod, person?: string): PeriodAsked {
    const { team, channel } = link;
    const { monthlyBudget, dailyPerPerson } = limitsOf(link);
    const ofChannel = `${team}/${channel}/${name}`;
    return {
      id: person === undefined ? ofChannel : `${ofChannel}/${person}`,
      renewsAt,
      // A person's limit is no news for their channel.
      readers: [...new Set([person ?? channel, link.linkedBy, ...admins])],
      ...defined({ person, limit: person === undefined ? monthlyBudget : dailyPerPerson }),
    };
  }

  return {
    /** The periods of a send: its channel's month, and the day of the person who sends it. */
    async ofSend(link: Link, by: string): Promise<[month: PeriodAsked, day: PeriodAsked]> {
      const { month, day } = await calendarNow(link.team);
      return [periodOf(link, month), periodOf(link, day, by)];
    },
    /** The months of a workspace's channels, each with its channel. */
    async months(team: string, links: Link[]): Promise<[channel: string, month: PeriodAsked][]> {
      const { month } = await calendarNow(team);
      return links.map((link) => [link.channel, periodOf(link, month)]);
    },
  };
}
