import type { ActionsBlock, Button } from '@slack/types';
import type { JobView } from '../../../core/jobs/job-view.ts';
import { askFirst, button, buttons, figures, joined, type Message, section, small } from '../blocks.ts';
import { replaceKeyButton } from '../draft-refusals.ts';
import { ACTIONS } from '../ids.ts';
import { approvalLine } from '../limits/approval-words.ts';
import { restApprovedLine } from '../limits/approve-rest.ts';
import { hasNotBegun, undoneMessage, waitingHeadline } from '../limits/undo.ts';
import { senderOf } from '../outcome-words.ts';
import { escaped } from '../safe-text.ts';
import { CHECK_LABEL } from '../setup/refusal-rule.ts';
import { mention, plural, present, when } from '../words.ts';
import { figuresOf, isOver } from './job-figures.ts';
import { howToGoOn, jobHeadline, listOf } from './job-headline.ts';
import { isResendable, leaveThemButton, theyArrivedButton, unknownOfJob } from './job-unknown.ts';
import { resumeValue } from './resume-value.ts';
import { resultsName } from './words-in-files.ts';

/** What became of the file with every recipient's outcome. `failed`: why Slack did not take it, as half a sentence. */
interface ResultsFile {
  /** Whether an earlier file was delivered before this one. */
  updated: boolean;
  failed?: string | undefined;
}

/** A card says that the service is out of reach after this time, in ms: the next tries often work. */
const OUT_OF_REACH_MS = 10_000;

/**
 * A job's one card in its channel, from Sending to the end. The card shows counts and the list's file name, no number
 * and no text.
 * @param now ms since 1970: decides whether people can still undo the job, and resend its unknown texts
 */
export function jobCard(view: JobView, { now, results }: { now: number; results?: ResultsFile }): Message {
  if (view.undoneBy !== undefined) return undoneMessage(view);
  const headline = hasNotBegun(view, now) ? waitingHeadline(view, now) : jobHeadline(view);
  return joined(
    headed(view, headline),
    figures(figuresOf(view)),
    whileOutOfReach(view, now),
    view.resends && '⚠️ These repeat unknown texts of an earlier job: some people may get them twice.',
    view.mayBeSent && '⚠️ This may have been sent before: some people may get it twice.',
    howToGoOn(view),
    buttonsOf(view, now),
    unknownOfJob(view, now),
    unknownButtonsOf(view, now),
    isOver(view) && results && whereResultsAre(view, results),
    small(footOf(view)),
  );
}

/** A direct message to the sender of a list that paused: why, and the next step. After the pause, the message says so. */
export function pauseNews(view: JobView): Message {
  const from = `Sent from <#${view.channel}>. Its card has all figures.`;
  if (view.state !== 'paused') return joined(`▶️ *No longer paused* · ${listOf(view)}\n${from}`);
  return joined(headed(view, jobHeadline(view)), howToGoOn(view), buttonsWhilePaused(view), small(from));
}

/** Why a running job sends nothing at the moment, and whether somebody has to act. */
function whileOutOfReach({ state, servedAt = 0, details }: JobView, now: number): string | undefined {
  const { outOfReachSince: since } = details;
  if (state !== 'running' || since === undefined || now - since < OUT_OF_REACH_MS) return undefined;
  // After a start, the bot sends nothing before it has read the balance: nobody works on the job meanwhile.
  const whatNext =
    servedAt > since
      ? 'Once the service is back, the job goes on by itself.'
      : 'If the service is back soon, the job goes on by itself. Otherwise the job pauses.';
  return `⚠️ The messaging service has been out of reach since ${when(since)}.\n${whatNext}`;
}

function whereResultsAre(view: JobView, { updated, failed }: ResultsFile): string {
  const sender = mention(view.details.by);
  const file = `\`${escaped(resultsName(view))}\``;
  if (failed !== undefined) return `${sender}: ${file} could not be delivered: ${failed}.`;
  return updated
    ? `${sender}: answers came late. A newer ${file} is in your direct messages.`
    : `${sender}: ${file} is in your direct messages, with every recipient’s outcome.`;
}

function footOf(view: JobView): string {
  const { decidedAt, endedAt, id } = view;
  const approved = approvalLine(view.approval);
  return present(
    approved === undefined
      ? `${senderOf(view)} pressed Send${decidedAt === undefined ? '' : ` ${when(decidedAt)}`}`
      : `${approved} by ${senderOf(view)}`,
    restApprovedLine(view),
    isOver(view) && endedAt !== undefined && `ended ${when(endedAt)}`,
    `Reference \`${id}\``,
  ).join(' · ');
}

/** The buttons that move the job on, the main step first. */
function buttonsOf(view: JobView, now: number): ActionsBlock | undefined {
  if (hasNotBegun(view, now)) return buttons(button(ACTIONS.undoJob, 'Undo', view.id));
  if (view.state === 'running') return buttons(button(ACTIONS.pauseJob, 'Pause', view.id), stopButton(view));
  if (view.state === 'paused') return buttonsWhilePaused(view);
  if (!isOver(view) || view.counts.rejected === 0) return undefined;
  return buttons(button(ACTIONS.tryRejected, 'Try the rejected again', view.id));
}

/** The buttons for unknown texts. A running job has none: it may still change them. */
function unknownButtonsOf(view: JobView, now: number): ActionsBlock | undefined {
  const { id, state, pause, decidable = 0, leftBy, instance } = view;
  if (state !== 'paused' && !isOver(view)) return undefined;
  const row = present(
    isResendable(view, now) && button(ACTIONS.resendUnknown, 'Resend the unknown…', id),
    decidable > 0 && theyArrivedButton(view),
    decidable > 0 && leftBy === undefined && leaveThemButton(view),
    state === 'paused' &&
      pause?.why === 'list_refused' &&
      button(ACTIONS.checkRefusals, CHECK_LABEL, instance),
  );
  return row.length > 0 ? buttons(...row) : undefined;
}

/** The service's words may quote a number, so the card only has a button that shows them. */
function headed({ id, state, pause }: JobView, text: string): Message {
  const hasWords = state === 'paused' && pause !== undefined && 'message' in pause;
  const words = hasWords ? button(ACTIONS.showWords, 'Show the service’s words', id) : undefined;
  return { text, blocks: [section(text, words)] };
}

function buttonsWhilePaused(view: JobView): ActionsBlock {
  const { pause, instance } = view;
  const value = resumeValue(view);
  const isRefused = pause?.why === 'list_refused';
  return buttons(
    pause?.why === 'key_refused' && replaceKeyButton(instance),
    isRefused && button(ACTIONS.continueOneByOne, 'Continue one by one', value),
    button(ACTIONS.resumeJob, isRefused ? 'Continue in bulk' : 'Resume', value),
    stopButton(view),
  );
}

function stopButton(view: JobView): Button {
  const rest = Math.max(0, view.counts.left - view.counts.inFlight);
  return askFirst(button(ACTIONS.stopJob, 'Stop', view.id), {
    title: 'Stop this job?',
    text:
      `About ${plural(rest, 'text')} will be cancelled for good. ` +
      'Sent texts stay sent, and texts on the way still get their answers.',
    yes: 'Stop the job',
    no: 'Keep it',
  });
}
