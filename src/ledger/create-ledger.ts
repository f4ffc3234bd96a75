import type { Steps } from '../store/steps.ts';
import { accountBooks, accountStatement } from './accounts/account-days.ts';
import type { BalanceMarker } from './accounts/account-types.ts';
import { account, funds, markBalanceRead, permitBalanceRead, recordBalance } from './accounts/balances.ts';
import {
  accountWithState,
  changeState,
  endStates,
  isStateDamaged,
  namedState,
} from './accounts/named-states.ts';
import { spentSince } from './accounts/spending.ts';
import { exportTeam } from './export-team.ts';
import { history } from './history/history.ts';
import { forgetHome, noteHome, openHome, releaseHomes, takeDueHomes } from './homes/homes.ts';
import { deleteOldEntries, forgetNumber, listNumbers, lookUp, teamsInLookUp } from './look-up/numbers.ts';
import { asMethods } from './model/as-methods.ts';
import type { PermitRequest, RequestEnd, Wait } from './model/attempt-types.ts';
import type { Json } from './model/json.ts';
import type { LedgerLimits, Priority } from './model/ledger-limits.ts';
import { firstTime } from './model/once.ts';
import type { RenewSealed } from './opt-outs/opt-out-documents.ts';
import {
  changeOptOuts,
  countOptOuts,
  eraseOptOut,
  forgetOptOuts,
  listOptOuts,
  optOut,
  resealOptOuts,
  teamsWithOptOuts,
  whichOptedOut,
} from './opt-outs/opt-outs.ts';
import { announce } from './outbox/announce.ts';
import { createPostingSteps } from './outbox/posting.ts';
import {
  extendPosting,
  LONGEST_POST_MS,
  markPosted,
  postLater,
  releaseRows,
} from './outbox/rows-being-posted.ts';
import { nextDueAt, takeDue } from './outbox/take-rows.ts';
import { backlog, instancesWithWork, openSends, pendingWork } from './pending-work.ts';
import { endPermit, queueOfKey, takePermit } from './permits/lone-permits.ts';
import { deleteDamaged } from './retention/delete-damaged.ts';
import { deleteForgotten, deleteOver } from './retention/delete-old.ts';
import { type Erasure, erase } from './retention/erase.ts';
import { forgetEnded, forgetUndecided, nextKept } from './retention/forget-ended.ts';
import { findPeriods } from './rules/budget-rules.ts';
import { claimChunk, claimLost, sameWords, whichRepeat } from './rules/repeat-guard.ts';
import { heldBackLately } from './rules/repeats-held-back.ts';
import { createAttemptLedger } from './sends/attempt-ledger.ts';
import {
  clampFutureTimes,
  clampFutureTimesOfUnknowns,
  isSetBack,
  SLACK_MS,
} from './sends/clamp-future-times.ts';
import { openSendIds, recoverSend } from './sends/recover.ts';
import { createSendLedger } from './sends/send-ledger.ts';
import { leaveUnknown, saySent } from './unknowns/decide-unknown.ts';
import { evidenceCase, recordEvidence } from './unknowns/evidence.ts';
import { countUndecided, undecided, unknowns } from './unknowns/list-unknowns.ts';
import { sentAfterAll } from './unknowns/resends.ts';

/**
 * The ledger over a store. Every method is one step; methods that go through many sends take one step for each send.
 * Steps that would conflict share a queue: in this process they follow each other. A process that has the store to
 * itself calls `takeOver` once, at its start. All attempts in the store are then a dead process's.
 */
export function createLedger(steps: Steps, limits: LedgerLimits) {
  const { run, postWith } = createPostingSteps(steps);

  /** How far the store's clock was ahead of the steady one at the last look. */
  let aheadMs = Number.NEGATIVE_INFINITY;

  /** `isDead`: the process that made the attempts, and posted the rows, is dead. */
  async function clampAndRecover(isDead: boolean): Promise<void> {
    for (const id of await run(openSendIds)) {
      await run((view) => {
        clampFutureTimes(view, id, { ...limits, isDead });
        // Nobody has compared the books yet, so `recover` ends what waits.
        if (isDead) recoverSend(view, id, { isDead, judge: () => 'wait' });
      });
    }
    await run((view) => clampFutureTimesOfUnknowns(view, limits));
    await run((view) => releaseRows(view, isDead ? 0 : LONGEST_POST_MS));
    await run(releaseHomes);
  }

  return {
    ...createSendLedger(run),
    ...createAttemptLedger(run, limits),
    ...asMethods(run, { history, openSends, instancesWithWork, pendingWork, backlog }),
    /** The store's clock. */
    now: steps.now,
    /** True for the first caller of a key within its time to live. The others are repeats. */
    firstTime: (key: string, ttlMs: number) =>
      run((view) => {
        // Almost every command makes a mark. If a power cut loses one, the cost is a second preview.
        view.allowUnsynced();
        return firstTime(view, { key, ttlMs });
      }),
    /** As `firstTime`, but written as safely as an intent: rejects if nothing could be sent now. */
    tryToWrite: (key: string, ttlMs: number) => run((view) => firstTime(view, { key, ttlMs })),
    takeOver: () => clampAndRecover(true),
    /**
     * If somebody has set the store's clock back, nothing waits for the old time to come again. Bots may be at work.
     * Resolves to whether somebody has.
     */
    async clampTimes(): Promise<boolean> {
      const nowAheadMs = steps.now() - performance.now();
      const isBack = aheadMs - nowAheadMs > SLACK_MS || (await run(isSetBack));
      if (isBack) await clampAndRecover(false);
      aheadMs = nowAheadMs;
      return isBack;
    },

    // Permits for requests that carry no chunk.
    permit: (rateLimitKey: string, priority: Priority, token: string) =>
      run<{ kind: 'taken' } | Wait>(
        (view) => takePermit(view, { rateLimitKey, priority, token }, limits) ?? { kind: 'taken' },
        queueOfKey(rateLimitKey),
      ),
    /** After a 429 the key rests. */
    returnPermit: (rateLimitKey: string, token: string, request: RequestEnd) =>
      run((view) => endPermit(view, { rateLimitKey, token }, request, limits), queueOfKey(rateLimitKey)),

    // Accounts: balances, books, statements.
    ...asMethods(run, { account, accountWithState, funds, markBalanceRead }),
    ...asMethods(run, { spentSince, accountBooks, accountStatement }),
    permitBalanceRead: (id: string, request: PermitRequest) =>
      run((view) => permitBalanceRead(view, id, request, limits), queueOfKey(request.rateLimitKey)),
    recordBalance: (marker: BalanceMarker, credits: number) =>
      run(
        (view) => recordBalance(view, marker, credits, limits),
        marker.permit && queueOfKey(marker.permit.rateLimitKey),
      ),

    // Unknown chunks: evidence, and what people say.
    ...asMethods(run, { saySent, leaveUnknown, sentAfterAll, unknowns, undecided, countUndecided }),
    ...asMethods(run, { evidenceCase, recordEvidence }),

    // Budgets and the repeat guard.
    ...asMethods(run, { sameWords, whichRepeat, heldBackLately, claimLost }),
    ...asMethods(run, { claimChunk }, 'words'),
    ...asMethods(run, { findPeriods }),

    // Messages to Slack that must arrive, and named states.
    postWith,
    ...asMethods(run, { announce, nextDueAt, extendPosting }),
    ...asMethods(run, { namedState, isStateDamaged, changeState, endStates }),
    ...asMethods(run, { takeDue, postLater }, 'outbox'),
    markPosted: (id: string, token: string, posted: Json, againMs?: number) =>
      run((view) => markPosted(view, id, token, { posted, againMs }), 'outbox'),

    // Homes that are open.
    ...asMethods(run, { openHome }),
    ...asMethods(run, { takeDueHomes, noteHome, forgetHome }, 'homes'),

    // The look-up by number.
    ...asMethods(run, { lookUp, teamsInLookUp }),
    ...asMethods(run, { listNumbers, forgetNumber, deleteOldEntries }, 'numbers'),

    // Numbers that must get no texts.
    ...asMethods(run, { optOut, whichOptedOut, listOptOuts, countOptOuts, teamsWithOptOuts }),
    ...asMethods(run, { changeOptOuts, eraseOptOut }, 'opt-outs'),
    forgetOptOuts: () => forgetOptOuts(steps),
    resealOptOuts: (renew: RenewSealed) => resealOptOuts(steps, renew),

    // Retention, erasure, export.
    ...asMethods(run, { nextKept }),
    ...asMethods(
      run,
      { forgetEnded, forgetUndecided, deleteDamaged, deleteForgotten, deleteOver },
      'retention',
    ),
    erase: (phone: string, how: Erasure) => erase(steps, phone, how),
    exportTeam: (team: string, accounts: string[]) => exportTeam(steps, team, accounts),
  };
}
