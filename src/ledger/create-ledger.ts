import type { Steps } from '../store/steps.ts';
import { createAccountLedger } from './accounts/account-ledger.ts';
import { history } from './history/history.ts';
import { createHomeLedger } from './homes/home-ledger.ts';
import { createLookUpLedger } from './look-up/look-up-ledger.ts';
import { asMethods } from './model/as-methods.ts';
import type { LedgerLimits } from './model/ledger-limits.ts';
import { firstTime } from './model/once.ts';
import { createOptOutLedger } from './opt-outs/opt-out-ledger.ts';
import { createOutboxLedger } from './outbox/outbox-ledger.ts';
import { createPostingSteps } from './outbox/posting.ts';
import { releaseAllRows } from './outbox/rows-being-posted.ts';
import { backlog, instancesWithWork, openSends, pendingWork } from './pending-work.ts';
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
export function createLedger(steps: Steps, limits: LedgerLimits) {
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
    ...asMethods(run, { history, openSends, instancesWithWork, pendingWork, backlog }),
    /** The store's clock. */
    now: steps.now,
    /** True for the first caller of a key within its time to live: the others are repeats. */
    firstTime: (key: string, ttlMs: number) =>
      run((view) => {
        // Almost every command makes a mark. If a power cut loses one, the cost is a second preview.
        view.allowUnsynced();
        return firstTime(view, { key, ttlMs });
      }),
    async takeOver(): Promise<void> {
      for (const id of await run(openSendIds)) {
        await run((view) => clampFutureTimes(view, id, limits));
        await run((view) => recoverSend(view, id, true));
      }
      await run((view) => clampFutureTimesOfUnknowns(view, limits));
      await run(releaseAllRows);
    },
  };
}
