import type { Ledger } from '../../ledger/ledger.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { isDecidable } from '../../ledger/model/unknown-chunks.ts';
import { withoutNoise } from '../../ledger/model/without-noise.ts';
import { namedApprovers } from '../accounts/approvers.ts';
import type { Books } from '../accounts/books.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Instances } from '../accounts/instances.ts';
import type { Links } from '../accounts/links.ts';
import type { Person } from '../accounts/permissions.ts';
import { shortBalance } from '../sends/draft-balance.ts';
import type { Estimate } from '../sends/estimate.ts';
import { type Undone, undoSend } from '../sends/undo.ts';
import type { JobControlled, JobRefusal, JobUnknownDecision } from './job-answers.ts';
import { keptOf } from './job-details.ts';
import type { JobReads } from './job-reads.ts';
import { refusalToControl, rightToApproveRest } from './job-rights.ts';
import type { JobView } from './job-view.ts';
import { writePauseReason } from './pause-reason.ts';
import { messagesIn } from './read-job.ts';

/** How a paused job goes on. */
export interface HowToResume {
  /** Sends one message a request from now on. */
  oneByOne?: boolean;
  /** `servedAt` of the job as the pressed card showed it, ms, 0 for never; of a card by an older version, as it is now. */
  seenServedAt?: number | undefined;
  /** The person read that the job takes more than was approved. They approve this many credits at most. */
  approvedUpTo?: number | undefined;
}

/** We propose to approve a little more than the rest takes: prices differ, and nobody wants many pauses. */
const HEADROOM = 1.1;

/** What people do with a job after Send. */
export function createJobControls(deps: {
  ledger: Ledger;
  links: Pick<Links, 'find'>;
  instances: Pick<Instances, 'get'>;
  credit: Pick<Credit, 'readFresh'>;
  books: Pick<Books, 'doubt' | 'wasChecked'>;
  reads: Pick<JobReads, 'view' | 'mustView'>;
  /** Told when a job was resumed. */
  onRunning(send: SendRecord): Promise<void>;
  /** Told when a job's card has something new to say. */
  onChanged(send: string): Promise<void>;
}) {
  const { ledger, links, credit } = deps;
  const { view, mustView } = deps.reads;

  async function control(
    id: string,
    person: Person,
    act: (job: JobView) => Promise<boolean | JobControlled>,
  ): Promise<JobControlled> {
    const job = await view(id);
    if (!job || job.team !== person.team) return { kind: 'missing' };
    const refusal = await refusalToControl(links, job, person);
    if (refusal) return refusal;
    const done = await act(job);
    if (typeof done === 'object') return done;
    // Also if nothing was done: the card that was pressed may be old.
    await deps.onChanged(id);
    return { kind: done ? 'done' : 'not_now', view: await mustView(id) };
  }

  /** What still keeps a paused job from going on. Asks the service, since the trouble may be over. */
  async function obstacleOf(job: JobView): Promise<JobControlled | undefined> {
    // The job's own instance: the channel may have been linked to another one since.
    const instance = await deps.instances.get(job.team, job.instance);
    if (!instance) return undefined;
    deps.books.doubt(instance.accountId);
    const read = await credit.readFresh(instance, 'interactive');
    if (read.kind === 'key_refused') return { kind: 'key_refused', instanceName: instance.name };
    // Other bots carry on a job that was resumed, so check the books before that.
    if (read.kind !== 'ok' || !deps.books.wasChecked(instance.accountId)) return { kind: 'no_balance' };
    const found = await mustView(job.id);
    if (found.details.missing !== job.details.missing) {
      return { kind: 'books', view: found };
    }
    const { pause } = job;
    const isAboutCredits =
      pause?.why === 'list_refused' ? pause.reason === 'credits' : pause?.why === 'credits';
    return isAboutCredits || pause?.why === 'other_account'
      ? shortBalance(estimateOfRest(job), read.credits)
      : undefined;
  }

  async function decideUnknown(
    id: string,
    { person, seen = Number.POSITIVE_INFINITY }: { person: Person; seen: number | undefined },
    decide: Ledger['saySent'],
  ): Promise<JobUnknownDecision> {
    const job = await view(id);
    if (!job || job.team !== person.team) return { kind: 'missing' };
    const refusal = await refusalToControl(links, job, person);
    if (refusal) return refusal;
    const unknown = (await ledger.chunks(id, { state: 'unknown' })).filter(isDecidable);
    if (unknown.length === 0) return { kind: 'too_late', why: 'none_unknown' };
    if (messagesIn(unknown) > seen) {
      await deps.onChanged(id);
      return { kind: 'too_late', why: 'more_unknown' };
    }
    const decided = await decide({ send: id, indexes: unknown.map(({ index }) => index) }, person.id);
    if (!decided.won) return { kind: 'too_late', why: decided.why };
    await deps.onChanged(id);
    return { kind: 'decided' };
  }

  return {
    /** Once this has resolved, no chunk starts. Those in flight still get their answers. */
    pause(id: string, person: Person) {
      const reason = writePauseReason({ why: 'person', by: person.id });
      return control(id, person, () => ledger.pause(id, reason));
    },
    /** Lets the job go on, after it has compared the account's books with its balance. */
    resume(id: string, person: Person, { oneByOne, approvedUpTo: upTo, seenServedAt }: HowToResume = {}) {
      return control(id, person, async (job) => {
        if (job.state !== 'paused') return false;
        const obstacle = await obstacleOf(job);
        if (obstacle) return obstacle;
        const forgotten = { missing: undefined, restored: undefined, outOfReachSince: undefined };
        // The account that the card names, and no other, may pay from here on.
        const payer = job.pause?.why === 'other_account' ? { accountId: job.pause.account } : {};
        const details = { ...forgotten, ...payer, ...(oneByOne ? { oneByOne } : {}) };
        const linked = await links.find(job.team, job.channel);
        const rules = linked && limitsOf(linked.link);
        const right = rightToApproveRest(job, person, rules);
        const resumed = await ledger.resume(id, details, {
          seenServedAt: seenServedAt ?? job.servedAt ?? 0,
          limits: rules && { month: rules.monthlyBudget, day: rules.dailyPerPerson },
          ...(right === 'may' &&
            upTo !== undefined && { approval: { upTo, details: { restApproved: { by: person.id, upTo } } } }),
        });
        if (!resumed.won) {
          const { over } = resumed;
          if (!over) return false;
          const found = await mustView(id);
          if ('id' in over) return { kind: 'over_budget', over, view: found };
          const approvers = rules ? namedApprovers(rules) : [];
          const proposed = Math.ceil(withoutNoise(over.asked * HEADROOM));
          return { kind: 'above_approved', above: over, proposed, view: found, right, approvers };
        }
        const send = await ledger.find(id);
        if (send) await deps.onRunning(send);
        return true;
      });
    },
    /** Like pause, but for good: it cancels what was not sent. */
    stop: (id: string, person: Person) => control(id, person, () => ledger.stop(id)),

    /** Undoes a job that has not begun. The person who pressed Send may, and whoever may stop it. */
    async undo(id: string, person: Person): Promise<Undone<JobView> | JobRefusal> {
      const job = await view(id);
      if (!job || job.team !== person.team) return { kind: 'missing' };
      const refusal = job.decidedBy === person.id ? undefined : await refusalToControl(links, job, person);
      if (refusal) return refusal;
      return undoSend({ ledger, mustView }, id, { by: person.id, details: {}, keeps: keptOf(job.details) });
    },

    /**
     * Notes a person's word that all unknown texts that need a decision arrived: once, for all or none. `seen`: how many
     * the pressed card counted; the word is not about more. A card of an older version doesn't say.
     */
    saySent: (id: string, person: Person, seen?: number) =>
      decideUnknown(id, { person, seen }, ledger.saySent),
    /** Leaves all unknown texts as they are: no list asks for a decision any more. `seen`: as above. */
    leaveUnknown: (id: string, person: Person, seen?: number) =>
      decideUnknown(id, { person, seen }, ledger.leaveUnknown),
  };
}

/** The share of the estimate that is left for the rest of a job. */
function estimateOfRest({ details: { estimate }, counts }: JobView): Estimate {
  const share = (credits: number) => Math.ceil((credits * counts.left) / counts.total);
  const { least, ...most } = estimate;
  return { ...most, credits: share(most.credits), ...(least !== undefined && { least: share(least) }) };
}
