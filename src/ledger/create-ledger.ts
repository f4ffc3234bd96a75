import type { Steps } from '../store/steps.ts';
import { createAccountLedger } from './accounts/account-ledger.ts';
import { history } from './history/history.ts';
import { createHomeLedger } from './homes/home-ledger.ts';
import type { Ledger } from './ledger.ts';
import { createLookUpLedger } from './look-up/look-up-ledger.ts';
import { firstTime } from './model/once.ts';
import type { LedgerLimits } from './model/types.ts';
import { createOptOutLedger } from './opt-outs/opt-out-ledger.ts';
import { createOutboxLedger } from './outbox/outbox-ledger.ts';
import { createPostingSteps } from './outbox/posting.ts';
import { releaseAllRows } from './outbox/rows-being-posted.ts';
import * as work from './pending-work.ts';
import { createPermitLedger } from './permits/permit-ledger.ts';
import { createRetentionLedger } from './retention/retention-ledger.ts';
import { createRuleLedger } from './rules/rule-ledger.ts';
import { createAttemptLedger } from './sends/attempt-ledger.ts';
import { clampFutureTimes, clampFutureTimesOfUnknowns } from './sends/clamp-future-times.ts';
import { openSendIds, recoverSend } from './sends/recover.ts';
import { createSendLedger } from './sends/send-ledger.ts';
import { createUnknownLedger } from './unknowns/unknown-ledger.ts';

/**
 * The ledger over a store. Every method is one step; methods that go through many sends take one step for each send.
 * Call `takeOver` once, at the start of a process that has the store to itself: all attempts in it belong to a dead
 * process.
 */
export function createLedger(steps: Steps, limits: LedgerLimits): Ledger & { takeOver(): Promise<void> } {
  const posting = createPostingSteps(steps);
  const { run } = posting;
  return {
    ...createSendLedger(run),
    ...createAttemptLedger(run, limits),
    ...createRuleLedger(run),
    ...createUnknownLedger(run),
    ...createPermitLedger(run, limits),
    ...createAccountLedger(run, limits),
    ...createOutboxLedger(posting),
    ...createHomeLedger(run),
    ...createLookUpLedger(run),
    ...createOptOutLedger(run, steps),
    ...createRetentionLedger(run, steps),
    now: steps.now,
    history: (query) => run((view) => history(view, query)),
    openSends: (instance) => run((view) => work.openSends(view, instance)),
    instancesWithWork: (priority) => run((view) => work.instancesWithWork(view, priority)),
    pendingWork: () => run(work.pendingWork),
    firstTime: (key, ttlMs) =>
      run((view) => {
        // Almost every command makes a mark. If a power cut loses one, the cost is a second preview.
        view.allowUnsynced();
        return firstTime(view, { key, ttlMs });
      }),
    backlog: () => run(work.backlog),
    async takeOver() {
      for (const id of await run(openSendIds)) {
        await run((view) => clampFutureTimes(view, id, limits));
        await run((view) => recoverSend(view, id, true));
      }
      await run((view) => clampFutureTimesOfUnknowns(view, limits));
      await run(releaseAllRows);
    },
  };
}
