import type { Ledger } from '../../ledger/ledger.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { withoutNoise } from '../../ledger/model/without-noise.ts';
import type { Books } from '../accounts/books.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Instances } from '../accounts/instances.ts';
import { keyUnusable, troubleIn } from '../accounts/key-trouble.ts';
import type { Links } from '../accounts/links.ts';
import { namedApprovers, type Person } from '../accounts/permissions.ts';
import type { AboveApproved, OverBudget } from '../budgets/budgets.ts';
import type { CreditsShort } from '../sends/decision-answers.ts';
import { shortBalance } from '../sends/draft-balance.ts';
import type { Estimate } from '../sends/estimate.ts';
import type { JobReads } from './job-reads.ts';
import { type JobRefusal, type RestRight, rightToApproveRest } from './job-rights.ts';
import { type JobView, restoredSince } from './job-view.ts';

/** How a paused job goes on. */
export interface HowToResume {
  /** Sends one message a request from now on. */
  oneByOne?: boolean;
  /** The job's `servedAt` by the pressed card, in ms; 0 if never. A card of an older version names none. */
  seenServedAt?: number | undefined;
  /** The person read that the store may lack requests of the job, since what `restoredSince` names. */
  seenRestored?: string | undefined;
  /** The person read that the job takes more than was approved, and approves this many credits at most. */
  approvedUpTo?: number | undefined;
}

/** The result of **Pause**, **Resume**, **Stop**. `not_now`: the job has moved on meanwhile. */
export type JobControlled =
  | { kind: 'done' | 'not_now'; view: JobView }
  | { kind: 'missing' }
  | CreditsShort
  /** The service can't be asked for the balance now, so nothing was resumed. */
  | { kind: 'no_balance' }
  /** Credits are missing from the books, or requests may be, and the person has not read that. The job stays paused. */
  | { kind: 'books'; view: JobView }
  /** The job costs more than estimated, and its rest does not fit into a budget: it stays paused. */
  | { kind: 'over_budget'; over: OverBudget; view: JobView }
  /** The job takes more than was approved, so it stays paused. `proposed`: the credits that we propose to approve. */
  | {
      kind: 'above_approved';
      above: AboveApproved;
      view: JobView;
      proposed: number;
      right: RestRight;
      approvers: readonly string[];
    }
  | JobRefusal;

/** We propose to approve a little more than the rest takes: prices differ, and nobody wants many pauses. */
const HEADROOM = 1.1;

export interface ResumeDeps {
  ledger: Ledger;
  links: Pick<Links, 'find'>;
  instances: Pick<Instances, 'get'>;
  credit: Pick<Credit, 'readFresh'>;
  books: Pick<Books, 'doubt' | 'wasChecked'>;
  reads: Pick<JobReads, 'mustView'>;
  /** Called when a job was resumed. */
  onRunning(job: Pick<SendRecord, 'team' | 'instance'>): Promise<void>;
}

/**
 * Lets a paused job go on, after it has compared the account's books with its balance. The caller has checked the
 * person's right. Returns true if the job goes on, false if it has moved on since the card, otherwise what stops it.
 */
export async function resumeJob(
  deps: ResumeDeps,
  job: JobView,
  person: Person,
  { oneByOne, approvedUpTo: upTo, seenServedAt, seenRestored }: HowToResume,
): Promise<boolean | JobControlled> {
  const { ledger, links, reads } = deps;
  const { id, pause } = job;
  if (job.state !== 'paused') return false;
  const obstacle = await obstacleTo(deps, job, seenRestored);
  if (obstacle) return obstacle;
  const forgotten = { missing: undefined, restored: undefined, outOfReachSince: undefined };
  // The account that the card names, and no other, may pay from here on.
  const payer = pause?.why === 'other_account' ? { accountId: pause.account } : {};
  const details = { ...forgotten, ...payer, ...(oneByOne ? { oneByOne } : {}) };
  const linked = await links.find(job.team, job.channel);
  const rules = linked && limitsOf(linked.link);
  const right = rightToApproveRest(job, person, rules);
  const resumed = await ledger.resume(id, details, {
    seenServedAt: seenServedAt ?? job.servedAt ?? 0,
    doubt: job.mayLackRequests,
    limits: rules && { month: rules.monthlyBudget, day: rules.dailyPerPerson },
    ...(right === 'may' &&
      upTo !== undefined && { approval: { upTo, details: { restApproved: { by: person.id, upTo } } } }),
  });
  if (!resumed.won) {
    const { over } = resumed;
    if (!over) return false;
    const view = await reads.mustView(id);
    if ('id' in over) return { kind: 'over_budget', over, view };
    const approvers = rules ? namedApprovers(rules) : [];
    const proposed = Math.ceil(withoutNoise(over.asked * HEADROOM));
    return { kind: 'above_approved', above: over, proposed, view, right, approvers };
  }
  await deps.onRunning(job);
  return true;
}

/** What still keeps a paused job from going on. Asks the service, since the trouble may be over. */
async function obstacleTo(
  { instances, books, credit, reads }: ResumeDeps,
  job: JobView,
  seenRestored: string | undefined,
): Promise<JobControlled | undefined> {
  // The job's own instance: the channel may have been linked to another one since.
  const instance = await instances.get(job.team, job.instance);
  if (!instance) return job.mayLackRequests ? { kind: 'no_balance' } : undefined;
  books.doubt(instance.accountId);
  const read = await credit.readFresh(instance, 'interactive');
  const unusable = keyUnusable(instance, troubleIn(read));
  if (unusable) return unusable;
  // Other bots carry on a job that was resumed, so check the books before that.
  if (read.kind !== 'ok' || !books.wasChecked(instance.accountId)) return { kind: 'no_balance' };
  const found = await reads.mustView(job.id);
  const { missing } = found.details;
  const isNews = missing !== undefined && missing !== job.details.missing;
  const since = restoredSince(found);
  if (isNews || (since && since !== seenRestored)) return { kind: 'books', view: found };
  const { pause } = job;
  const isAboutCredits =
    pause?.why === 'list_refused' ? pause.reason === 'credits' : pause?.why === 'credits';
  return isAboutCredits || pause?.why === 'other_account'
    ? shortBalance(estimateOfRest(job), read.credits)
    : undefined;
}

/** The share of the estimate that is left for the rest of a job. */
function estimateOfRest({ details: { estimate }, counts }: JobView): Estimate {
  const share = (credits: number) => Math.ceil((credits * counts.left) / counts.total);
  const { least, ...most } = estimate;
  return { ...most, credits: share(most.credits), ...(least !== undefined && { least: share(least) }) };
}
