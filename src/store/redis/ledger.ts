import type { Ledger, LedgerLimits } from '../ledger.ts';
import {
  accountsWithUnknowns,
  evidenceCaseOf,
  findAccount,
  fundsOf,
  markRead,
  spentAt,
  takeBalance,
  writeEvidence,
} from './accounts.ts';
import { backlogOf } from './backlog.ts';
import type { Context } from './context.ts';
import { appendChunksTo, decideSend, draftSend, expireDraftsOf } from './drafts.ts';
import { settleAttempt, takeNext } from './intents.ts';
import {
  findEpisode,
  isFirstTime,
  keepRow,
  markRowPosted,
  moveEpisodeTo,
  nextDueAt,
  postRowLater,
  takeDueRow,
  writeAnnouncement,
} from './outbox.ts';
import { endPermit, takePermit } from './permits.ts';
import { recoverChunks } from './recover.ts';
import type { Runner } from './run.ts';
import {
  amendSend,
  chunksOf,
  findSend,
  findTally,
  instancesWithWork,
  openSendsOf,
  pauseSend,
  resumeSend,
  stopSend,
} from './sends.ts';
import { saySentOf, unknownChunks } from './unknowns.ts';

/**
 * The shared ledger, for any number of processes on one Redis. Each step is one script, or a read and then one script
 * that writes only if nothing moved in between; Redis's own clock decides. A step that Redis does not answer in time
 * throws, and Redis itself refuses it from then on: what was given up does not happen later.
 */
export function createRedisLedger(runner: Runner, limits: LedgerLimits): Ledger {
  const context: Context = { runner, limits, begun: new Map() };
  return {
    now: runner.now,

    draft: (send) => draftSend(context, send),
    appendChunks: (id, chunks) => appendChunksTo(context, id, chunks),
    find: (id) => findSend(context, id),
    chunks: (id, part) => chunksOf(context, id, part),
    tally: (id) => findTally(context, id),
    decide: (id, decision) => decideSend(context, id, decision),
    pause: (id, reason) => pauseSend(context, id, reason),
    resume: (id, details) => resumeSend(context, id, details),
    amend: (id, details) => amendSend(context, id, details),
    stop: (id) => stopSend(context, id),
    expireDrafts: (team, place) => expireDraftsOf(context, team, place),
    openSends: (instance) => openSendsOf(context, instance),
    instancesWithWork: (audience) => instancesWithWork(context, audience),

    take: (request) => takeNext(context, request),
    settle: (ref, token, settlement) => settleAttempt(context, ref, token, settlement),
    recover: () => recoverChunks(context),
    saySent: (chunks, by) => saySentOf(context, chunks, by),
    unknowns: (team) => unknownChunks(context, team),

    permit: (lane, audience, token) => takePermit(context, lane, audience, token),
    returnPermit: (token, request) => endPermit(context, token, request),

    account: (id) => findAccount(context, id),
    funds: (account, before) => fundsOf(context, account, before),
    spent: (team, place, since) => spentAt(context, team, place, since),
    markBalanceRead: (account) => markRead(context, account),
    recordBalance: (marker, credits) => takeBalance(context, marker, credits),
    evidenceCase: (account) => evidenceCaseOf(context, account),
    accountsWithUnknowns: () => accountsWithUnknowns(context),
    recordEvidence: (marker, credits, evidence) => writeEvidence(context, marker, credits, evidence),

    episode: (name) => findEpisode(context, name),
    moveEpisode: (name, from, to, details, ...announcements) =>
      moveEpisodeTo(context, name, from, to, details, announcements),

    announce: (announcement) => writeAnnouncement(context, announcement),
    takeDue: (token, leaseMs) => takeDueRow(context, token, leaseMs),
    keepPosting: (id, token, leaseMs) => keepRow(context, id, token, leaseMs),
    nextDue: () => nextDueAt(context),
    markPosted: (id, token, posted) => markRowPosted(context, id, token, posted),
    postLater: (id, token, waitMs) => postRowLater(context, id, token, waitMs),

    firstTime: (key, ttlMs) => isFirstTime(context, key, ttlMs),
    backlog: () => backlogOf(context),
  };
}
