import type { Logger } from 'pino';
import type { Core, DueHome } from '../../core/core.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { refreshHome } from './publish-home.ts';

/** Keeps open Homes up to date. Refreshes those of a workspace one by one, since Slack limits each workspace. */
export function createHomeRefresher(deps: {
  core: Pick<Core, 'homes'>;
  workspaces: Pick<Workspaces, 'of'>;
  log: Logger;
}) {
  const { core, workspaces, log } = deps;
  let running: Promise<void> | undefined;
  let isDraining = false;

  async function refreshDue(): Promise<void> {
    while (!isDraining) {
      const due = await core.homes.takeDue();
      if (due.length === 0) return;
      const teams = Map.groupBy(due, ({ team }) => team);
      const ends = [...teams].map(([team, homes]) =>
        refreshTeam(team, homes).catch((error: unknown) => {
          log.warn({ err: error, team }, 'the Homes of a workspace could not be refreshed');
        }),
      );
      await Promise.all(ends);
    }
  }

  async function refreshTeam(team: string, due: DueHome[]): Promise<void> {
    const deps = await workspaces.of(team);
    if (!deps) {
      for (const home of due) await core.homes.forget(home);
      return;
    }
    // All people of a workspace share its facts.
    let asked: ReturnType<typeof deps.core.homes.facts> | undefined;
    const facts = () => (asked ??= deps.core.homes.facts());
    for (const home of due) {
      if (isDraining) return;
      await refreshHome(deps, home, facts).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'a Home could not be refreshed; the next look tries again');
      });
    }
  }

  return {
    /** Refreshes the Homes that are due. */
    wake(): void {
      if (isDraining) return;
      running ??= refreshDue()
        .catch((error: unknown) => log.error({ err: error }, 'due Homes could not be read'))
        .finally(() => {
          running = undefined;
        });
    },
    /** Begins nothing new. Resolves when the refresh under way has ended. */
    async drain(): Promise<void> {
      isDraining = true;
      await running;
    },
  };
}
