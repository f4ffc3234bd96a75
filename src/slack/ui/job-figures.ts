import type { JobView } from '../../core/jobs/job-view.ts';
import { escaped, oneLine } from './safe-text.ts';
import { about, count, credits, estimated, plural } from './words.ts';

/** How many cells the bar has. */
const CELLS = 20;
/** How many statuses that are not "sent" are named. */
const MOST_STATUSES = 5;
const STATUS_MAX = 40;

/** Whether nothing of the job can change any more but by an answer that comes late. */
export function isOver({ state, counts }: JobView): boolean {
  return (state === 'finished' || state === 'stopped') && counts.left === 0;
}

/** `████████░░░░░░░░░░░░ 42%` of the recipients have their outcome; 100% only once all have. */
export function progressBar({ counts: { total, left } }: JobView): string {
  const done = total === 0 ? 1 : (total - left) / total;
  const cells = Math.floor(done * CELLS);
  return `\`${'█'.repeat(cells)}${'░'.repeat(CELLS - cells)}\` ${Math.floor(done * 100)}%`;
}

/** `1,769 sent · 3 rejected · 2,441 left`: what there is, in the words for outcomes. */
export function figuresOf({ counts }: JobView): string {
  const { sent, rejected, unknown, notSent, cancelled, left, otherStatuses } = counts;
  const statuses = Object.entries(otherStatuses);
  const others = statuses
    .slice(0, MOST_STATUSES)
    .map(
      ([status, messages]) => `${count(messages)} with the status “${escaped(oneLine(status, STATUS_MAX))}”`,
    );
  const rest = statuses.slice(MOST_STATUSES).reduce((sum, [, messages]) => sum + messages, 0);
  const named: [number, string][] = [
    [rejected, 'rejected'],
    [unknown, 'unknown'],
    [notSent, 'not sent'],
    [cancelled, 'cancelled'],
    [left, 'left'],
  ];
  return [
    `${count(sent)} sent`,
    ...others,
    ...(rest > 0 ? [`${count(rest)} with other statuses`] : []),
    ...named.filter(([messages]) => messages > 0).map(([messages, word]) => `${count(messages)} ${word}`),
  ].join(' · ');
}

/** `1,769 credits used, 100 more taken for unknown texts · the estimate is ≈ 4,213 · about 3 minutes left` */
export function spendingOf(view: JobView): string {
  const { creditsUsed, msLeft, state, details } = view;
  const over = isOver(view);
  const estimate = `the estimate ${over ? 'was' : 'is'} ${estimated(details.estimate)}`;
  const left = state === 'running' && msLeft !== undefined ? [`${about(msLeft)} left`] : [];
  return [`${credits(creditsUsed)} used${takenForUnknown(view)}`, estimate, ...left].join(' · ');
}

/** What the balance says beyond the receipts; only where its figures are about this job's texts alone. */
function takenForUnknown({ evidence, counts }: JobView): string {
  const { before, after, messages } = evidence ?? {};
  if (before === undefined || after === undefined || after >= before || messages !== counts.unknown)
    return '';
  return `, ${count(before - after)} more taken for unknown texts`;
}

/** `4,213 texts` */
export function textsOf({ counts }: JobView): string {
  return plural(counts.total, 'text');
}
