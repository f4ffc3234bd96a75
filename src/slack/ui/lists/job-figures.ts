import type { JobView } from '../../../core/jobs/job-view.ts';
import type { Fact, Message, ShownMessage } from '../blocks.ts';
import { pieChart } from '../reports/charts.ts';
import { escaped, oneLine } from '../safe-text.ts';
import { about, capitalised, count, estimated, inLines, present } from '../words.ts';

const MOST_STATUSES = 5;

/** Whether only a late answer can still change the job. */
export function isOver({ state, counts }: JobView): boolean {
  return (state === 'finished' || state === 'stopped') && counts.left === 0;
}

/** `42 %` of the recipients have their outcome; 100 % only once all have. */
export function progress({ counts: { total, left } }: JobView): string {
  return `${Math.floor(total === 0 ? 100 : ((total - left) / total) * 100)} %`;
}

/** The recipients' outcomes, the cost, and how long the rest takes: each with its name. */
export function figuresOf(view: JobView): Fact[] {
  const { counts, state, msLeft, details } = view;
  const { Sent: sent, Rejected: rejected, 'Not sent': notSent, ...others } = outcomesOf(view);
  // People can only try the rejected again.
  const failed = [rejected > 0 && `${count(rejected)} rejected`, notSent > 0 && `${count(notSent)} not sent`];
  const isInReach = details.outOfReachSince === undefined;
  return [
    ['Sent', count(sent)],
    ['Left', !isOver(view) && count(counts.left)],
    ['Failed', present(...failed).join(', ') || '0'],
    ...Object.entries(others).map(([name, messages]): Fact => [name, messages > 0 && count(messages)]),
    [OTHER_STATUSES, otherStatusesOf(view)],
    ['Credits', spendingOf(view)],
    ['Time left', state === 'running' && msLeft !== undefined && isInReach && capitalised(about(msLeft))],
  ];
}

const OTHER_STATUSES = 'Other statuses';

/** The texts by their outcome, as the card and the chart name it. Texts that a person called arrived are not unknown. */
function outcomesOf({ counts, saidSent }: JobView) {
  const said = saidSent?.messages ?? 0;
  return {
    Sent: counts.sent,
    Rejected: counts.rejected,
    'Not sent': counts.notSent,
    'Opted out': counts.optedOut,
    'Possible repeats': counts.repeated,
    Unknown: counts.unknown - said,
    'Said to be sent': said,
    Cancelled: counts.cancelled,
  };
}

/** `7 with “queued”`, a line each; the rest in one figure. */
function otherStatusesOf({ counts: { otherStatuses } }: JobView): string {
  const statuses = Object.entries(otherStatuses);
  const rest = statuses.slice(MOST_STATUSES).reduce((sum, [, messages]) => sum + messages, 0);
  return inLines(
    ...statuses
      .slice(0, MOST_STATUSES)
      .map(([status, messages]) => `${count(messages)} with “${escaped(oneLine(status))}”`),
    rest > 0 && `${count(rest)} with others`,
  );
}

/** `1,769 of ≈ 4,213`, and below it `100 more gone, perhaps for unknown texts`: others may spend, too. */
function spendingOf({ creditsUsed, details, evidence, counts }: JobView): string {
  const used = `${count(creditsUsed)} of ${estimated(details.estimate)}`;
  const { before, after, messages } = evidence ?? {};
  // Only if the balance's figures cover this job's texts and no others.
  if (before === undefined || after === undefined || after >= before || messages !== counts.unknown)
    return used;
  return `${used}\n${count(before - after)} more gone, perhaps for unknown texts`;
}

/** The chart comes after the card's headline and its figures. */
const BEHIND = 2;

/** A job's card. Once the job is over, a chart shows the outcomes of its texts, unless all are the same. */
export function withOutcomes(card: Message, view: JobView): ShownMessage {
  const others = Object.values(view.counts.otherStatuses).reduce((sum, messages) => sum + messages, 0);
  const outcomes = { ...outcomesOf(view), [OTHER_STATUSES]: others };
  const chart = pieChart(
    'Outcomes',
    Object.entries(outcomes).map(([name, value]) => ({ name, value })),
  );
  if (!isOver(view) || !chart) return { shown: card };
  const blocks = card.blocks.toSpliced(BEHIND, 0, chart);
  return { shown: { ...card, blocks }, plainer: card };
}
