import type { Ledger } from '../../ledger/ledger.ts';
import { isDecidable } from '../../ledger/model/unknown-chunks.ts';
import type { Person } from '../accounts/permissions.ts';
import { type Undone, undoSend } from '../sends/undo.ts';
import type { TakenBack } from '../taken-back.ts';
import type { JobControlled, JobRefusal, JobUnknownDecision } from './job-answers.ts';
import { keptOf } from './job-details.ts';
import type { JobNews } from './job-news.ts';
import type { JobReads } from './job-reads.ts';
import { refusalToControl } from './job-rights.ts';
import type { JobView } from './job-view.ts';
import { writePauseReason } from './pause-reason.ts';
import { messagesIn } from './read-job.ts';
import { type HowToResume, type ResumeDeps, resumeJob } from './resume-job.ts';

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

  /** The job, if this person may control it; otherwise why not. */
  async function controllable(id: string, person: Person) {
    const job = await view(id);
    if (!job || job.team !== person.team) return { kind: 'missing' as const };
    return (await refusalToControl(links, job, person)) ?? { kind: 'controllable' as const, job };
  }

  async function control(
    id: string,
    person: Person,
    act: (job: JobView) => Promise<boolean | JobControlled>,
  ): Promise<JobControlled> {
    const found = await controllable(id, person);
    if (found.kind !== 'controllable') return found;
    const done = await act(found.job);
    if (typeof done === 'object') return done;
    // Also if nothing was done: the card that was pressed may be old.
    await jobNews.changed(id);
    return { kind: done ? 'done' : 'not_now', view: await mustView(id) };
  }

  /**
   * Pauses or stops a job. If the store forgets that, it may have forgotten requests, too: then the job only pauses, and
   * a person decides.
   */
  function holdBack(id: string, person: Person, act: (reason: string) => Promise<boolean>) {
    const reason = writePauseReason({ why: 'person', by: person.id });
    return control(id, person, async () => {
      const isDone = await act(reason);
      if (isDone) takenBack.remember(id, () => pauseAgain(id, reason));
      return isDone;
    });
  }

  async function pauseAgain(id: string, reason: string): Promise<void> {
    if (await ledger.pause(id, reason)) await jobNews.changed(id);
  }

  async function decideUnknown(
    id: string,
    { person, seen = Number.POSITIVE_INFINITY }: { person: Person; seen: number | undefined },
    decide: Ledger['saySent'],
  ): Promise<JobUnknownDecision> {
    const found = await controllable(id, person);
    if (found.kind !== 'controllable') return found;
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
  }

  return {
    /** Once this has resolved, no chunk starts. Those in flight still get their answers. */
    pause: (id: string, person: Person) => holdBack(id, person, (reason) => ledger.pause(id, reason)),
    async resume(id: string, person: Person, how: HowToResume = {}): Promise<JobControlled> {
      const resumed = await control(id, person, (job) => resumeJob(deps, job, person, how));
      if (resumed.kind === 'done') takenBack.forget(id);
      return resumed;
    },
    /** Like pause, but for good: it cancels what was not sent. */
    stop: (id: string, person: Person) => holdBack(id, person, () => ledger.stop(id)),

    /** Undoes a job that has not begun. The person who pressed Send may, and whoever may stop it. */
    async undo(id: string, person: Person): Promise<Undone<JobView> | JobRefusal> {
      const job = await view(id);
      if (!job || job.team !== person.team) return { kind: 'missing' };
      const refusal = job.decidedBy === person.id ? undefined : await refusalToControl(links, job, person);
      if (refusal) return refusal;
      const how = { by: person.id, details: {}, keeps: keptOf(job.details) };
      return undoSend({ ledger, takenBack, mustView }, id, how);
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
