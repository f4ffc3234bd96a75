import type { JobView } from '../../../core/jobs/job-view.ts';
import type { HowToResume } from '../../../core/jobs/resume-job.ts';
import { button, type Message, message, typed } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { restApprovedLine } from '../limits/approve-rest.ts';
import { reference } from '../outcome-words.ts';
import { credits, inLines, plural } from '../words.ts';
import { resumeValue } from './resume-value.ts';

/** The answer to **Resume** if credits are missing, or requests may be: the person decides again. */
export function jobBooksDiffer(view: JobView, how: HowToResume): Message {
  const { missing } = view.details;
  const why =
    missing === undefined
      ? 'after a restore or a failover, Switchboard’s database may lack texts that were sent.'
      : `the balance is ${credits(missing)} lower than Switchboard’s own records.\n` +
        'Somebody used them elsewhere, or Switchboard runs on an old copy of its data.';
  return message(
    `⏸ *Still paused*: ${why}\n` +
      'If the job goes on, people may get a text again. If that is fine, press *Resume* once more.',
    button(ACTIONS.resumeJob, 'Resume', resumeValue(view, how)),
  );
}

export const JOB_UNLINKING: Message = message(
  '⛔ *No new job can begin here: this channel will be unlinked once its jobs are done.*\nNothing was sent. An admin can keep it linked with `/sms link`.',
);

/** The answer to **Pause**, **Resume** or **Stop** if the job has changed meanwhile. */
export function jobMovedOn(view: JobView): Message {
  const notBegun = 'has not begun';
  const states: { [state in JobView['state']]: string } = {
    running: 'is running',
    paused: 'is paused',
    finished: 'has finished',
    stopped: 'was stopped',
    cancelled: 'was undone',
    draft: notBegun,
    awaiting_approval: notBegun,
    superseded: notBegun,
    declined: notBegun,
    expired: notBegun,
  };
  const approved = restApprovedLine(view);
  return message(
    inLines(
      `This job ${states[view.state]}, so nothing was changed. The card will show this in a moment.`,
      approved && `${approved}.`,
    ),
  );
}

/** The ledger does not have the job of a button (any more). */
export const JOB_GONE: Message = message('This job is gone, so nothing was changed.');

export function serviceWords(view: JobView, words: string): Message {
  return message('The service’s own words:', typed(words), reference(view));
}

/** The job goes on, or paused for another reason than the service's words. */
export const NO_SERVICE_WORDS: Message = message(
  'This job is no longer paused for a refusal. Its card is up to date.',
);

export const NONE_REJECTED: Message = message(
  'No text of this job is rejected any more, so there is nothing to try again.',
);

export const REJECTED_DELETED: Message = message(
  'The numbers and words of the rejected texts were deleted, so there is nothing to try again.',
);

/** What the form of **Try the rejected again** says, as plain text. */
export function rejectedNotice(recipients: number, at: 'prefilled' | 'delivered' | 'failed'): string {
  const [verb, them] = recipients === 1 ? ['was', 'it'] : ['were', 'them'];
  const were = `${plural(recipients, 'recipient')} ${verb} rejected.`;
  switch (at) {
    case 'prefilled':
      return `${were} Correct ${them} here, then press Preview.`;
    case 'delivered':
      return `${were} We sent you rejected.csv, with the reasons. Correct that file, then choose it here.`;
    case 'failed':
      return `${were} Slack did not accept the file of rejected recipients. See the results file, correct your own list, then choose your list here.`;
  }
}
