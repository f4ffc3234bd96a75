import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import type { Link } from '../../../core/accounts/links.ts';
import type { JobView } from '../../../core/jobs/job-view.ts';
import type { LastBalance } from '../../../core/sends/send-details.ts';
import type { SendView } from '../../../core/sends/send-view.ts';
import { MOST_UNDECIDED } from '../../../core/sends/undecided.ts';
import { factLines, facts, type Message, section } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { jobLine } from '../lists/job-headline.ts';
import { likelyOutcome } from '../outcome-words.ts';
import { maskedRecipient } from '../recipient.ts';
import { escaped, quoted } from '../safe-text.ts';
import { type RefusalFacts, refusalRuleLine } from '../setup/refusal-rule.ts';
import { itArrivedButton } from '../texts/unknown-receipt.ts';
import { count, credits, mention, mentions, plural, when } from '../words.ts';

/** How many unknown texts are listed, newest first. */
const MOST_UNKNOWN = 5;

/** How many jobs are listed. */
const MOST_JOBS = 5;

interface StatusFacts
  extends Pick<Link, 'threshold' | 'whoCanSend' | 'people' | 'guests' | 'linkedBy' | 'linkedAt'>,
    Pick<InstanceView, 'keyHint' | 'lastGoodCheckAt' | 'keyRefusedAt' | 'userName'> {
  instanceName: string;
  balance?: LastBalance | undefined;
  /** Those of this channel that need a decision, newest first; one more than `MOST_UNDECIDED` at most. */
  unknown: readonly SendView[];
  /** This channel's jobs that are running or paused. */
  jobs: readonly JobView[];
  /** How many texts the repeat guard held back in this channel within the last 7 days. */
  heldBack: number;
  /** Who has asked to unlink the channel once its jobs are done. */
  leavingBy?: string | undefined;
  /** The rules that a text from here meets, a line each. */
  rules?: string[];
  /** For admins: the rule for refused lists, and the last check. */
  refusals?: RefusalFacts | undefined;
}

/** What a channel is linked to, and how it is doing; what needs a person first. Numbers are masked: the asker need not be who sent them. */
export function statusMessage(status: StatusFacts): Message {
  const { balance, threshold, unknown, jobs } = status;
  const figures: [string, string][] = [
    ['Instance', quoted(status.instanceName)],
    ['Account', quoted(status.userName)],
    ['API key', `${escaped(status.keyHint)} · ${keyHealthOf(status)}`],
    ['Balance', balance ? `${credits(balance.credits)}\nread ${when(balance.at)}` : 'not known yet'],
    ['Low-credit threshold', threshold === 0 ? 'off' : credits(threshold)],
    ['Who can send', whoOf(status)],
    ['Guests and other workspaces', status.guests ? 'can send too' : 'can’t send'],
    ['Linked', `by ${mention(status.linkedBy)}, ${when(status.linkedAt)}`],
    ...(jobs.length === 0 ? ([['Jobs', 'none']] satisfies [string, string][]) : []),
    ...(unknown.length === 0 ? ([['Unknown', 'none']] satisfies [string, string][]) : []),
  ];
  const decisions = unknownOf(unknown);
  const lines: string[] = [
    ...(status.rules ? [status.rules.join('\n')] : []),
    ...(status.heldBack > 0
      ? [`*Repeats held back:* ${plural(status.heldBack, 'text')} in the last 7 days`]
      : []),
    ...(status.refusals ? [refusalRuleLine(status.refusals)] : []),
    ...jobsOf(status),
  ];
  return {
    text: [...decisions.map(({ line }) => line), ...factLines(figures), ...lines].join('\n'),
    blocks: [
      ...decisions.map(({ line, id }) =>
        section(line, id === undefined ? undefined : itArrivedButton(ACTIONS.itArrivedInList, id)),
      ),
      facts(figures),
      ...lines.map((line) => section(line)),
    ],
  };
}

/** Whether the key works, and what to do where it does not. */
export function keyHealthOf({
  lastGoodCheckAt,
  keyRefusedAt,
}: Pick<InstanceView, 'lastGoodCheckAt' | 'keyRefusedAt'>): string {
  const good = `last good check ${when(lastGoodCheckAt)}`;
  return keyRefusedAt === undefined
    ? `works, ${good}`
    : `*refused by the service* since ${when(keyRefusedAt)}, ${good}\nAn admin can replace it in \`/sms settings\`.`;
}

function whoOf({ whoCanSend, people }: Pick<Link, 'whoCanSend' | 'people'>): string {
  return {
    everyone: 'everyone in this channel',
    admins: 'only admins',
    chosen: people.length === 0 ? 'chosen people (nobody yet) and admins' : `${mentions(people)} and admins`,
  }[whoCanSend];
}

/** The jobs in one block; who has asked to unlink in another. */
function jobsOf({ jobs, leavingBy }: Pick<StatusFacts, 'jobs' | 'leavingBy'>): string[] {
  const more = jobs.length - MOST_JOBS;
  const lines = jobs.slice(0, MOST_JOBS).map(jobLine);
  return [
    ...(jobs.length === 0 ? [] : [[...lines, ...(more > 0 ? [`and ${count(more)} more`] : [])].join('\n')]),
    ...(leavingBy === undefined
      ? []
      : [`*Unlinking:* ${mention(leavingBy)} asked to unlink this channel once its jobs are done.`]),
  ];
}

/** An unknown text in a list: its number, its sender, when it was sent, and what the balance says of it. */
export function unknownLine(view: SendView): string {
  const at = view.decidedAt === undefined ? '' : `, ${when(view.decidedAt)}`;
  const who = mention(view.decidedBy ?? view.details.by);
  const likely = likelyOutcome(view);
  return `${maskedRecipient(view)} · ${who}${at}${likely === undefined ? '' : ` · ${likely}`}`;
}

/** A line for each unknown text that is listed, with its id, and the lines around them. */
function unknownOf(unknown: readonly SendView[]): { line: string; id?: string }[] {
  if (unknown.length === 0) return [];
  const newest = unknown.slice(0, MOST_UNKNOWN);
  const counted = Math.min(unknown.length, MOST_UNDECIDED);
  const than = unknown.length > counted ? 'more than ' : '';
  const more = counted - newest.length;
  const lines = newest.map((view) => ({ id: view.id, line: unknownLine(view) }));
  const need = unknown.length === 1 ? 'needs' : 'need';
  return [
    { line: `⚠️ *Unknown* · ${than}${plural(counted, 'text')} ${need} a decision` },
    ...lines,
    ...(more > 0 ? [{ line: `and ${than}${count(more)} older` }] : []),
  ];
}
