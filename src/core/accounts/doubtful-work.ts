import type { Logger } from 'pino';
import { z } from 'zod';
import type { AccountRecord } from '../../ledger/accounts/account-types.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { isOlder, type OlderWork } from '../../ledger/sends/end-draft.ts';
import type { Instance, Instances } from './instances.ts';
import type { Links } from './links.ts';
import type { Refusals } from './list-refusals.ts';
import { openJobsOfAccount } from './open-jobs.ts';

export interface DoubtDeps {
  ledger: Ledger;
  instances: Pick<Instances, 'ofAccount'>;
  links: Pick<Links, 'ofInstance'>;
  refusals: Pick<Refusals, 'isShared'>;
  log: Logger;
  /** Pauses a job if it runs. */
  pause(send: string, why: 'books' | 'restored'): Promise<unknown>;
  /** Whether a job is paused, and for which reason. */
  isPausedFor(job: SendRecord, why: 'books'): boolean;
  /** Called for each job whose card should change. */
  onChanged(send: string): Promise<void>;
}

/** Of a job's details: the credits that were missing, whether the store may be an older copy, and who pays. */
const DetailsOfJob = z.object({
  missing: z.number().optional(),
  restored: z.boolean().optional(),
  accountId: z.string().optional(),
});

/**
 * Credits are missing, or the books are damaged ('unknown'): pauses the account's jobs. At the first comparison, also
 * ends texts and drafts from before then (`firstAsOf`). With a shared key, jobs only warn. Pauses first, so that nobody is
 * texted again if a later step fails.
 */
export async function doubtAllWork(
  deps: DoubtDeps,
  account: string,
  { missing, firstAsOf }: { missing: number | 'unknown'; firstAsOf: number | undefined },
): Promise<void> {
  deps.log.warn(
    { account, missing },
    missing === 'unknown'
      ? 'the books are damaged: jobs of the account pause, unless their key is shared'
      : 'the balance is lower than the books: jobs of the account pause, unless their key is shared',
  );
  for (const { instance, job } of await openJobsOfAccount(deps, account)) {
    const { missing: before = 0, restored } = DetailsOfJob.parse(job.details);
    if (!(await deps.refusals.isShared(instance))) {
      if (missing === 'unknown') await holdBack(deps, job);
      else await deps.pause(job.id, 'books');
    }
    // The store has forgotten a request of this job: others can't have used all that is missing.
    else if (restored) await deps.pause(job.id, 'restored');
    // A later comparison has newer books, so it may miss what an earlier one found.
    const found = Math.max(missing === 'unknown' ? 0 : missing, before);
    if (found > 0) await deps.ledger.mergeDetails(job.id, { missing: found });
    await deps.onChanged(job.id);
  }
  // The first comparison deals with texts and drafts. Credits that went missing later were used elsewhere.
  if (firstAsOf === undefined) return;
  await endTextsAndDrafts(deps, { account, writtenBy: firstAsOf });
}

/**
 * No balance of the account was ever recorded, so nothing shows whether the store is an old copy. Pauses the jobs that are
 * as old as that, cancels such texts and expires such drafts: they may have been sent since. Leaves out what has a shared
 * key.
 */
export async function doubtOlderWork(deps: DoubtDeps, older: OlderWork): Promise<void> {
  const { account, writtenBy } = older;
  let jobs = 0;
  for (const { instance, job } of await openJobsOfAccount(deps, account)) {
    // A job of another payer waits for a person anyway.
    const { accountId: payer = account } = DetailsOfJob.parse(job.details);
    if (payer !== account || job.createdAt > writtenBy || (await deps.refusals.isShared(instance))) continue;
    jobs += 1;
    await holdBack(deps, job);
    await deps.onChanged(job.id);
  }
  const { texts, drafts } = await endTextsAndDrafts(deps, older);
  if (jobs + texts + drafts > 0)
    deps.log.warn(
      { account, jobs, texts, drafts },
      'no balance is on record: older jobs pause, older texts are cancelled, older drafts expire',
    );
}

/**
 * Cancels older single texts that wait, and expires drafts and requests as old. The bot may have sent them already, and
 * people read so. Skips instances whose key is shared.
 */
async function endTextsAndDrafts(deps: DoubtDeps, older: OlderWork) {
  const { ledger, instances, links, refusals } = deps;
  let texts = 0;
  let drafts = 0;
  const mine: Instance[] = [];
  for (const instance of await instances.ofAccount(older.account))
    if (!(await refusals.isShared(instance))) mine.push(instance);
  // Texts first: nothing else stops them.
  for (const instance of mine) {
    for (const send of await ledger.openSends(instance.id)) {
      // If another bot is just sending it, the answer tells what became of it.
      if (send.kind === 'single' && isOlder(send, older) && (await ledger.stop(send.id))) texts += 1;
    }
  }
  for (const instance of mine) {
    for (const { team, channel } of await links.ofInstance(instance))
      drafts += await ledger.expireDrafts(team, channel, { why: 'may_be_sent', onlyOlder: older });
  }
  return { texts, drafts };
}

/** Pauses a job. If it is paused for another reason, its Resume asks first. */
async function holdBack(deps: DoubtDeps, job: SendRecord): Promise<void> {
  if (job.state === 'running') await deps.pause(job.id, 'books');
  else if (!deps.isPausedFor(job, 'books')) await deps.ledger.mergeDetails(job.id, { restored: true });
}

/**
 * The store may have forgotten requests of a job. The job goes on only if the balance proves that there were none: this
 * account paid, its texts cost credits, nobody else uses the key, and the books explain the balance to a credit.
 */
export async function doubtForgotten(
  deps: DoubtDeps,
  accountId: string,
  { account, credits }: { account: AccountRecord | undefined; credits: number },
): Promise<void> {
  const { ledger, refusals } = deps;
  for (const { instance, job } of await openJobsOfAccount(deps, accountId)) {
    const { restored, accountId: payer } = DetailsOfJob.parse(job.details);
    if (!job.mayLackRequests || restored) continue;
    const { creditsUsed } = await ledger.tally(job.id);
    const isProven = payer === accountId && account?.booked === credits && creditsUsed > 0;
    if (isProven && !(await refusals.isShared(instance))) continue;
    if (await ledger.mergeDetails(job.id, { restored: true })) await deps.onChanged(job.id);
  }
}

/**
 * Nothing is missing, so the running jobs of a shared key stop their warning. Paused jobs wait for a person. A job pauses
 * if the store has forgotten one of its requests: that may have been free.
 */
export async function endWarnings(deps: DoubtDeps, account: string): Promise<void> {
  for (const { job } of await openJobsOfAccount(deps, account)) {
    const { missing, restored } = DetailsOfJob.parse(job.details);
    if (job.state !== 'running' || (missing === undefined && !restored)) continue;
    if (restored) await deps.pause(job.id, 'restored');
    if (await deps.ledger.mergeDetails(job.id, { missing: undefined })) await deps.onChanged(job.id);
  }
}
