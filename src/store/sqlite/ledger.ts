import { uptime } from 'node:os';
import type { Ledger, LedgerLimits } from '../ledger.ts';
import { hasEnded, isTurnedAway } from '../transitions.ts';
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
import { chunksOf } from './chunks.ts';
import type { Context } from './context.ts';
import { appendToDraft, decideSend, draftSend, expireDraftsOf } from './drafts.ts';
import { findEpisode, moveEpisodeTo } from './episodes.ts';
import { settleAttempt, takeNext } from './intents.ts';
import { mendTimes } from './mend-times.ts';
import type { Database } from './open.ts';
import {
  announceEnd,
  keepRow,
  markRowPosted,
  nextDueAt,
  postRowLater,
  reviveRows,
  takeDueRow,
  writeAnnouncement,
} from './outbox.ts';
import { endPermit, takePermit } from './permits.ts';
import { recoverChunks } from './recover.ts';
import { forgetRepeats, isFirstTime } from './repeats.ts';
import { rest } from './rests.ts';
import {
  amendSend,
  findSend,
  instancesWithWork,
  openSendsOf,
  pauseSend,
  resumeSend,
  stopSend,
  tallyOf,
} from './sends.ts';
import { saySentOf, unknownChunks } from './unknowns.ts';

/** A difference between uptime and the steady clock that is no sleep, in ms: uptime is coarse. */
const LEAST_SLEEP_MS = 1000;

/** The system is asked for its uptime so often at most, in ms: a step asks for the time many times over. */
const LOOK_EVERY_MS = 5;

/**
 * A clock of milliseconds since 1970 that follows time as it passes, whatever happens to the wall clock: steady, and
 * moved on by what the machine slept, which the system's uptime counts and the steady clock does not.
 */
export function createSteadyClock(): () => number {
  const start = { steady: performance.now(), uptime: uptime() * 1000 };
  let slept = 0;
  let lookedAt = start.steady;
  return () => {
    const steady = performance.now();
    if (steady - lookedAt >= LOOK_EVERY_MS) {
      lookedAt = steady;
      const missed = uptime() * 1000 - start.uptime - (steady - start.steady);
      if (missed - slept > LEAST_SLEEP_MS) slept = missed;
    }
    return performance.timeOrigin + steady + slept;
  };
}

/**
 * The embedded ledger, for one process: SQLite runs each step in one IMMEDIATE transaction, synced before it returns.
 * Call `takeOver()` once, at start and with the data folder locked: whatever was in flight belonged to a process that
 * is dead.
 */
export function createSqliteLedger(
  db: Database,
  limits: LedgerLimits,
  now: () => number = createSteadyClock(),
): Ledger & { takeOver(): void } {
  const context: Context = { db, limits, now };
  return {
    now,
    takeOver() {
      mendTimes(context);
      recoverChunks(context, true);
      reviveRows(context);
    },

    draft: async (send) => draftSend(context, send),
    appendChunks: async (id, chunks) => appendToDraft(context, id, chunks),
    find: async (id) => findSend(context, id),
    chunks: async (id, part) => chunksOf(context, id, part),
    tally: async (id) => tallyOf(context, id),
    decide: async (id, decision) => decideSend(context, id, decision),
    pause: async (id, reason) => pauseSend(context, id, reason),
    resume: async (id, details) => resumeSend(context, id, details),
    amend: async (id, details) => amendSend(context, id, details),
    stop: async (id) => stopSend(context, id),
    expireDrafts: async (team, place) => expireDraftsOf(context, team, place),
    openSends: async (instance) => openSendsOf(context, instance),
    instancesWithWork: async (audience) => instancesWithWork(context, audience),

    take: async (request) => takeNext(context, request),
    settle: async (ref, token, settlement) => settleAttempt(context, ref, token, settlement),
    async recover() {
      recoverChunks(context, false);
      forgetRepeats(context);
    },
    saySent: async (chunks, by) => saySentOf(context, chunks, by),
    unknowns: async (team) => unknownChunks(context, team),

    // A balance read spends nothing. What a power cut takes of it is a permit or a rest, and the service's next 429 makes
    // up for those; or a figure, and what was written after it goes with it.
    async permit(lane, audience, token) {
      const wait = db.unsynced(() => db.transaction(() => takePermit(context, lane, audience, token)));
      return wait ?? { kind: 'taken' };
    },
    async returnPermit(token, request) {
      db.unsynced(() =>
        db.transaction(() => {
          endPermit(context, token, request);
          if (isTurnedAway(request)) rest(context, token, request);
        }),
      );
    },

    account: async (id) => findAccount(context, id),
    funds: async (account, before) => fundsOf(context, account, before),
    spent: async (team, place, since) => spentAt(context, team, place, since),
    markBalanceRead: async (account) => markRead(context, account),
    recordBalance: async (marker, credits) => db.unsynced(() => takeBalance(context, marker, credits)),
    evidenceCase: async (account) => evidenceCaseOf(context, account),
    accountsWithUnknowns: async () => accountsWithUnknowns(context),
    recordEvidence: async (marker, credits, evidence) =>
      db.transaction(() => {
        const touched = writeEvidence(context, marker, credits, evidence);
        for (const id of touched ?? []) {
          const send = findSend(context, id);
          if (send && (hasEnded(send) || send.kind === 'job')) announceEnd(context, send);
        }
        return touched !== undefined;
      }),

    episode: async (name) => findEpisode(context, name),
    moveEpisode: async (name, from, to, details, ...announcements) =>
      moveEpisodeTo(context, name, from, to, details, announcements),

    announce: async (announcement) => writeAnnouncement(context, announcement),
    takeDue: async (token, leaseMs) => takeDueRow(context, token, leaseMs),
    keepPosting: async (id, token, leaseMs) => keepRow(context, id, token, leaseMs),
    nextDue: async () => nextDueAt(context),
    markPosted: async (id, token, posted) => markRowPosted(context, id, token, posted),
    postLater: async (id, token, waitMs) => postRowLater(context, id, token, waitMs),

    firstTime: async (key, ttlMs) => isFirstTime(context, key, ttlMs),
    backlog: async () => backlogOf(context),
  };
}
