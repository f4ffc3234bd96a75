import type { KnownBlock } from '@slack/types';
import type { Runway } from '../../../core/accounts/runway.ts';
import type { BudgetFigures } from '../../../core/budgets/budgets.ts';
import { button, context, header, section } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { budgetLeft } from '../limits/budget-words.ts';
import { type ChannelRules, ruleLines, rulesOfChannel } from '../limits/rule-lines.ts';
import { count, credits, inLines, present, when } from '../words.ts';
import { runwayWords } from './runway.ts';

/** A channel that a person may send from. Credits; times are ms since 1970. */
export interface ChannelFacts {
  channel: string;
  /** 0: off. */
  threshold: number;
  balance?: { credits: number; at: number } | undefined;
  keyRefused: boolean;
  runway?: Runway | undefined;
  /** The channel's month. */
  budget?: BudgetFigures | undefined;
  /** For admins. */
  rules?: ChannelRules;
}

/** How many channels have a block of their own, and how many more are named. */
const MOST_CHANNELS = 20;
const MOST_NAMED = 40;

/** The channels that a person may send from; admins can change each one's settings. */
export function channelBlocks(
  channels: readonly ChannelFacts[],
  { isAdmin }: { isAdmin: boolean },
): KnownBlock[] {
  return [
    header('Channels you can send from'),
    ...channels.slice(0, MOST_CHANNELS).map((one) => {
      const settings = isAdmin ? button(ACTIONS.openSettings, 'Settings', one.channel) : undefined;
      const rules = one.rules && ruleLines(...rulesOfChannel(one.rules));
      return section(inLines(`*<#${one.channel}>*`, creditsOf(one), rules), settings);
    }),
    ...others(channels.slice(MOST_CHANNELS)),
  ];
}

function creditsOf({ balance, threshold, keyRefused, runway, budget, rules }: ChannelFacts): string {
  const { credits: left = 0 } = balance ?? {};
  const sign = left <= 0 ? '⛔ ' : left < threshold ? '⚠️ ' : '';
  const warning = threshold === 0 ? 'no low-credit warning' : `warning below ${count(threshold)}`;
  return present(
    keyRefused && '⛔ *The service refuses the API key*',
    balance ? `${sign}*${credits(balance.credits)}* · read ${when(balance.at)}` : 'balance not known yet',
    warning,
    // Where rules are shown, the budget has a line of its own there.
    budget && !rules && budgetLeft(budget, 'this month'),
    runway && runwayWords(runway),
  ).join(' · ');
}

/** `and 40 more channels: …` */
function others(rest: readonly ChannelFacts[]): KnownBlock[] {
  if (rest.length === 0) return [];
  const named = rest.slice(0, MOST_NAMED).map(({ channel }) => `<#${channel}>`);
  const unnamed = rest.length - named.length;
  const last = unnamed > 0 ? ` and ${count(unnamed)} others` : '';
  const what = rest.length === 1 ? 'more channel' : 'more channels';
  return [context(`and ${count(rest.length)} ${what}: ${named.join(', ')}${last}`)];
}
