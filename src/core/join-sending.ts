import type { Priority } from '../ledger/model/ledger-limits.ts';
import type { SendRecord } from '../ledger/model/send-record.ts';
import type { Instance } from './accounts/instances.ts';
import type { Budgets } from './budgets/budgets.ts';
import type { CoreOptions } from './core-options.ts';
import { createAfterSettled } from './dispatch/after-settled.ts';
import { createAttempts } from './dispatch/attempts.ts';
import { createAttendance } from './dispatch/attendance.ts';
import { createDispatch } from './dispatch/dispatch.ts';
import { createFunds } from './dispatch/funds.ts';
import type { JobNews } from './jobs/job-news.ts';
import { createJobReads } from './jobs/job-reads.ts';
import { createJobs } from './jobs/jobs.ts';
import type { Accounts } from './join-accounts.ts';
import { createListChecker } from './lists/checker.ts';
import { createOptOutImport } from './opt-outs/import-opt-outs.ts';
import { createWordsOf } from './sends/same-words.ts';
import { createSends } from './sends/sends.ts';
import { createShortMemory } from './short-cache.ts';
import type { TakenBack } from './taken-back.ts';
import type { RulesOfWorkspaces } from './workspaces/workspace-rules.ts';

/** How long a bot remembers when somebody confirmed a text, in ms: longer than a text may wait. */
const CONFIRMED_HERE_MS = 900_000;

/** What people send, and what carries it out. */
export type Sending = ReturnType<typeof joinSending>;

export function joinSending(
  options: CoreOptions,
  accounts: Accounts,
  {
    jobNews,
    budgets,
    rules,
    takenBack,
  }: { jobNews: JobNews; budgets: Budgets; rules: RulesOfWorkspaces; takenBack: TakenBack },
) {
  const { ledger, sms, limits, bulk, draftTtlMs, listUndoMs, clock, log } = options;
  const { instances, links, prices, warnings, keyHealth, refusals, books, credit, optOuts } = accounts;
  const wordsOf = createWordsOf(options.fingerprintSecret, options.repeatGuardMs);
  const confirmedHere = createShortMemory<number>(CONFIRMED_HERE_MS, clock.steady);
  const funds = createFunds({ ledger, credit, prices, clock });
  const attendance = createAttendance({ ledger, books, credit, jobNews, clock, log });
  /** If an `atomic` provider charged for a refused list after all, the balance shows it, now or a little later. */
  async function onJobEnded(instance: Instance): Promise<void> {
    if ((await refusals.of(instance)).mode !== 'atomic') return;
    await refusals.watch(instance.accountId);
    await credit.readFresh(instance, 'background');
  }
  const afterSettled = createAfterSettled({ ledger, prices, keyHealth, warnings, jobNews, onJobEnded });
  const attempts = createAttempts({
    ledger,
    sms,
    refusals,
    funds,
    optOuts,
    wordsOf,
    confirmedHere,
    limits,
    clock,
    log,
    onSettled(instance, settled) {
      options.onSettled?.(settled.chunk, settled.settlement);
      return afterSettled(instance, settled);
    },
  });
  const dispatch = createDispatch({
    ledger,
    instances,
    attempts,
    funds,
    attendance,
    books,
    leaseMs: limits.leaseMs,
    clock,
    log,
  });

  const wakeFor = (priority: Priority) => async (send: Pick<SendRecord, 'team' | 'instance'>) =>
    dispatch.wake(send.team, send.instance, priority);
  const checker = createListChecker({ log });
  const common = {
    ledger,
    links,
    credit,
    books,
    budgets,
    prices,
    optOuts,
    wordsOf,
    takenBack,
    limits,
    draftTtlMs,
    clock,
  };
  const sends = createSends({
    ...common,
    onRunning(send, confirmedAt) {
      confirmedHere.set(send.id, confirmedAt);
      return wakeFor('interactive')(send);
    },
  });
  const jobs = createJobs({
    ...common,
    instances,
    checker,
    reads: createJobReads({ ledger, limits, instances }),
    bulk,
    repeatGuardMs: options.repeatGuardMs,
    listUndoMs,
    optOutTextOf: async (team) => (await rules.of(team)).optOutText,
    onRunning: wakeFor('background'),
    jobNews,
  });
  const importOptOuts = createOptOutImport({ checker, optOuts });
  return { attendance, attempts, dispatch, importOptOuts, sends, jobs };
}
