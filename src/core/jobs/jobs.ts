import type { Ledger } from '../../ledger/ledger.ts';
import { isUndecided } from '../../ledger/model/transitions.ts';
import type { Json, LedgerLimits, SendRecord } from '../../ledger/model/types.ts';
import type { Books } from '../accounts/books.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Instances } from '../accounts/instances.ts';
import { limitsOf } from '../accounts/limits.ts';
import type { Links } from '../accounts/links.ts';
import { mayAdminister, type Person, sendRefusal } from '../accounts/permissions.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { Clock } from '../clock.ts';
import { segmentsOf } from '../lists/list.ts';
import type { Withdrawn } from '../sends/decision-answers.ts';
import { type Confirmation, createDecisions } from '../sends/decisions.ts';
import { shortOf } from '../sends/draft-balance.ts';
import type { Estimate } from '../sends/estimate.ts';
import { ChunkResult } from '../sends/outcome.ts';
import type { PriceBook } from '../sends/prices.ts';
import { createRequests, type Requests } from '../sends/requests.ts';
import { undoSend } from '../sends/undo.ts';
import type {
  JobConfirmed,
  JobControlled,
  JobDrafted,
  JobDraftInput,
  JobPreview,
  JobRefusal,
  JobSaidSent,
  JobUndone,
  RejectedRecipient,
  ResendDrafted,
} from './job-answers.ts';
import { keptOf } from './job-details.ts';
import { type JobDrafts, tooLong, withRepeats } from './job-drafts.ts';
import { cardOf } from './job-news.ts';
import { type JobResult, jobResults } from './job-results.ts';
import type { JobView } from './job-view.ts';
import { writePauseReason } from './pause-reason.ts';
import { readJobView, viewOf } from './read-job.ts';

/** Bulk jobs, from list to summary. */
export interface Jobs {
  /** Checks the list and writes the draft with its chunks: what is shown is what goes. */
  draft(input: JobDraftInput): Promise<JobDrafted>;
  /**
   * The preview as of now, with a fresh balance; `include`: with what others sent already. Undefined where there is no
   * such draft.
   */
  preview(id: string, include?: boolean): Promise<JobPreview | undefined>;
  /** Decides a draft for sending, once; by the person who drafted it. */
  confirm(id: string, person: Person, reply: Json, how?: Confirmation): Promise<JobConfirmed>;
  /** Withdraws a draft: nothing was sent and nothing will be. */
  withdraw(id: string, person: Person, to: 'cancelled' | 'superseded'): Promise<Withdrawn<JobView>>;
  view(id: string): Promise<JobView | undefined>;
  /** Drafts of jobs that a second person decides. */
  requests: Requests<JobView>;
  /** No chunk starts once this has resolved; those in flight settle. */
  pause(id: string, person: Person): Promise<JobControlled>;
  /**
   * Goes on, with one message a request from here on where `oneByOne` says so. The account's books are compared with
   * its balance first.
   */
  resume(id: string, person: Person, how?: { oneByOne: boolean }): Promise<JobControlled>;
  /** As pause, for good: what has not left is cancelled. */
  stop(id: string, person: Person): Promise<JobControlled>;
  /** Takes back a job of which nothing was taken yet; for the person who pressed Send, and whoever may stop it. */
  undo(id: string, person: Person): Promise<JobUndone>;
  /** Running and paused jobs of a channel. */
  open(team: string, channel: string): Promise<JobView[]>;
  /** The same of the whole workspace, the newest first. */
  openInTeam(team: string): Promise<JobView[]>;
  /** A draft of all the unknown recipients: it says that it may text them twice. */
  draftResend(id: string, person: Person, reply: Json): Promise<ResendDrafted>;
  /** Writes down a person's word that all the unknown texts that need a decision arrived: once, for all or none. */
  saySent(id: string, person: Person): Promise<JobSaidSent>;
  /** In the list's order; undefined where there is no such job. */
  rejected(id: string): Promise<RejectedRecipient[] | undefined>;
  /** Every recipient with its outcome, in the list's order; undefined where there is no such job. */
  results(id: string): Promise<JobResult[] | undefined>;
}

/**
 * Bulk jobs as people act on them. What jobs do by themselves (sending, pausing, finishing) follows from answers:
 * `dispatch/attempts.ts`.
 */
export function createJobs(deps: {
  ledger: Ledger;
  limits: LedgerLimits;
  links: Links;
  instances: Instances;
  credit: Credit;
  budgets: Pick<Budgets, 'asked'>;
  prices: PriceBook;
  books: Pick<Books, 'doubt' | 'wasChecked'>;
  clock: Clock;
  drafts: JobDrafts;
  /** How long a job waits after Send where its channel has no time of its own, in ms. */
  listUndoMs: number;
  /** Told when a draft was decided for sending, and when a job was resumed. */
  onRunning(send: SendRecord): Promise<void>;
  /** Told when a job's card has something new to say. */
  onChanged(send: string): Promise<void>;
}): Jobs {
  const { ledger, limits, links, credit, drafts } = deps;
  const view = (id: string) => readJobView(ledger, limits, id);

  async function mustView(id: string): Promise<JobView> {
    const found = await view(id);
    if (!found) throw new Error(`the job ${id} is gone from the ledger`);
    return found;
  }

  const decisions = createDecisions({
    ledger,
    links,
    credit,
    budgets: deps.budgets,
    clock: deps.clock,
    mustView,
    tooLong: ({ details: { list } }, link) => tooLong(link, list.toSend),
    // Nobody edits it any more: its chunks have the recipients.
    whenSent: ({
      details: {
        given: { recipients: _pasted, ...given },
        estimate,
        list,
        repeats,
      },
    }) => ({ given, estimate, list, ...(repeats && { repeats: decidedRepeats(repeats) }) }),
    // But for the form of a list that is undone.
    ifUndone: ({ details: { given } }) => ({ given }),
    announces: ({ id }) => cardOf(id),
    undoMs(link) {
      const { listUndoSeconds } = limitsOf(link);
      return listUndoSeconds === undefined ? deps.listUndoMs : listUndoSeconds * 1000;
    },
    onRunning: deps.onRunning,
  });

  const requests = createRequests({
    ...{ ledger, links, credit, view, mustView, decisions, prices: deps.prices },
    isUnlinking: ({ link }) => link.leaving !== undefined,
    segmentsOf: ({ details }) => segmentsOf(details.list),
    including(list) {
      const draft = withRepeats(list, true);
      const { estimate, list: whole, repeats } = draft.details;
      return { draft, details: { estimate, list: whole, ...(repeats && { repeats }) } };
    },
  });

  /** Who may send from the channel may pause, resume and stop its jobs, too. */
  async function refusalOf(job: JobView, person: Person): Promise<JobRefusal | undefined> {
    const linked = await links.find(job.team, job.channel);
    if (!linked) {
      return mayAdminister(person) || person.id === job.details.by ? undefined : { kind: 'not_linked' };
    }
    const why = sendRefusal(person, linked.link);
    return why && { kind: 'refused', why, link: linked.link };
  }

  async function control(
    id: string,
    person: Person,
    act: (job: JobView) => Promise<boolean | JobControlled>,
  ): Promise<JobControlled> {
    const job = await view(id);
    if (!job || job.team !== person.team) return { kind: 'missing' };
    const refusal = await refusalOf(job, person);
    if (refusal) return refusal;
    const done = await act(job);
    if (typeof done === 'object') return done;
    if (done) await deps.onChanged(id);
    return { kind: done ? 'done' : 'not_now', view: await mustView(id) };
  }

  async function openJobs(team: string): Promise<SendRecord[]> {
    // All instances: a channel may have been linked to another one since its job began.
    const all = await deps.instances.list(team);
    const sends = await Promise.all(all.map((instance) => ledger.openSends(instance.id)));
    return sends
      .flat()
      .filter(({ kind, state }) => kind === 'job' && (state === 'running' || state === 'paused'));
  }

  /** What still stands in the way of a paused job; the service is asked, since it may be mended by now. */
  async function obstacleOf(job: JobView): Promise<JobControlled | undefined> {
    // The job's own: the channel may have been linked to another one since.
    const instance = await deps.instances.get(job.team, job.instance);
    if (!instance) return undefined;
    deps.books.doubt(instance.accountId);
    const read = await credit.readFresh(instance, 'interactive');
    if (read.kind === 'key_refused') return { kind: 'key_refused', instanceName: instance.name };
    // A job that is resumed counts as worked on, and other bots go by that: never on books that nobody has checked.
    if (read.kind !== 'ok' || !deps.books.wasChecked(instance.accountId)) return { kind: 'no_balance' };
    const found = await mustView(job.id);
    if (found.details.missing !== job.details.missing) {
      return { kind: 'books', view: found };
    }
    const why = job.pause?.why;
    const isShort = why === 'credits' || (why === 'list_refused' && job.pause?.reason === 'credits');
    return isShort ? shortOf(estimateOfRest(job), read.credits) : undefined;
  }

  return {
    draft: drafts.draft,
    draftResend: drafts.draftResend,
    preview: drafts.preview,
    view,
    requests,

    async confirm(id, person, reply, how) {
      const draft = await view(id);
      const linked = draft?.team === person.team ? await links.find(draft.team, draft.channel) : undefined;
      if (linked?.link.leaving) return { kind: 'unlinking' };
      const confirmed = await decisions.confirm(
        draft && withRepeats(draft, how?.include ?? false),
        person,
        reply,
        how,
      );
      // Repeats in a list are left out, or taken in.
      if (confirmed.kind === 'same_words') throw new Error('a list is not asked about one of its texts');
      return confirmed;
    },
    withdraw: async (id, person, to) => decisions.withdraw(await view(id), person, to),

    pause(id, person) {
      const reason = writePauseReason({ why: 'person', by: person.id });
      return control(id, person, () => ledger.pause(id, reason));
    },
    resume(id, person, { oneByOne } = { oneByOne: false }) {
      return control(id, person, async (job) => {
        if (job.state !== 'paused') return false;
        const obstacle = await obstacleOf(job);
        if (obstacle) return obstacle;
        const forgotten = { missing: undefined, restored: undefined };
        const resumed = await ledger.resume(id, { ...forgotten, ...(oneByOne ? { oneByOne } : {}) });
        const send = resumed ? await ledger.find(id) : undefined;
        if (send) await deps.onRunning(send);
        return resumed;
      });
    },
    stop: (id, person) => control(id, person, () => ledger.stop(id)),

    async undo(id, person) {
      const job = await view(id);
      if (!job || job.team !== person.team) return { kind: 'missing' };
      const refusal = job.decidedBy === person.id ? undefined : await refusalOf(job, person);
      if (refusal) return refusal;
      return undoSend({ ledger, mustView }, id, { by: person.id, details: {}, keeps: keptOf(job.details) });
    },

    async saySent(id, person) {
      const job = await view(id);
      if (!job || job.team !== person.team) return { kind: 'missing' };
      const refusal = await refusalOf(job, person);
      if (refusal) return refusal;
      const unknown = (await ledger.chunks(id, { state: 'unknown' })).filter(isUndecided);
      if (unknown.length === 0) return { kind: 'too_late', why: 'none_unknown' };
      const said = await ledger.saySent({ send: id, indexes: unknown.map(({ index }) => index) }, person.id);
      if (!said.won) return { kind: 'too_late', why: said.why };
      await deps.onChanged(id);
      return { kind: 'said' };
    },

    async open(team, channel) {
      const jobs = (await openJobs(team)).filter(({ channelId }) => channelId === channel);
      return Promise.all(jobs.map((send) => viewOf(ledger, limits, send)));
    },
    async openInTeam(team) {
      const jobs = await openJobs(team);
      jobs.sort((one, other) => (other.decidedAt ?? 0) - (one.decidedAt ?? 0));
      return Promise.all(jobs.map((send) => viewOf(ledger, limits, send)));
    },

    async rejected(id) {
      if (!(await view(id))) return undefined;
      const chunks = await ledger.chunks(id, { state: 'rejected' });
      return chunks.flatMap(({ messages, result }) => {
        const { message: reason = '' } = ChunkResult.safeParse(result).data ?? {};
        return messages
          .filter(({ phone }) => phone !== '')
          .map(({ phone, text }) => ({ e164: `+${phone}`, text, reason }));
      });
    },

    results: (id) => jobResults(ledger, id),
  };
}

/** What is left of a job takes its share of the estimate. */
function estimateOfRest({ details: { estimate }, counts }: JobView): Estimate {
  const share = (credits: number) => Math.ceil((credits * counts.left) / counts.total);
  const { least, ...most } = estimate;
  return { ...most, credits: share(most.credits), ...(least !== undefined && { least: share(least) }) };
}

/** The list is what it is from here on: nobody asks what it would be with its repeats, or without. */
function decidedRepeats({ whole: _choice, ...repeats }: NonNullable<JobView['details']['repeats']>) {
  return repeats;
}
