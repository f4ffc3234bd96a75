import { randomUUID } from 'node:crypto';
import type { Outcome } from '../../sms/request-outcome-types.ts';
import type { BulkResult } from '../../sms/schema.ts';
import { type Moment, momentNow, msSince } from '../clock.ts';
import type { Credit } from './credit.ts';
import type { InstanceView } from './instance-view.ts';
import type { Instance, Instances } from './instances.ts';
import { type Arrived, answerOf, isConclusive, mayHaveSent, type Seen } from './list-refusal-seen.ts';
import { type CheckProgress, findCheck, moveCheck } from './list-refusal-steps.ts';
import type { RefusalMode, Refusals } from './list-refusals.ts';
import { openJobsOfAccount } from './open-jobs.ts';
import { requestEndOf } from './permitted-request.ts';
import { type BalanceDeps, type NoBalance, type RecordedFigure, readBalance } from './read-balance.ts';

/** Why no check can begin now: nothing was sent. */
export type NotNow =
  | { kind: 'in_flight' }
  | { kind: 'evidence_awaited' }
  | { kind: 'job_running' }
  /** The admin's own number. */
  | { kind: 'opted_out' }
  | { kind: 'credits'; needed: number; available: number }
  | NoBalance;

/** `not_first`: a check has begun already, so this call sent nothing. */
export type Begun =
  | { kind: 'done'; progress: CheckProgress }
  | { kind: 'not_first'; progress: CheckProgress }
  | NotNow;

/**
 * The second recipient, which the service must refuse and our own client accepts. 999 belongs to no country ("Phone
 * format"), and no number has only five digits.
 */
const NOBODY = '99900';
/** The text for the admin's phone: one segment. */
export const CHECK_TEXT =
  'A test by Switchboard: how does your provider refuse a list? Please tell Switchboard that this text arrived.';

/** After how many ms the balance is read again: the service may book a charge a moment after its answer. */
const READS_APART_MS = 5000;

interface CheckDeps extends BalanceDeps {
  instances: Pick<Instances, 'keyOf' | 'ofAccount'>;
  credit: Pick<Credit, 'readFresh'>;
  refusals: Pick<Refusals, 'set'>;
  mostCredits(account: string, texts: string[]): Promise<number>;
  isOptedOut(team: string, digits: string): Promise<boolean>;
  /** How long after its look for opt-outs any bot's request may begin, in ms. */
  fuseMs: number;
  /** Deadline of a request, in ms. */
  timeoutMs: number;
}

/** Finds out whether a provider sends a part of a list that it refuses. Sends one list that the provider must refuse. */
export function createRefusalChecks(deps: CheckDeps) {
  const { ledger, sms, instances, credit, clock, log, fuseMs, timeoutMs } = deps;
  /** What the two texts may cost, in credits. */
  const mostCredits = ({ accountId }: InstanceView) => deps.mostCredits(accountId, [CHECK_TEXT, CHECK_TEXT]);

  /** Why no check can begin now: its charge and those of other texts could not be told apart. */
  async function obstacleIn({ accountId }: Instance): Promise<NotNow | undefined> {
    const open = await openJobsOfAccount(deps, accountId);
    if (open.some(({ job }) => job.state === 'running')) return { kind: 'job_running' };
    if (await ledger.evidenceCase(accountId)) return { kind: 'evidence_awaited' };
    return (await ledger.markBalanceRead(accountId)).idle ? undefined : { kind: 'in_flight' };
  }

  /** The balance before the request, compared with the books as usual. */
  async function readBefore(instance: Instance): Promise<RecordedFigure | NotNow> {
    const read = await credit.readFresh(instance, 'interactive');
    if (read.kind !== 'ok') return read;
    if (!read.quiet) return { kind: 'in_flight' };
    const needed = await mostCredits(instance);
    return read.credits < needed ? { kind: 'credits', needed, available: read.credits } : read;
  }

  /** The balance after the request, recorded without a comparison: the missing credits are the check's own charge. */
  async function readTwice(
    instance: Instance,
    before: RecordedFigure,
  ): Promise<Pick<Seen, 'after' | 'alone'>> {
    const how = { instance, priority: 'interactive', hasOwnCharge: true } as const;
    const read = async () => (await readBalance(deps, how)).record();
    const first = await read();
    await clock.sleep(READS_APART_MS);
    const reads = [first, await read()].filter((each) => each.kind === 'ok');
    return {
      after: reads.map(({ credits }) => credits),
      alone: reads.every(({ quiet, account }) => quiet && account.activity === before.account.activity),
    };
  }

  async function send(instance: Instance, phone: string, looked: Moment): Promise<Outcome<BulkResult>> {
    if (msSince(clock, looked) > fuseMs) return { outcome: 'not_started', cause: 'too_late' };
    const messages = [phone, NOBODY].map((each) => ({ phone: each, message: CHECK_TEXT }));
    const when = { startBy: looked.steady + fuseMs, deadline: looked.steady + timeoutMs };
    return sms.sendBulk(instances.keyOf(instance), messages, when);
  }

  return {
    progress: async (instance: InstanceView) => (await findCheck(deps, instance)).progress,
    mostCredits,

    /**
     * Sends the two texts in one request, at most once for each `count`. Reads the balance before and after it, so it takes
     * about ten seconds. Keeps no number.
     * @param phone the admin's own phone: digits with the country code
     */
    async begin(
      instance: Instance,
      { count, phone, by }: { count: number; phone: string; by: string },
    ): Promise<Begun> {
      const { state, progress } = await findCheck(deps, instance);
      const isFree = progress.step === 'over' || progress.step === 'broken_off';
      if (progress.count !== count || !isFree) return { kind: 'not_first', progress };
      const before = (await obstacleIn(instance)) ?? (await readBefore(instance));
      if (before.kind !== 'ok') return before;
      // An opt-out is answered after `fuseMs`, so the request must begin within that time of this look.
      const looked = momentNow(clock);
      if (await deps.isOptedOut(instance.team, phone)) return { kind: 'opted_out' };

      const token = randomUUID();
      const rateLimitKey = instance.keyFingerprint;
      const permit = await ledger.permit(rateLimitKey, 'interactive', token);
      if (permit.kind === 'wait') {
        return { kind: 'busy', seconds: Math.max(1, Math.ceil((permit.until - ledger.now()) / 1000)) };
      }
      const own = count + 1;
      // Only one process can make this change, so only one makes the request.
      if (!(await moveCheck(deps, instance, [state, `${own}:sending`], { by }))) {
        await ledger.returnPermit(rateLimitKey, token, 'never_started');
        return { kind: 'not_first', progress: (await findCheck(deps, instance)).progress };
      }
      const at = ledger.now();
      const outcome = await send(instance, phone, looked);
      await ledger.returnPermit(rateLimitKey, token, requestEndOf(outcome));
      const answer = answerOf(outcome);
      const reads = mayHaveSent(answer) ? await readTwice(instance, before) : { after: [], alone: true };
      const finding = { by, at, seen: { ...answer, before: before.credits, ...reads } };
      log.info({ instance: instance.id, ...answer }, 'a check of refused lists was made');
      const step = isConclusive(finding.seen) ? 'asked' : 'over';
      await moveCheck(deps, instance, [`${own}:sending`, `${own}:${step}`], { by, finding });
      return { kind: 'done', progress: { step, count: own, by, finding } };
    },

    /** Ends a check that is `asked`, and sets the rule if the admin chose one. False if somebody ended it before. */
    async end(
      instance: InstanceView,
      { count, arrived, mode, by }: { count: number; arrived: Arrived; mode?: RefusalMode; by: string },
    ): Promise<boolean> {
      const { progress } = await findCheck(deps, instance);
      const found = progress.finding;
      if (!found || progress.step !== 'asked' || progress.count !== count) return false;
      const finding = { ...found, arrived };
      const setRule = async () => mode && deps.refusals.set(instance, mode, by, finding);
      // The safe rule comes first: this process may die in between.
      if (mode === 'unproven') await setRule();
      const details = { by: finding.by, finding };
      if (!(await moveCheck(deps, instance, [`${count}:asked`, `${count}:over`], details))) return false;
      if (mode === 'atomic') await setRule();
      return true;
    },
  };
}
