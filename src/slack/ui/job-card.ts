import type { Button } from '@slack/types';
import type { JobView } from '../../core/jobs/job-view.ts';
import { asking, button, buttons, context, type Message, section } from './blocks.ts';
import { resultsName } from './file-words.ts';
import { ACTIONS } from './ids.ts';
import { figuresOf, isOver, progressBar, spendingOf } from './job-figures.ts';
import { jobHeadline, senderOf } from './job-headline.ts';
import { theyArrivedButton, unknownOfJob } from './job-unknown.ts';
import { CHECK_LABEL } from './refusal-rule.ts';
import { escaped } from './safe-text.ts';
import { mention, plural, time, when } from './words.ts';

/** What became of the file with every recipient's outcome. `failed`: why not, as half a sentence. */
export interface ResultsFile {
  /** It was delivered before, and this is a newer one. */
  updated: boolean;
  failed?: string | undefined;
}

/**
 * A job's one card in its channel, from Sending to the end. Counts only: the channel sees no number and no text.
 * @param now ms since 1970: decides whether unknown texts may be sent again yet
 */
export function jobCard(view: JobView, { now, results }: { now: number; results?: ResultsFile }): Message {
  const over = isOver(view);
  const unknown = unknownOfJob(view);
  const lines = [
    jobHeadline(view),
    ...(over ? [] : [progressBar(view)]),
    figuresOf(view),
    spendingOf(view),
    ...(view.resends
      ? ['⚠️ These repeat the unknown texts of an earlier job: some people may get them twice.']
      : []),
  ];
  const more = [
    ...(unknown === undefined ? [] : [unknown]),
    ...(over && results ? [whereResultsAre(view, results)] : []),
  ];
  const small = smallPrint(view);
  const rows = buttonsOf(view, now).filter((row) => row.length > 0);
  return {
    text: [...lines, ...more, small].join('\n'),
    blocks: [
      section(lines.join('\n')),
      ...more.map((line) => section(line)),
      ...rows.map((row) => buttons(...row)),
      context(small),
    ],
  };
}

function whereResultsAre(view: JobView, { updated, failed }: ResultsFile): string {
  const whom = mention(view.details.by);
  const file = `\`${escaped(resultsName(view))}\``;
  if (failed !== undefined) return `${whom}: ${file} could not be delivered: ${failed}.`;
  return updated
    ? `${whom}: answers came late. A newer ${file} is in your direct messages.`
    : `${whom}: ${file} is in your direct messages, with every recipient’s outcome.`;
}

function smallPrint(view: JobView): string {
  const { decidedAt, endedAt, id } = view;
  return [
    `${senderOf(view)} pressed Send${decidedAt === undefined ? '' : ` ${when(decidedAt)}`}`,
    ...(isOver(view) && endedAt !== undefined ? [`ended at ${time(endedAt)}`] : []),
    `Reference \`${id}\``,
  ].join(' · ');
}

/** In rows of five at most. */
function buttonsOf(view: JobView, now: number): Button[][] {
  if (view.state === 'running') return [[button(ACTIONS.pauseJob, 'Pause', view.id), stopButton(view)]];
  const unknown = [
    ...(isResendable(view, now) ? [button(ACTIONS.resendUnknown, 'Resend the unknown…', view.id)] : []),
    ...(view.undecided ? [theyArrivedButton(view.id)] : []),
  ];
  if (view.state === 'paused') {
    const hasWords = view.pause !== undefined && 'message' in view.pause;
    const words = hasWords ? [button(ACTIONS.showWords, 'Show the service’s words', view.id)] : [];
    const first = [...goOnButtons(view), stopButton(view), ...unknown];
    if (view.pause?.why !== 'list_refused') return [[...first, ...words]];
    return [first, [button(ACTIONS.checkRefusals, CHECK_LABEL, view.instance), ...words]];
  }
  if (!isOver(view)) return [];
  const rejected =
    view.counts.rejected > 0 ? [button(ACTIONS.tryRejected, 'Try the rejected again', view.id)] : [];
  return [[...unknown, ...rejected]];
}

function goOnButtons({ id, pause }: JobView): Button[] {
  if (pause?.why !== 'list_refused') return [button(ACTIONS.resumeJob, 'Resume', id)];
  return [
    button(ACTIONS.continueOneByOne, 'Continue one by one', id),
    button(ACTIONS.resumeJob, 'Continue in bulk', id),
  ];
}

function isResendable({ counts, resentAs, evidence, resendableAt }: JobView, now: number): boolean {
  if (counts.unknown === 0 || resentAs !== undefined || resendableAt === undefined) return false;
  return evidence !== undefined || resendableAt <= now;
}

function stopButton(view: JobView): Button {
  const rest = Math.max(0, view.counts.left - view.counts.inFlight);
  return asking(button(ACTIONS.stopJob, 'Stop', view.id), {
    title: 'Stop this job?',
    text:
      `About ${plural(rest, 'text')} will be cancelled for good. ` +
      'What was sent stays sent, and what is on the way still gets its answer.',
    yes: 'Stop the job',
    no: 'Keep it',
  });
}
