import type { Ledger } from '../../ledger/ledger.ts';
import type { Credit } from '../accounts/credit.ts';
import { type InstanceView, viewOfInstance } from '../accounts/instance-view.ts';
import type { Instances } from '../accounts/instances.ts';
import type { Link, Links } from '../accounts/links.ts';
import type { JobView } from '../jobs/job-view.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { type SendView, sendView } from '../sends/send-view.ts';

/** What the Homes of a workspace show, as the store knows it: the service is not asked. */
export interface WorkspaceFacts {
  links: Link[];
  /** By name. */
  instances: InstanceView[];
  /** The last known balance of each account, and since when (ms since 1970). */
  balances: Map<string, { credits: number; at: number }>;
  /** Jobs that are running or paused, the newest first. */
  jobs: JobView[];
  unknown: UnknownFacts;
}

/** Unknown messages that need a person's decision. */
export interface UnknownFacts {
  /** The newest single texts, newest first. */
  newest: SendView[];
  singles: number;
  /** Recipients of jobs. */
  inJobs: number;
}

/** How many unknown texts are looked up in full. */
const NEWEST_UNKNOWN = 5;

export function createWorkspaceFacts(deps: {
  ledger: Ledger;
  links: Pick<Links, 'list'>;
  instances: Pick<Instances, 'list'>;
  credit: Pick<Credit, 'known'>;
  jobs: Pick<Jobs, 'openInTeam'>;
}): (team: string) => Promise<WorkspaceFacts> {
  async function balancesOf(instances: InstanceView[]): Promise<WorkspaceFacts['balances']> {
    const ofAccounts = new Map(instances.map((instance) => [instance.accountId, instance]));
    const known = await Promise.all([...ofAccounts.values()].map(deps.credit.known));
    return new Map(
      known.flatMap((account) =>
        account ? [[account.id, { credits: account.credits, at: account.asOf }] as const] : [],
      ),
    );
  }

  async function unknownOf(team: string): Promise<UnknownFacts> {
    const found = await deps.ledger.unknowns(team);
    const singles = found.filter(({ send }) => send.kind === 'single');
    const inJobs = found
      .filter(({ send }) => send.kind === 'job')
      .reduce((sum, { chunk }) => sum + chunk.messages.length, 0);
    return {
      newest: singles.slice(-NEWEST_UNKNOWN).reverse().map(sendView),
      singles: singles.length,
      inJobs,
    };
  }

  return async (team) => {
    const instances = (await deps.instances.list(team)).map(viewOfInstance);
    const [links, balances, jobs, unknown] = await Promise.all([
      deps.links.list(team),
      balancesOf(instances),
      deps.jobs.openInTeam(team),
      unknownOf(team),
    ]);
    return { links, instances, balances, jobs, unknown };
  };
}
