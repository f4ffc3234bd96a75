import type { Ledger } from '../../ledger/ledger.ts';
import type { Undecidable } from '../../ledger/model/chunk-record.ts';
import { isUnderWay } from '../../ledger/model/send-states.ts';
import { isDecidable } from '../../ledger/model/unknown-chunks.ts';
import type { Person } from '../accounts/permissions.ts';
import { type Undone, undoSend } from '../sends/undo.ts';
import type { TakenBack } from '../taken-back.ts';
import { keptOf } from './job-details.ts';
import type { JobNews } from './job-news.ts';
import type { JobReads } from './job-reads.ts';
import { type JobRefusal, refusalToControl } from './job-rights.ts';
import type { JobView } from './job-view.ts';
import { writePauseReason } from './pause-reason.ts';
import { messagesIn } from './read-job.ts';
import { type HowToResume, type JobControlled, type ResumeDeps, resumeJob } from './resume-job.ts';

/**
 * The result of **They arrived** and **Leave them**. `none_unknown`: no text of the job can be decided any more.
 * `more_unknown`: more texts became unknown since the card was drawn, so nothing was decided.
 */
type UnknownDecision =
  | { kind: 'decided' }
  | { kind: 'too_late'; why: Undecidable | 'none_unknown' | 'more_unknown' };

/** What people do with a job after Send. */
export function createJobControls(
  deps: ResumeDeps & {
    reads: Pick<JobReads, 'view' | 'mustView'>;
    jobNews: Pick<JobNews, 'changed'>;
    takenBack: TakenBack;
  },
) {
  const { ledger, links, jobNews, takenBack } = deps;
  const { view, mustView } = deps.reads;

  /** Acts on the job, if this person may control it. Otherwise says why not. */
  async function controlled<Done>(id: string, person: Person, act: (job: JobView) => Promise<Done>) {
    const job = await view(id);
    if (!job || job.team !== person.team) return { kind: 'missing' as const };
    return (await refusalToControl(links, job, person)) ?? act(job);
  }

  function control(
    id: string,
    person: Person,
    act: (job: JobView) => Promise<boolean | JobControlled>,
  ): Promise<JobControlled> {
    return controlled(id, person, async (job): Promise<JobControlled> => {
      const done = await act(job);
      if (typeof done === 'object') return done;
      // Also if nothing was done: the card that was pressed may be old.
      await jobNews.changed(id);
      return { kind: done ? 'done' : 'not_now', view: await mustView(id) };
    });
  }

  /**
   * Pauses or stops a job. If the store forgets that, it may have forgotten requests, too: then the job only pauses, and
   * a person decides.
   */
  function holdBack(id: string, person: Person, act: (reason: string, job: JobView) => Promise<boolean>) {
    const reason = writePauseReason({ why: 'person', by: person.id });
    return control(id, person, async (job) => {
      const isDone = await act(reason, job);
      if (isDone) takenBack.remember(id, () => ledger.pause(id, reason));
      return isDone;
    });
  }

  /** `seen`: how many unknown texts the pressed card counted; a card of an older version doesn't say. */
  const deciding =
    (decide: Ledger['saySent']) =>
    (id: string, person: Person, seen = Number.POSITIVE_INFINITY) =>
      controlled(id, person, async (): Promise<UnknownDecision> => {
        const unknown = (await ledger.chunks(id, { state: 'unknown' })).filter(isDecidable);
        if (unknown.length === 0) return { kind: 'too_late', why: 'none_unknown' };
        if (messagesIn(unknown) > seen) {
          await jobNews.changed(id);
          return { kind: 'too_late', why: 'more_unknown' };
        }
        const decided = await decide({ send: id, indexes: unknown.map(({ index }) => index) }, person.id);
        if (!decided.won) return { kind: 'too_late', why: decided.why };
        await jobNews.changed(id);
        return { kind: 'decided' };
      });

  return {
    /** Once this has resolved, no chunk starts. Those in flight still get their answers. */
    pause: (id: string, person: Person) => holdBack(id, person, (reason) => ledger.pause(id, reason)),
    async resume(id: string, person: Person, how: HowToResume = {}): Promise<JobControlled> {
      const resumed = await control(id, person, (job) => resumeJob(deps, job, person, how));
      if (resumed.kind === 'done') takenBack.forget(id);
      return resumed;
    },
    /** Like pause, but for good: it cancels what was not sent. */
    stop: (id: string, person: Person) =>
      holdBack(id, person, (_reason, { mayHaveBegun }) => ledger.stop(id, mayHaveBegun)),

    /** Undoes a job that has not begun. The person who pressed Send may, and whoever may stop it. */
    async undo(id: string, person: Person): Promise<Undone<JobView> | JobRefusal> {
      const job = await view(id);
      if (!job || job.team !== person.team) return { kind: 'missing' };
      const refusal = job.decidedBy === person.id ? undefined : await refusalToControl(links, job, person);
      if (refusal) return refusal;
      // Nobody may read that nothing was sent.
      if (job.mayHaveBegun && isUnderWay(job.state)) return { kind: 'too_late', view: job };
      const how = { by: person.id, details: {}, keeps: keptOf(job.details) };
      return undoSend({ ledger, takenBack, mustView }, id, how);
    },

    /** Notes a person's word that all unknown texts that need a decision arrived: once, for all or none. */
    saySent: deciding(ledger.saySent),
    /** Leaves all unknown texts as they are: no list asks for a decision any more. */
    leaveUnknown: deciding(ledger.leaveUnknown),
  };
}
