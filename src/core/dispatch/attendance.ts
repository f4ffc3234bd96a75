import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { UNATTENDED_MS, unattendedSince } from '../../ledger/model/send-states.ts';
import type { Books } from '../accounts/books.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Instance } from '../accounts/instances.ts';
import { type KeyTrouble, troubleIn } from '../accounts/key-trouble.ts';
import type { NoBalance } from '../accounts/read-balance.ts';
import type { Clock } from '../clock.ts';
import type { JobNews } from '../jobs/job-news.ts';
import { keyPause, type PauseReason, writePauseReason } from '../jobs/pause-reason.ts';

/** Why an account's balance can't be compared with the books yet. `in_flight`: a request may still be charged. */
type WaitReason = 'in_flight' | NoBalance['kind'];

export type Attendance = ReturnType<typeof createAttendance>;

/** Keeps jobs from going on by themselves after a long absence, or while the books may be an old copy. */
export function createAttendance(deps: {
  ledger: Ledger;
  books: Books;
  credit: Pick<Credit, 'readFresh'>;
  clock: Clock;
  log: Logger;
  jobNews: Pick<JobNews, 'outOfReach'>;
}) {
  const { ledger, books, credit, jobNews, clock, log } = deps;
  /** The wall clock at the last look, ms: it goes on while the process or the machine is stopped. */
  let lookedAt = clock.wall();
  let pausing: Promise<void> | undefined;
  /** By instance: why its jobs wait, as the log said last. */
  const waits = new Map<string, WaitReason>();

  async function runningJobs(instance: string): Promise<SendRecord[]> {
    const open = await ledger.openSends(instance);
    return open.filter(({ kind, state }) => kind === 'job' && state === 'running');
  }

  async function pauseJobs(instance: string, reason: PauseReason): Promise<void> {
    for (const { id } of await runningJobs(instance)) await pause(id, reason);
  }

  async function pause(send: string, reason: PauseReason): Promise<void> {
    await ledger.pause(send, writePauseReason(reason));
  }

  /** Pauses the jobs of an instance whose key nobody can use. */
  const pauseForKey = ({ id }: Instance, trouble: KeyTrouble) => pauseJobs(id, keyPause(trouble));

  function away(since: number): PauseReason {
    return { why: 'away', ...(since <= clock.wall() ? { since } : {}) };
  }

  async function pauseAll(since: number): Promise<void> {
    for (const { instance } of await ledger.instancesWithWork('background'))
      await pauseJobs(instance, away(since));
  }

  /** Pauses all running jobs if this process or its machine was stopped for long, or somebody set its clock. */
  async function look(): Promise<void> {
    if (pausing === undefined && Math.abs(clock.wall() - lookedAt) > UNATTENDED_MS) {
      // If this fails, the next look tries again.
      pausing = pauseAll(lookedAt).finally(() => {
        pausing = undefined;
      });
    }
    // Every caller waits, so that nobody works on a job before all jobs are paused.
    await pausing;
    lookedAt = clock.wall();
  }

  /** Pauses a job that nobody has worked on since then (ms since 1970). */
  function pauseAsAway({ id, decidedAt = 0 }: SendRecord, since: number): Promise<void> {
    // Nobody can work on a job before its decision. If it seems so, a clock was set: we don't know the true time.
    return pause(id, since < decidedAt ? { why: 'away' } : away(since));
  }

  /** The answer `may`. If the reason has changed, logs why jobs of the instance wait, or that they may send again. */
  function answer(may: 'yes' | 'soon' | 'no', { id }: Instance, why?: WaitReason) {
    if (waits.get(id) === why) return may;
    if (why === undefined) {
      waits.delete(id);
      log.info({ instance: id }, 'jobs of an instance may send again');
    } else {
      waits.set(id, why);
      log.info({ instance: id, why }, 'jobs of an instance wait until its balance agrees with the books');
    }
    return may;
  }

  return {
    look,
    pauseAsAway,
    pauseForKey,
    /** Pauses jobs of an instance that nobody worked on for long: its key, record or balance can't be read. */
    async pauseUnattended(instance: string): Promise<void> {
      for (const job of await runningJobs(instance)) {
        const since = unattendedSince(job, ledger.now());
        if (since !== undefined) await pauseAsAway(job, since);
      }
    },
    /**
     * Whether jobs of this instance may send: its account's balance was compared with the books. `soon`: requests are on
     * their way, so we can't compare yet. `no`: we can't read the balance. If the key has trouble, the jobs pause.
     */
    async mayWork(instance: Instance): Promise<'yes' | 'soon' | 'no'> {
      await look();
      const { accountId } = instance;
      if (books.isChecked(accountId)) return answer('yes', instance);
      await books.noteOthers(instance);
      if (books.isChecked(accountId)) return answer('yes', instance);
      // Don't take a permit from the job for a balance that can't be compared.
      if (!(await books.canCompare(accountId))) return answer('soon', instance, 'in_flight');
      const read = await credit.readFresh(instance, 'background');
      const trouble = troubleIn(read);
      if (trouble) await pauseForKey(instance, trouble);
      if (books.isChecked(accountId)) return answer('yes', instance);
      if (read.kind === 'unavailable' && read.isOutOfReach) {
        for (const job of await runningJobs(instance.id)) await jobNews.outOfReach(job);
      }
      if (read.kind === 'ok') return answer('soon', instance, 'in_flight');
      return answer('no', instance, read.kind);
    },
  };
}
