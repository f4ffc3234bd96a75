import type { Ledger } from '../../ledger/ledger.ts';
import { dayOf } from '../../ledger/model/days.ts';
import type { Credit } from '../accounts/credit.ts';
import type { DriftWatch } from '../accounts/drift.ts';
import { type InstanceView, viewOfInstance } from '../accounts/instance-view.ts';
import type { Instances } from '../accounts/instances.ts';
import type { Links } from '../accounts/links.ts';
import type { Statements } from '../accounts/statements.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { Clock } from '../clock.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { createShortCache } from '../short-cache.ts';
import type { RulesOfWorkspaces } from '../workspaces/workspace-rules.ts';

export type WorkspaceFacts = Awaited<ReturnType<ReturnType<typeof createWorkspaceFacts>>>;

/** How long an outlook is reused, in ms: making one reads weeks of books. */
const KEEP_MS = 60_000;
const WEEK_DAYS = 7;

/** What the Homes of a workspace show, from the store alone. Makes no request to the service. */
export function createWorkspaceFacts(deps: {
  ledger: Pick<Ledger, 'now' | 'countOptOuts'>;
  links: Pick<Links, 'list'>;
  instances: Pick<Instances, 'list'>;
  credit: Pick<Credit, 'known'>;
  jobs: Pick<Jobs, 'openInTeam'>;
  approvals: Pick<Approvals, 'waiting'>;
  budgets: Pick<Budgets, 'ofMonth'>;
  rules: Pick<RulesOfWorkspaces, 'of'>;
  statements: Pick<Statements, 'runway' | 'of'>;
  drift: Pick<DriftWatch, 'of'>;
  clock: Clock;
}) {
  const { ledger, statements } = deps;
  /** By workspace and account. */
  const recent = createShortCache<Awaited<ReturnType<typeof outlookOf>>>(KEEP_MS, deps.clock.steady);

  /** What an account's books say about the coming days and the last week. */
  async function outlookOf(instance: InstanceView) {
    const today = dayOf(ledger.now());
    const [runway, drift, statement] = await Promise.all([
      statements.runway(instance),
      deps.drift.of(instance),
      statements.of(instance, { from: today - WEEK_DAYS + 1, to: today }),
    ]);
    if (!statement || !('opening' in statement)) return { runway, drift, week: undefined };
    // Keep only what a Home shows.
    const { opening, daily, outcomes } = statement;
    return { runway, drift, week: { opening, daily, outcomes } };
  }

  return async (team: string) => {
    const instances = (await deps.instances.list(team)).map(viewOfInstance);
    const ofAccounts = new Map(instances.map((instance) => [instance.accountId, instance]));
    const accounts = [...ofAccounts.values()];
    const links = await deps.links.list(team);
    const [budgets, rules, optOuts, jobs, requests, ...found] = await Promise.all([
      deps.budgets.ofMonth(team, links),
      deps.rules.of(team),
      ledger.countOptOuts(team),
      deps.jobs.openInTeam(team),
      deps.approvals.waiting(team),
      ...accounts.map(async (instance) => {
        const [known, outlook] = await Promise.all([
          deps.credit.known(instance),
          recent(`${team}/${instance.accountId}`, () => outlookOf(instance)),
        ]);
        return { ...outlook, known, instance };
      }),
    ]);
    return {
      links,
      /** By name. */
      instances,
      /** The last known balance of each account, and its time (ms since 1970). */
      balances: new Map(
        found.flatMap(({ known, instance: { accountId } }) => (known ? [[accountId, known] as const] : [])),
      ),
      /** Jobs that are running or paused, the newest first. */
      jobs,
      /** Requests for approval that nobody has decided, oldest first. */
      requests,
      /** What is left of each channel's monthly budget, by channel. */
      budgets,
      rules,
      optOuts,
      /** How long the credits of each account last, if that is known. */
      runways: new Map(
        found.flatMap(({ runway, instance }) => (runway ? [[instance.accountId, runway] as const] : [])),
      ),
      /** What others used of an account's credits within a day, if it is enough to tell. */
      drifts: found.flatMap(({ drift, instance: { name } }) =>
        drift ? [{ instanceName: name, drift }] : [],
      ),
      /** The last week of each account whose books have begun. */
      weeks: found.flatMap(({ week, instance: { userName } }) => (week ? [{ userName, ...week }] : [])),
    };
  };
}
