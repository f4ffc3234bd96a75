import { mayApprove } from '../../../core/accounts/approvers.ts';
import { limitsOf } from '../../../core/accounts/channel-limits.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import type { JobControlled, RejectedRecipient } from '../../../core/jobs/job-answers.ts';
import { type JobView, waitsAbove } from '../../../core/jobs/job-view.ts';
import type { HowToResume } from '../../../core/jobs/resume-job.ts';
import { numberInCell } from '../../../core/texts/phone-format.ts';
import { handOverFile } from '../../files/upload-file.ts';
import { openBulkForm } from '../../forms/open-sending-form.ts';
import { restApproved, restNeedsApproval } from '../../ui/limits/approve-rest.ts';
import { stillOverBudget } from '../../ui/limits/budget-words.ts';
import { bulkDraftMessage } from '../../ui/lists/bulk-draft.ts';
import { REJECTED_COLUMNS, rejectedComment } from '../../ui/lists/file-words.ts';
import {
  JOB_BALANCE_UNKNOWN,
  JOB_GONE,
  jobBooksDiffer,
  jobDecidedBefore,
  jobMovedOn,
  jobResendRefused,
  NO_SERVICE_WORDS,
  NONE_REJECTED,
  notYourJob,
  rejectedNotice,
  serviceWords,
} from '../../ui/lists/job-sentences.ts';
import { readUnknownValue } from '../../ui/lists/job-unknown.ts';
import { type ResumeValue, readResumeValue } from '../../ui/lists/resume-value.ts';
import { INPUT_MAX } from '../../ui/modal.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';

/** **Pause**: what is on the way settles, nothing else is sent. The card says so by itself. */
export const pauseJob = holding('pause');

/** **Stop**, after Slack has asked. */
export const stopJob = holding('stop');

/** **Resume**, **Continue in bulk**. */
export const resumeJob: ClickHandler = async (deps, click) => {
  await resume(deps, click, readResumeValue(click.value));
};

export const continueOneByOne: ClickHandler = async (deps, click) => {
  const { id, how } = readResumeValue(click.value);
  await resume(deps, click, { id, how: { ...how, oneByOne: true } });
};

/** **Approve up to …**, in the answer to one of these: what comes of it takes that answer's place. */
export const approveRest: ClickHandler = async (deps, click) => {
  const asked = readResumeValue(click.value);
  const done = await resume(deps, { ...click, answer: click.replace }, asked);
  if (done?.kind === 'done') await click.replace(restApproved(asked.how));
};

/** Texts go out again: Slack is asked who the person is, and whether they are in the channel or approve its lists. */
async function resume(deps: SlackDeps, click: Click, { id, how }: ResumeValue) {
  const job = await deps.core.jobs.view(id);
  const person = await deps.access.again(click.person);
  const isFree = !job || (await approvesFromElsewhere(deps, person, job));
  const refusal = isFree ? undefined : await deps.rights.membershipRefusal(person, job.channel);
  if (refusal) return void (await click.answer(refusal));
  const done = await deps.core.jobs.resume(id, person, how);
  await answerTo(deps, { ...click, person }, done, how);
  return done;
}

/** Approvers need not be in the channel. What waits for anything but an approval is not theirs to resume. */
async function approvesFromElsewhere({ core }: SlackDeps, person: Person, job: JobView): Promise<boolean> {
  if (job.state === 'paused' && waitsAbove(job) === undefined) return false;
  const linked = await core.links.find(job.channel);
  return linked !== undefined && mayApprove(person, limitsOf(linked.link));
}

/** Holds texts back. Who asked for the job may do that from anywhere: its card may be in their direct messages. */
function holding(act: 'pause' | 'stop'): ClickHandler {
  return async (deps, click) => {
    const { person, value } = click;
    const job = await deps.core.jobs.view(value);
    const refusal =
      job && job.details.by !== person.id && (await deps.rights.membershipRefusal(person, job.channel));
    if (refusal) return click.answer(refusal);
    await answerTo(deps, click, await deps.core.jobs[act](value, person));
  };
}

/** **Show the service's words**: they may quote a number, so the channel does not see them. */
export const showWords: ClickHandler = async ({ core }, { person, value, answer }) => {
  const view = await core.jobs.view(value);
  if (!view) return answer(JOB_GONE);
  if (view.details.by !== person.id) return answer(notYourJob(view.details.by));
  const { pause } = view;
  const words = pause && 'message' in pause ? pause.message : undefined;
  return answer(words === undefined ? NO_SERVICE_WORDS : serviceWords(view, words));
};

async function answerTo(
  deps: SlackDeps,
  { person, answer }: Click,
  done: JobControlled,
  how: HowToResume = {},
) {
  switch (done.kind) {
    case 'done':
      return;
    case 'not_now':
      return answer(jobMovedOn(done.view));
    case 'missing':
      return answer(JOB_GONE);
    case 'no_balance':
      return answer(JOB_BALANCE_UNKNOWN);
    case 'books':
      return answer(jobBooksDiffer(done.view));
    case 'over_budget':
      return answer(stillOverBudget(done.over, done.view.channel));
    case 'above_approved':
      return answer(restNeedsApproval(done, how));
    default:
      return answer(await deps.rights.refusalMessage(person, done));
  }
}

/** **Resend the unknown…**: a draft of all of them, which says that it may text them twice. */
export const resendUnknown: ClickHandler = async (deps, { person, value, to, answer }) => {
  const job = await deps.core.jobs.view(value);
  const refusal = job && (await deps.rights.membershipRefusal(person, job.channel));
  if (refusal) return answer(refusal);
  const drafted = await deps.core.jobs.draftResend(value, person, to);
  switch (drafted.kind) {
    case 'draft':
      deps.log.info({ send: drafted.preview.view.id, resends: value }, 'a draft was made');
      return answer(bulkDraftMessage({ preview: drafted.preview }));
    case 'missing':
      return answer(JOB_GONE);
    case 'not_yours':
      return answer(notYourJob(drafted.owner));
    case 'too_early':
      return answer(jobResendRefused('too_early', drafted.at));
    case 'resent_already':
    case 'said_sent':
    case 'none_unknown':
      return answer(jobResendRefused(drafted.kind));
    default:
      return answer(await deps.rights.refusalMessage(person, drafted));
  }
};

/** **They arrived**, after Slack has asked: a person's word for all the unknown texts. The card says so by itself. */
export const theyArrived = decideUnknown('saySent');

/** **Leave them**, after Slack has asked: the unknown texts stay as they are. The card says so by itself. */
export const leaveThem = decideUnknown('leaveUnknown');

function decideUnknown(decision: 'saySent' | 'leaveUnknown'): ClickHandler {
  return async (deps, { person, value, answer }) => {
    const { id, seen } = readUnknownValue(value);
    const job = await deps.core.jobs.view(id);
    const refusal = job && (await deps.rights.membershipRefusal(person, job.channel));
    if (refusal) return answer(refusal);
    const decided = await deps.core.jobs[decision](id, person, seen);
    if (job)
      deps.log.info({ send: job.id, decision, word: decided.kind }, 'somebody decided about unknown texts');
    switch (decided.kind) {
      case 'decided':
        return;
      case 'missing':
        return answer(JOB_GONE);
      case 'too_late':
        return answer(jobDecidedBefore(decided.why));
      default:
        return answer(await deps.rights.refusalMessage(person, decided));
    }
  };
}

/** **Try the rejected again**: the list form with them, to be corrected; for the requester, who knows the numbers. */
export const tryRejected: ClickHandler = async (deps, click) => {
  const { person, value, answer } = click;
  const job = await deps.core.jobs.view(value);
  if (!job) return answer(JOB_GONE);
  if (job.details.by !== person.id) return answer(notYourJob(job.details.by));
  const rejected = await deps.core.jobs.rejected(value);
  if (!rejected || rejected.length === 0) return answer(NONE_REJECTED);
  await openBulkForm(deps, { ...click, channel: job.channel }, prefillWith(deps, job, rejected));
};

/** As lines of the form where they fit in, else as a file in the person's direct messages. */
async function prefillWith(deps: SlackDeps, job: JobView, rejected: RejectedRecipient[]) {
  // Loaded only if it is wanted.
  const { stringify } = await import('csv-stringify/sync');
  const rows = rejected.map(({ e164, text }) => [e164, text]);
  const lines = stringify([['phone', 'message'], ...rows]).trimEnd();
  if (lines.length <= INPUT_MAX)
    return { recipients: lines, notice: rejectedNotice(rejected.length, 'prefilled') };
  const file = rejected.map(({ e164, text, reason }) => [numberInCell(e164), text, reason]);
  const { toCsv } = await import('../../../core/lists/csv-export.ts');
  const bytes = toCsv([REJECTED_COLUMNS, ...file]);
  const comment = rejectedComment(job);
  const at = await handOverFile(deps, job.details.by, { name: 'rejected.csv', bytes, comment });
  return { notice: rejectedNotice(rejected.length, at) };
}
