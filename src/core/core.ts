import type { Announcement } from '../ledger/model/announcement.ts';
import type { Credit } from './accounts/credit.ts';
import type { DriftWatch } from './accounts/drift.ts';
import type { Instances } from './accounts/instances.ts';
import type { Links } from './accounts/links.ts';
import type { Warnings } from './accounts/low-credit-warnings.ts';
import type { RefusalChecks } from './accounts/refusal-check.ts';
import type { Refusals } from './accounts/refusals.ts';
import type { Statements } from './accounts/statements.ts';
import { type Approvals, createApprovals } from './approvals/approvals.ts';
import { startBackground } from './background.ts';
import { type Budgets, createBudgets } from './budgets/budgets.ts';
import type { CoreOptions } from './core-options.ts';
import { createHashNumber } from './history/hash-number.ts';
import { createHistory, type History } from './history/history.ts';
import { createKeepDays, type KeepDays } from './history/keep-days.ts';
import { createLookUp, type LookUp } from './history/look-up.ts';
import { createRetention } from './history/retention.ts';
import { createHomes, type Homes } from './homes/homes.ts';
import { createJobNews } from './jobs/job-news.ts';
import type { Jobs } from './jobs/jobs.ts';
import { joinAccounts } from './join-accounts.ts';
import { joinSending } from './join-sending.ts';
import type { OptOutImport } from './opt-outs/import-opt-outs.ts';
import type { OptOuts } from './opt-outs/opt-outs.ts';
import { createOutbox } from './outbox.ts';
import type { Deliver } from './post-row.ts';
import { onceFor } from './repeats.ts';
import { MOST_UNDECIDED, type SendView } from './sends/send-view.ts';
import type { Sends } from './sends/sends.ts';
import { createTeamCore, type TeamCore } from './team-core.ts';
import { createWorkspaceRules, type RulesOfWorkspaces } from './workspaces/workspace-rules.ts';

/** What the product does, in all workspaces. */
export interface Core {
  instances: Pick<Instances, 'get' | 'list' | 'add' | 'replaceKey' | 'remove'>;
  links: Links;
  credit: Credit;
  refusals: Pick<Refusals, 'of' | 'set' | 'isShared' | 'setShared'>;
  refusalChecks: RefusalChecks;
  sends: Sends;
  jobs: Jobs;
  approvals: Approvals;
  history: History;
  warnings: Warnings;
  statements: Statements;
  drift: Pick<DriftWatch, 'of'>;
  /** What the admins of a workspace chose for all of its channels. */
  rules: RulesOfWorkspaces;
  budgets: Pick<Budgets, 'of'>;
  /** For how many days texts are kept. */
  keepDays: KeepDays;
  /** Numbers that a workspace texts no more. */
  optOuts: OptOuts;
  importOptOuts: OptOutImport;
  /** Whether a number was texted. */
  lookUp: LookUp;
  /** What one workspace has and may do, for whoever shows it to its people. */
  forTeam(team: string): TeamCore;
  /** Unknown texts of a channel that need a decision, newest first; `MOST_UNDECIDED` + 1 at most. */
  unknownSends(team: string, channel: string): Promise<SendView[]>;
  /** How many texts the repeat guard held back in a channel within the last 7 days. */
  heldBackLately(team: string, channel: string): Promise<number>;
  homes: Homes;
  /** The workspace that a send belongs to; undefined if there is no such send. */
  teamOf(send: string): Promise<string | undefined>;
  /** Posts a message that must arrive; the same id again changes it. */
  announce(row: Announcement): Promise<void>;
  /** True for the first caller of a request within ten minutes: Slack delivers some more than once. */
  firstTime(request: string): Promise<boolean>;
  /** Whether the ledger refuses to take answers in: nothing new is sent meanwhile. */
  isBlocked(): boolean;
  /**
   * Begins the rounds: dispatch, recovery, polls, evidence, outbox. `deliver` posts an outbox row. `onHomeDue` is called
   * when a Home waits for a look.
   */
  start(deliver: Deliver, onHomeDue?: () => void): void;
  /** Takes nothing new and resolves when what is in flight is settled and posted. */
  stop(): Promise<void>;
}

export type { DueHome, ShownHome } from '../ledger/homes/homes.ts';
export type { Json } from '../ledger/model/json.ts';
export type { OutboxRow } from '../ledger/outbox/outbox-types.ts';

/** Joins the parts of core. Nothing runs before `start`. */
export function createCore(options: CoreOptions): Core {
  const { ledger, log, onReconnect, onGivenUp } = options;
  const outbox = createOutbox({ ledger, log, ...(onGivenUp ? { onGivenUp } : {}) });
  const jobNews = createJobNews({ ledger, log });
  const accounts = joinAccounts(options, jobNews);
  onReconnect(accounts.books.doubtAll);
  const rules = createWorkspaceRules(options.records, options);
  const budgets = createBudgets({ ...options, rules });
  const sending = joinSending(options, accounts, { jobNews, budgets, rules });
  const { instances, links, credit, refusals, refusalChecks, warnings, statements, drift, optOuts } =
    accounts;
  const { sends, jobs, attempts, dispatch } = sending;
  const hashOf = createHashNumber(options.fingerprintSecret);
  const keepDays = createKeepDays(options.records, options.retention);
  const retention = createRetention({ ...options, hashOf, keepDays, limits: options.retention });
  const approvals = createApprovals({ ledger, links, credit, sends, jobs, admins: options.admins });
  let background: ReturnType<typeof startBackground> | undefined;

  const core: Omit<Core, 'forTeam'> = {
    instances,
    links,
    credit,
    refusals,
    refusalChecks,
    sends,
    jobs,
    approvals,
    history: createHistory({ ledger, sends, jobs }),
    warnings,
    statements,
    drift,
    rules,
    budgets,
    keepDays,
    optOuts,
    importOptOuts: sending.importOptOuts,
    lookUp: createLookUp({ ...options, hashOf, limits: options.retention }),
    async unknownSends(team, channelId) {
      const query = { team, channelId, kind: 'single', limit: MOST_UNDECIDED + 1 } as const;
      const found = await ledger.undecided(query);
      const views = await Promise.all(found.map(({ ref }) => sends.view(ref.send)));
      return views.filter((view) => view !== undefined);
    },
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
      clock: options.clock,
    }),
    teamOf: async (send) => (await ledger.find(send))?.team,
    announce: (row) => ledger.announce(row),
    firstTime(request) {
      const { key, ttlMs } = onceFor(request);
      return ledger.firstTime(key, ttlMs);
    },
    isBlocked: attempts.isBlocked,
    start(deliver, onHomeDue = () => undefined) {
      outbox.start(deliver);
      background = startBackground(options, accounts, sending, {
        wakeOutbox: outbox.wake,
        onHomeDue,
        retention,
      });
    },
    async stop() {
      await Promise.all([background?.stop(), dispatch.drain()]);
      await outbox.drain();
    },
  };
  return { ...core, forTeam: (team) => createTeamCore(core, team) };
}
