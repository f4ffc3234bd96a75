import { limitsOf } from '../../../core/accounts/channel-limits.ts';
import { mayApprove, type Person } from '../../../core/accounts/permissions.ts';
import { type JobView, waitsAbove } from '../../../core/jobs/job-view.ts';
import type { HowToResume, JobControlled } from '../../../core/jobs/resume-job.ts';
import { restApproved, restNeedsApproval } from '../../ui/limits/approve-rest.ts';
import { stillOverBudget } from '../../ui/limits/budget-words.ts';
import { jobBooksDiffer, jobMovedOn } from '../../ui/lists/job-sentences.ts';
import { readResumeValue } from '../../ui/lists/resume-value.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';

/** **Pause**: the bot sends nothing more, but waits for the answers to what it has sent. The card says so. */
export const pauseJob = holding('pause');

/** **Stop**, after Slack has asked. */
export const stopJob = holding('stop');

/** **Resume**, **Continue in bulk**. */
export const resumeJob: ClickHandler = async (deps, click) => {
  await resume(deps, click);
};

export const continueOneByOne: ClickHandler = async (deps, click) => {
  await resume(deps, click, { oneByOne: true });
};

/** **Approve up to …**, a button of the answer to **Resume**. The result replaces that answer. */
export const approveRest: ClickHandler = async (deps, click) => {
  const done = await resume(deps, { ...click, answer: click.replace });
  if (done?.kind === 'done') await click.replace(restApproved(readResumeValue(click.value)));
};

/** Texts go out again, so the bot asks Slack who the person is now. They must be in the channel, or approve its lists. */
async function resume(deps: SlackDeps, click: Click, more: HowToResume = {}) {
  const { id, ...shown } = readResumeValue(click.value);
  const how = { ...shown, ...more };
  const job = await deps.core.jobs.view(id);
  const person = await deps.access.again(click.person);
  const isFree = !job || (await approvesFromElsewhere(deps, person, job));
  const refusal = isFree ? undefined : await deps.rights.membershipRefusal(person, job.channel);
  if (refusal) return void (await click.answer(refusal));
  const done = await deps.core.jobs.resume(id, person, how);
  await answerTo(deps, { ...click, person, job }, done, how);
  return done;
}

/** Whether the person resumes as an approver, who need not be in the channel. False if it paused for another reason. */
async function approvesFromElsewhere({ core }: SlackDeps, person: Person, job: JobView): Promise<boolean> {
  if (job.state === 'paused' && waitsAbove(job) === undefined) return false;
  const linked = await core.links.find(job.channel);
  return linked !== undefined && mayApprove(person, limitsOf(linked.link));
}

/** **Pause** or **Stop**. The job's sender may press these from anywhere: its card may be in their direct messages. */
function holding(act: 'pause' | 'stop'): ClickHandler {
  return async (deps, click) => {
    const { person, value } = click;
    const job = await deps.core.jobs.view(value);
    const refusal =
      job && job.details.by !== person.id && (await deps.rights.membershipRefusal(person, job.channel));
    if (refusal) return click.answer(refusal);
    await answerTo(deps, { ...click, job }, await deps.core.jobs[act](value, person));
  };
}

async function answerTo(
  deps: SlackDeps,
  { person, answer, job }: Click & { job: JobView | undefined },
  done: JobControlled,
  how: HowToResume = {},
) {
  switch (done.kind) {
    case 'done':
      return;
    case 'not_now':
      return answer(jobMovedOn(done.view));
    case 'books':
      return answer(jobBooksDiffer(done.view, how));
    case 'over_budget':
      return answer(stillOverBudget(done.over, done.view.channel));
    case 'above_approved':
      return answer(restNeedsApproval(done, how));
    default:
      return answer(await deps.rights.refusalMessage(person, done, job));
  }
}
