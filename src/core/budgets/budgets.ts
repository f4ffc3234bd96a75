import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BudgetAsked, BudgetPeriod, PeriodAsked, ShortBudget } from '../../ledger/model/budget-types.ts';
import { defined } from '../../ledger/model/defined.ts';
import { leftOf, shortPeriod } from '../../ledger/rules/budget-rules.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import type { Link } from '../accounts/links.ts';
import type { RulesOfWorkspaces } from '../workspaces/workspace-rules.ts';
import { type CalendarPeriod, calendarOf, canonicalTimeZone } from './calendar.ts';

export type { AboveApproved, OverBudget, ShortBudget } from '../../ledger/model/budget-types.ts';
export { levelOf } from '../../ledger/rules/put-send.ts';

/** A budget as it is now, in credits. */
export type BudgetFigures = ReturnType<typeof figuresOf>;

/** The channel's month and a person's day in it. */
export type BudgetsLeft = Record<'month' | 'day', BudgetFigures>;

/** The most that a send may cost, in credits. `perMessage`: one of its messages, if that is known. */
interface Costs {
  credits: number;
  perMessage?: number | undefined;
}

/** News of a budget for one reader. `to`: a channel or a person. */
export const BudgetNotice = z.object({
  team: z.string(),
  channelId: z.string(),
  /** Of a person's day. */
  person: z.string().optional(),
  to: z.string(),
  level: z.number(),
  limit: z.number(),
  used: z.number(),
  held: z.number(),
  renewsAt: z.number(),
});
export type BudgetNotice = z.infer<typeof BudgetNotice>;

export type Budgets = ReturnType<typeof createBudgets>;

/** What channels may spend in a month and people on a day, and how much of that is left. */
export function createBudgets(deps: {
  ledger: Pick<Ledger, 'findPeriods' | 'now'>;
  rules: Pick<RulesOfWorkspaces, 'of'>;
  /** User ids that read news of budgets, beside the person who linked the channel. */
  admins: readonly string[];
}) {
  const { ledger, rules, admins } = deps;

  /** Which month and which day count now, by the workspace's time zone. */
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

  /** The periods of a send: its channel's month, and the day of the person who sends it. */
  async function periodsOf(link: Link, by: string): Promise<[month: PeriodAsked, day: PeriodAsked]> {
    const { month, day } = await calendarNow(link.team);
    return [periodOf(link, month), periodOf(link, day, by)];
  }

  return {
    /** What the ledger needs to decide on this person's send. `isApproved`: a second person approves it. */
    async asked(
      link: Link,
      { by, isApproved }: { by: string; isApproved: boolean },
      { credits, perMessage = credits }: Costs,
    ): Promise<BudgetAsked> {
      const approvedUpTo = isApproved ? credits : limitsOf(link).approvalAbove;
      return {
        credits,
        perMessage,
        periods: await periodsOf(link, by),
        ...defined({ approvedUpTo }),
      };
    },
    async of(link: Link, by: string): Promise<BudgetsLeft> {
      const [month, day] = await periodsOf(link, by);
      const [ofMonth, ofDay] = await ledger.findPeriods([month, day]);
      return { month: figuresOf(month, ofMonth), day: figuresOf(day, ofDay) };
    },
    /** The months of a workspace's channels, by channel. */
    async ofMonth(team: string, links: Link[]): Promise<Map<string, BudgetFigures>> {
      const { month } = await calendarNow(team);
      const months = links.map((link) => [link.channel, periodOf(link, month)] as const);
      const known = await ledger.findPeriods(months.map(([, period]) => period));
      return new Map(months.map(([channel, period], place) => [channel, figuresOf(period, known[place])]));
    },
  };
}

function figuresOf({ limit, renewsAt }: PeriodAsked, found: Partial<BudgetPeriod> = {}) {
  const { used = 0, held = 0 } = found;
  /** Of the limit; never below 0. */
  const left = limit === undefined ? undefined : leftOf(limit, { used, held });
  return { used, held, renewsAt, ...defined({ limit, left }) };
}

/** The budget into which a send of this person does not fit. For a preview: the ledger decides. */
export function shortBudget(
  { month, day }: BudgetsLeft,
  { credits: asked }: Costs,
  person: string,
): ShortBudget | undefined {
  return shortPeriod(month, month, asked) ?? shortPeriod({ ...day, person }, day, asked);
}
