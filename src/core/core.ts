import type { Announcement } from '../ledger/model/announcement.ts';
import { createApprovals } from './approvals/approvals.ts';
import { startBackground } from './background.ts';
import { createBudgets } from './budgets/budgets.ts';
import type { CoreOptions } from './core-options.ts';
import { createHashNumber } from './history/hash-number.ts';
import { historyDetails } from './history/history-details.ts';
import { historyLines } from './history/history-lines.ts';
import { historyPage } from './history/history-pages.ts';
import { createKeepDays } from './history/keep-days.ts';
import { createLookUp } from './history/look-up.ts';
import { createRetention } from './history/retention.ts';
import { createHomes } from './homes/homes.ts';
import { createJobNews } from './jobs/job-news.ts';
import { joinAccounts } from './join-accounts.ts';
import { joinSending } from './join-sending.ts';
import { createOutbox } from './outbox.ts';
import type { Deliver } from './post-or-retry.ts';
import { onceFor } from './slack-repeats.ts';
import { createTakenBack } from './taken-back.ts';
import { createTeamCore } from './team-core.ts';
import { createWorkspaceRules } from './workspaces/workspace-rules.ts';

/** What the product does, in all workspaces. */
export type Core = ReturnType<typeof createCore>;

/** Core without `forTeam`. */
export type CoreParts = ReturnType<typeof joinParts>;

export type { DueHome } from '../ledger/homes/homes.ts';
export type { OutboxRow } from '../ledger/outbox/outbox-types.ts';

/** Joins the parts of core. Nothing runs before `start`. */
export function createCore(options: CoreOptions) {
  const parts = joinParts(options);
  /** Core as one workspace sees it. Slack works with this part alone. */
  const forTeam = (team: string) => createTeamCore(parts, team);
  return { ...parts, forTeam };
}

function joinParts(options: CoreOptions) {
  const { ledger, log, clock, admins, onReconnect, isOtherServer, onGivenUp, retention: limits } = options;
  const outbox = createOutbox({ ledger, log, onGivenUp });
  const jobNews = createJobNews({ ledger, log });
  const takenBack = createTakenBack({ isOtherServer, clock, log });
  const accounts = joinAccounts(options, jobNews, takenBack);
  onReconnect(accounts.books.doubtAll);
  const rules = createWorkspaceRules(options.records, options);
  const budgets = createBudgets({ ledger, rules, admins });
  const sending = joinSending(options, accounts, { jobNews, budgets, rules, takenBack });
  const { instances, links, credit, refusals, refusalChecks, warnings, statements, drift, optOuts } =
    accounts;
  const { sends, jobs, attempts, dispatch } = sending;
  onReconnect(() => void attempts.writeAgain());
  onReconnect(() => void takenBack.repeat());
  const hashOf = createHashNumber(options.fingerprintSecret);
  const keepDays = createKeepDays(options.records, limits);
  const { repeatGuardMs, scrub } = options;
  const retention = createRetention({ ledger, hashOf, keepDays, limits, repeatGuardMs, scrub, clock, log });
  const approvals = createApprovals({ ledger, links, credit, sends, jobs, admins });
  let background: ReturnType<typeof startBackground> | undefined;

  const { get, list, add, replaceKey, remove } = instances;
  return {
    /** Without `keyOf`: keys go in here, and never come out. */
    instances: { get, list, add, replaceKey, remove },
    links,
    credit,
    refusals,
    refusalChecks,
    warnings,
    statements,
    optOuts,
    sends,
    jobs,
    approvals,
    /** What was sent, with masked numbers. The caller has checked that the person may see the channel. */
    history: {
      page: historyPage.bind(null, ledger),
      details: historyDetails.bind(null, { ledger, sends, jobs }),
      lines: historyLines.bind(null, ledger),
    },
    rules,
    budgets,
    keepDays,
    importOptOuts: sending.importOptOuts,
    lookUp: createLookUp({ ledger, hashOf, limits, clock }),
    /** How many texts the repeat guard held back in a channel within the last 7 days. */
    heldBackLately: ledger.heldBackLately,
    homes: createHomes({
      ledger,
      links,
      instances,
      credit,
      budgets,
      rules,
      jobs,
      approvals,
      statements,
      drift,
      clock,
    }),
    /** The workspace that a send belongs to; undefined if there is no such send. */
    teamOf: async (send: string) => (await ledger.find(send))?.team,
    /** Posts a message that must arrive; the same id again changes it. */
    announce: (row: Announcement) => ledger.announce(row),
    /** The store's clock, in ms since 1970. All times of sends are by it: a bot's own clock may differ. */
    now: ledger.now,
    /** True for the first call with this request within ten minutes: Slack delivers some requests more than once. */
    firstTime(request: string): Promise<boolean> {
      const { key, ttlMs } = onceFor(request);
      return ledger.firstTime(key, ttlMs);
    },
    /** Whether the ledger refuses to record answers. Meanwhile the bot sends nothing new. */
    isBlocked: attempts.isBlocked,
    /** Begins the rounds. `deliver` posts an outbox row; `onHomeDue` is called when a Home may be out of date. */
    start(deliver: Deliver, onHomeDue: () => void = () => undefined): void {
      outbox.start(deliver);
      background = startBackground(options, accounts, sending, { outbox, onHomeDue, retention });
    },
    /** Takes no new work. Resolves when every request in flight is settled, and its message posted. */
    async stop(): Promise<void> {
      await Promise.all([background?.stop(), dispatch.drain()]);
      await outbox.drain();
    },
  };
}
