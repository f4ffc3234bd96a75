import type { HomeView, KnownBlock } from '@slack/types';
import type { HistoryRow } from '../../../core/history/history-rows.ts';
import type { JobView } from '../../../core/jobs/job-view.ts';
import { button, buttons, context, header, listed, section } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { approvalBlocks, type RequestsOfPerson } from '../limits/waiting-requests.ts';
import { jobLine } from '../lists/job-headline.ts';
import { formButton, LIST_BUTTON } from '../prefill.ts';
import { escaped, quoted } from '../safe-text.ts';
import { credits, present, when } from '../words.ts';
import { outcomeWords, recipientWords } from './history-words.ts';
import { type AdminFacts, adminBlocks, type InstanceFacts } from './home-admin.ts';
import { type ChannelFacts, channelBlocks } from './home-channels.ts';

/** The facts that a person's Home shows. It holds nothing that they may not see. */
export interface HomeFacts {
  isAdmin: boolean;
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
  admin?: AdminFacts;
}

const MOST_REQUESTS = 3;
const MOST_JOBS = 10;
const MOST_SENDS = 5;

/** A Home tab: docs.slack.dev/surfaces/app-home. */
export type Home = HomeView & { blocks: KnownBlock[] };

/** A person's App Home: at most 100 blocks, whatever the workspace holds. */
export function homeView(facts: HomeFacts): Home {
  const { isAdmin, isLinked, channels, jobs, lastSends, requests, admin } = facts;
  return {
    type: 'home',
    blocks: [
      ...(isAdmin && !isLinked ? checklist(admin?.instances ?? []) : sending(facts)),
      ...approvalBlocks(requests, MOST_REQUESTS),
      ...(channels.length > 0 ? channelBlocks(channels, { isAdmin }) : []),
      ...listed('Jobs under way', jobs, MOST_JOBS, (job) => section(`${jobLine(job)} · <#${job.channel}>`)),
      ...listed('Your last texts', lastSends, MOST_SENDS, (row) => section(sendLine(row))),
      ...(admin ? adminBlocks(admin) : []),
    ],
  };
}

function sending({ channels, isLinked }: HomeFacts): KnownBlock[] {
  if (channels.length > 0) {
    return [
      section('*Text messages from Slack*, on shared prepaid credits.'),
      buttons(formButton('Write a text'), LIST_BUTTON),
      context('Nothing is sent before you press *Send* in the preview.'),
    ];
  }
  return [
    section(
      isLinked
        ? '*You cannot send texts yet.*\nYou are in no channel that you may send from. Please ask an admin to let you.'
        : '*No texts can be sent yet.*\nAn admin begins here: they open this page and link a channel.',
    ),
  ];
}

function sendLine(row: HistoryRow): string {
  return present(
    when(row.at),
    escaped(recipientWords(row)),
    escaped(outcomeWords(row)),
    row.credits > 0 && credits(row.credits),
    `<#${row.channel}>`,
  ).join(' · ');
}

/** Takes a Home's place if it could not be made. `text` is mrkdwn. */
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
      '*2. Link a channel*\nPeople in it can then send texts. Invite the bot there first.',
      button(ACTIONS.linkSomeChannel, 'Link a channel', undefined, first ? 'primary' : undefined),
    ),
    section(
      '*3. Send a test text*\nTo your own phone. You see the cost before you decide.',
      formButton('Write a text'),
    ),
  ];
}
