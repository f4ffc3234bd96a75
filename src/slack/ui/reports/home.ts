import type { HomeView, KnownBlock } from '@slack/types';
import type { KeyTrouble } from '../../../core/accounts/key-trouble.ts';
import type { Link } from '../../../core/accounts/links.ts';
import type { Runway } from '../../../core/accounts/runway.ts';
import type { BudgetFigures } from '../../../core/budgets/budgets.ts';
import type { HistoryRow } from '../../../core/history/history-rows.ts';
import type { JobView } from '../../../core/jobs/job-view.ts';
import type { LastBalance } from '../../../core/sends/send-details.ts';
import { blocksOf, button, context, header, listed, type Part, section } from '../blocks.ts';
import { isLow, topUpButton } from '../draft-refusals.ts';
import { ACTIONS } from '../ids.ts';
import { KEY_TROUBLE } from '../key-trouble.ts';
import { approvalBlocks, type RequestsOfPerson } from '../limits/approval-words.ts';
import { budgetLeft } from '../limits/budget-words.ts';
import { ruleLines, rulesOfChannel } from '../limits/rule-lines.ts';
import { jobLine } from '../lists/job-headline.ts';
import { formButton, LIST_BUTTON } from '../prefill.ts';
import { escaped, quoted } from '../safe-text.ts';
import { capitalised, count, credits, inLines, present, runwayWords, when } from '../words.ts';
import { outcomeWords, recipientWords } from './history-words.ts';
import { type AdminFacts, adminBlocks, type InstanceFacts, unknownBlocks } from './home-admin.ts';

/** The facts that a person's Home shows. The person may see all of them. */
export interface HomeFacts {
  /** Whether any channel of the workspace is linked. */
  isLinked: boolean;
  /** Channels that they may send from, by name. */
  channels: readonly ChannelFacts[];
  /** Running and paused jobs, the newest first. */
  jobs: readonly JobView[];
  /** Their own last messages, the newest first. */
  lastSends: readonly HistoryRow[];
  /** Requests that wait for their approval, and those that they asked for. */
  requests: RequestsOfPerson;
  /** For admins. */
  admin?: AdminFacts;
}

const MOST_REQUESTS = 3;
const MOST_JOBS = 8;
const MOST_SENDS = 5;

/** A Home tab: docs.slack.dev/surfaces/app-home. */
export type Home = HomeView & { blocks: KnownBlock[] };

/** A person's App Home: at most 100 blocks, whatever the workspace holds. */
export function homeView(facts: HomeFacts): Home {
  const { isLinked, jobs, lastSends, requests, admin } = facts;
  return {
    type: 'home',
    blocks: blocksOf([
      // What waits for a person comes first.
      ...(admin ? unknownBlocks(admin.unknown) : []),
      ...approvalBlocks(requests, MOST_REQUESTS),
      ...(admin && !isLinked ? checklist(admin.instances) : sending(facts)),
      ...channelBlocks(facts),
      ...listed('Jobs under way', jobs, MOST_JOBS, (job) => section(`${jobLine(job)} · <#${job.channel}>`)),
      ...listed('Your last texts', lastSends, MOST_SENDS, (row) =>
        section(
          present(
            when(row.at),
            escaped(recipientWords(row)),
            escaped(outcomeWords(row)),
            row.credits > 0 && credits(row.credits),
            `<#${row.channel}>`,
          ).join(' · '),
        ),
      ),
      ...(admin ? adminBlocks(admin, { isLinked }) : []),
    ]),
  };
}

function sending({ channels, isLinked }: HomeFacts): Part[] {
  if (channels.length === 0)
    return [
      isLinked
        ? '*You cannot send texts yet.*\nPlease ask an admin to link one of your channels, or to let you send from it.'
        : '*No texts can be sent yet.*\nPlease ask an admin to open this page and link a channel.',
    ];
  return [
    '*Text messages from Slack*, on shared prepaid credits.',
    formButton('Write a text'),
    LIST_BUTTON,
    context('Nothing is sent before you press *Send* in the preview.'),
  ];
}

/** Replaces a Home that we could not make. `text` is mrkdwn. */
export function homeNotice(text: string): Home {
  return { type: 'home', blocks: [section(text)] };
}

/** An admin's first three steps, while no channel is linked. */
function checklist([first]: readonly Pick<InstanceFacts, 'name'>[]): KnownBlock[] {
  return [
    header('Three steps to your first text'),
    section(
      first
        ? `✅ *1. Add a key* · ${quoted(first.name)} is there.`
        : '*1. Add a key*\nThe API key of your messaging instance. Its credits pay for the texts.',
      button(ACTIONS.addKey, 'Add a key', undefined, first ? undefined : 'primary'),
    ),
    section(
      '*2. Link a channel*\nFirst type `/invite @Switchboard` in it. Then people there can send texts.',
      button(ACTIONS.linkSomeChannel, 'Link a channel', undefined, first ? 'primary' : undefined),
    ),
    section(
      '*3. Send a test text*\nTo your own phone. You see the cost before you decide.',
      formButton('Write a text'),
    ),
  ];
}

/** A channel that a person may send from. */
export interface ChannelFacts extends Pick<Link, 'channel' | 'threshold' | 'topUpUrl' | 'limits'> {
  balance: LastBalance | undefined;
  keyTrouble: KeyTrouble | undefined;
  runway: Runway | undefined;
  /** The channel's month. */
  budget: BudgetFigures | undefined;
}

const MOST_CHANNELS = 20;

/** The channels that a person may send from, each with **Top up** if its credits are low. Otherwise admins have **Settings**. */
function channelBlocks({ channels, admin }: HomeFacts): KnownBlock[] {
  return listed('Channels you can send from', channels, MOST_CHANNELS, (one) => {
    const topUp = one.balance && isLow(one.balance.credits, one) && topUpButton(one);
    const step = topUp || (admin && button(ACTIONS.openSettings, 'Settings', one.channel));
    const rules = admin && ruleLines(...rulesOfChannel(one, { month: one.budget }, admin.rules));
    return section(
      inLines(`*<#${one.channel}>*`, creditsOf(one, { hasRules: admin !== undefined }), rules),
      step,
    );
  });
}

function creditsOf(channel: ChannelFacts, { hasRules }: { hasRules: boolean }): string {
  const { balance, threshold, keyTrouble, runway, budget } = channel;
  const sign = !balance || !isLow(balance.credits, channel) ? '' : balance.credits > 0 ? '⚠️ ' : '⛔ ';
  const warning = threshold === 0 ? 'no low-credit warning' : `warning below ${count(threshold)}`;
  return present(
    keyTrouble && `⛔ *${capitalised(KEY_TROUBLE[keyTrouble]('the API key'))}*`,
    balance ? `${sign}*${credits(balance.credits)}* · read ${when(balance.at)}` : 'balance not known yet',
    warning,
    // The rules below have the budget, too.
    budget && !hasRules && budgetLeft(budget, 'this month'),
    runway && runwayWords(runway),
  ).join(' · ');
}
