import type { Steps } from '../store/steps.ts';
import { accountBooks, accountStatement } from './account-days.ts';
import * as balances from './balances.ts';
import { prefetchBudget } from './budgets.ts';
import { clampFutureTimes, clampFutureTimesOfUnknowns } from './clamp-future-times.ts';
import { budgets, sends } from './documents.ts';
import * as draftChunks from './draft-chunks.ts';
import * as drafts from './drafts.ts';
import { erase } from './erase.ts';
import * as evidence from './evidence.ts';
import { exportTeam } from './export-team.ts';
import { heldBackLately } from './held-back.ts';
import { history } from './history.ts';
import * as homes from './homes.ts';
import * as jobs from './jobs.ts';
import type { Ledger } from './ledger.ts';
import { endPermit, takePermit } from './lone-permits.ts';
import { changeState, namedState } from './named-states.ts';
import * as numbers from './numbers.ts';
import * as optOuts from './opt-outs.ts';
import * as outbox from './outbox.ts';
import * as work from './pending-work.ts';
import { createPostingSteps } from './posting.ts';
import { findChunks, messagesOfJobChunk, sendWithFirstChunk } from './read-chunks.ts';
import { deleteExpiredMarks, openSendIds, recoverSend, sendsToRecover } from './recover.ts';
import * as guard from './repeat-guard.ts';
import { firstTime } from './repeats.ts';
import * as retention from './retention.ts';
import { settle } from './settle.ts';
import { spentSince } from './spending.ts';
import { take } from './take.ts';
import { emptyCounts, tallyOf } from './tally.ts';
import type { ChunkRecord, ChunkState, LedgerLimits } from './types.ts';
import { undo } from './undo.ts';
import * as unknowns from './unknowns.ts';

/** Chunks that are read at once. */
const PAGE = 100;

/**
 * The ledger over a store. Every method is one step, but for those that go through many sends: there each send is one.
 * `takeOver` is for the only process on a store, once, at its start: whatever was on its way belonged to a process that
 * is dead.
 */
export function createLedger(steps: Steps, limits: LedgerLimits): Ledger & { takeOver(): Promise<void> } {
  const { run, postWith } = createPostingSteps(steps);
  const inTurn = (rateLimitKey: string) => `key ${rateLimitKey}`;
  /** The keys of this process's attempts, by token. A settlement waits in its key's queue, so it does not conflict with takes. */
  const rateLimitKeys = new Map<string, string>();

  /** A send's chunks, a page at a time. */
  async function chunksOf(
    id: string,
    {
      from = 0,
      limit = Number.POSITIVE_INFINITY,
      state,
    }: { from?: number; limit?: number; state?: ChunkState },
  ): Promise<ChunkRecord[]> {
    const found: ChunkRecord[] = [];
    const count = await run((view) => view.get(sends, id)?.work.chunks ?? 0);
    for (let first = from; first < count && found.length < limit; first += PAGE) {
      const most = state === undefined ? limit - found.length : PAGE;
      const indexes = Array.from({ length: Math.min(PAGE, most, count - first) }, (_, i) => first + i);
      const page = await run((view) => findChunks(view, id, indexes, state));
      found.push(...page.map(({ record }) => record));
    }
    return found.slice(0, limit);
  }

  return {
    now: steps.now,

    draft: (send) =>
      run((view) => {
        drafts.draft(view, send);
        return sendWithFirstChunk(view, send.id);
      }),
    appendChunks: (id, chunks, repeats) => run((view) => draftChunks.appendChunks(view, id, chunks, repeats)),
    appendLeftOut: (id, parts) => run((view) => draftChunks.appendLeftOut(view, id, parts)),
    find: (id) => run((view) => view.get(sends, id)?.record),
    findWithFirstChunk: (id) => run((view) => sendWithFirstChunk(view, id)),
    chunks: (id, part = {}) => chunksOf(id, part),
    tally: (id) => run((view) => tallyOf(view.get(sends, id)?.tally ?? emptyCounts())),
    history: (query) => run((view) => history(view, query)),
    // Those that count in the same periods would conflict: they share a commit.
    decide: (id, decision) =>
      run(
        (view) => drafts.decide(view, id, decision),
        decision.budget && `budget ${decision.budget.periods[0]?.id}`,
      ),
    awaitingApproval: (team) => run((view) => drafts.awaitingApproval(view, team)),
    sameWords: (team, hash) => run((view) => guard.sameWords(view, team, hash)),
    heldBackLately: (team, channelId) => run((view) => heldBackLately(view, team, channelId)),
    whichRepeat: async (team, hashes) => new Set(await run((view) => guard.whichRepeat(view, team, hashes))),
    claimChunk: (send, attempt) => run((view) => guard.claimChunk(view, send, attempt), 'words'),
    pause: (id, reason) => run((view) => jobs.pause(view, id, reason)),
    resume: (id, details) => run((view) => jobs.resume(view, id, details)),
    mergeDetails: (id, details) => run((view) => jobs.mergeDetails(view, id, details)),
    stop: (id) => run((view) => jobs.stop(view, id)),
    undo: (id, by) => run((view) => undo(view, id, by)),
    expireDrafts: (team, channelId) => run((view) => drafts.expireDrafts(view, team, channelId)),
    openSends: (instance) => run((view) => work.openSends(view, instance)),
    instancesWithWork: (priority) => run((view) => work.instancesWithWork(view, priority)),

    pendingWork: () => run(work.pendingWork),

    async take(request) {
      const taken = await run((view) => take(view, request, limits), inTurn(request.rateLimitKey));
      if (taken.kind !== 'taken') return taken;
      const { chunk } = taken;
      const messages =
        chunk.messages.length > 0
          ? chunk.messages
          : await run((view) => messagesOfJobChunk(view, chunk), 'texts');
      rateLimitKeys.set(request.token, request.rateLimitKey);
      return { ...taken, chunk: { ...chunk, messages } };
    },
    settle(ref, token, settlement) {
      const rateLimitKey = rateLimitKeys.get(token);
      rateLimitKeys.delete(token);
      const queue = rateLimitKey === undefined ? 'settlements' : inTurn(rateLimitKey);
      return run((view) => settle(view, { ref, token, settlement }, limits), queue);
    },
    async recover() {
      for (const id of await run(sendsToRecover)) await run((view) => recoverSend(view, id, false));
      while (await run(deleteExpiredMarks));
    },
    async takeOver() {
      for (const id of await run(openSendIds)) {
        await run((view) => clampFutureTimes(view, id, limits));
        await run((view) => recoverSend(view, id, true));
      }
      await run((view) => clampFutureTimesOfUnknowns(view, limits));
      await run(outbox.releaseAllRows);
    },
    saySent: (chunks, by) => run((view) => unknowns.saySent(view, chunks, by)),
    unknowns: (team) => run((view) => unknowns.unknowns(view, team)),
    undecided: () => run(unknowns.undecided),

    permit: (rateLimitKey, priority, token) =>
      run(
        (view) => takePermit(view, { rateLimitKey, priority, token }, limits) ?? { kind: 'taken' },
        inTurn(rateLimitKey),
      ),
    permitBalanceRead: (account, request) =>
      run((view) => balances.permitBalanceRead(view, account, request, limits), inTurn(request.rateLimitKey)),
    returnPermit: (rateLimitKey, token, request) =>
      run((view) => endPermit(view, { rateLimitKey, token }, request, limits), inTurn(rateLimitKey)),

    account: (id) => run((view) => balances.account(view, id)),
    funds: (account, before) => run((view) => balances.funds(view, account, before)),
    spentSince: (team, channelId, since) => run((view) => spentSince(view, team, channelId, since)),
    budgets: (ids) =>
      run((view) => {
        prefetchBudget(view, ids);
        return ids.map((id) => view.get(budgets, id));
      }),
    markBalanceRead: (account) => run((view) => balances.markBalanceRead(view, account)),
    recordBalance: (marker, credits) =>
      run(
        (view) => balances.recordBalance(view, marker, credits, limits),
        marker.permit && inTurn(marker.permit.rateLimitKey),
      ),
    accountBooks: (account, days) => run((view) => accountBooks(view, account, days)),
    accountStatement: (account, days) => run((view) => accountStatement(view, account, days)),
    evidenceCase: (account) => run((view) => evidence.evidenceCase(view, account)),
    recordEvidence: (marker, credits, found) =>
      run((view) => evidence.recordEvidence(view, marker, credits, found)),

    namedState: (name) => run((view) => namedState(view, name)),
    accountWithState: (id, name) => run((view) => balances.accountWithState(view, id, name)),
    changeState: (name, change) => run((view) => changeState(view, name, change)),

    announce: (announcement) => run((view) => outbox.announce(view, announcement)),
    postWith,
    takeDue: (token, leaseMs) => run((view) => outbox.takeDue(view, token, leaseMs), 'outbox'),
    extendPosting: (id, token, leaseMs) => run((view) => outbox.extendPosting(view, id, token, leaseMs)),
    nextDueAt: () => run(outbox.nextDueAt),
    markPosted: (id, token, posted) => run((view) => outbox.markPosted(view, id, token, posted), 'outbox'),
    postLater: (id, token, waitMs) => run((view) => outbox.postLater(view, id, token, waitMs), 'outbox'),

    firstTime: (key, ttlMs) =>
      run((view) => {
        // A mark that a power cut takes away costs a second preview, and almost every command makes one.
        view.allowUnsynced();
        return firstTime(view, { key, ttlMs });
      }),
    openHome: (owner) => run((view) => homes.openHome(view, owner)),
    takeDueHomes: () => run(homes.takeDueHomes, 'homes'),
    noteHome: (owner, shown) => run((view) => homes.noteHome(view, owner, shown), 'homes'),
    forgetHome: (owner) => run((view) => homes.forgetHome(view, owner), 'homes'),

    backlog: () => run(work.backlog),

    listNumbers: (hashOf) => run((view) => numbers.listNumbers(view, hashOf), 'numbers'),
    lookUp: (team, hash, since) => run((view) => numbers.lookUp(view, team, hash, since)),
    teamsInLookUp: () => run(numbers.teamsInLookUp),
    forgetNumber: (team, hash) => run((view) => numbers.forgetNumber(view, team, hash), 'numbers'),
    deleteOldEntries: (before, due) => run((view) => numbers.deleteOldEntries(view, before, due), 'numbers'),

    changeOptOuts: (request) => run((view) => optOuts.changeOptOuts(view, request), 'opt-outs'),
    optOut: (team, hash) => run((view) => optOuts.optOut(view, team, hash)),
    whichOptedOut: (team, hashes) => run((view) => optOuts.whichOptedOut(view, team, hashes)),
    listOptOuts: (team, page) => run((view) => optOuts.listOptOuts(view, team, page)),
    countOptOuts: (team) => run((view) => optOuts.countOptOuts(view, team)),
    teamsWithOptOuts: () => run(optOuts.teamsWithOptOuts),
    eraseOptOut: (team, hash) => run((view) => optOuts.eraseOptOut(view, team, hash), 'opt-outs'),
    deleteOldOptIns: (before) => run((view) => optOuts.deleteOldOptIns(view, before), 'opt-outs'),
    forgetOptOuts: () => optOuts.forgetOptOuts(steps),
    resealOptOuts: (renew) => optOuts.resealOptOuts(steps, renew),

    erase: (phone, how) => erase(steps, phone, how),
    exportTeam: (team, accounts) => exportTeam(steps, team, accounts),

    nextKept: (team) => run((view) => retention.nextKept(view, team)),
    forgetEnded: (request) => run((view) => retention.forgetEnded(view, request), 'retention'),
    forgetUndecided: (endedBefore, remains) =>
      run((view) => retention.forgetUndecided(view, endedBefore, remains), 'retention'),
    deleteForgotten: (endedBefore) =>
      run((view) => retention.deleteForgotten(view, endedBefore), 'retention'),
    deleteBudgets: (endedBefore) => run((view) => retention.deleteBudgets(view, endedBefore), 'retention'),
    deleteOver: (before, slackMs) => run((view) => retention.deleteOver(view, before, slackMs), 'retention'),
  };
}
