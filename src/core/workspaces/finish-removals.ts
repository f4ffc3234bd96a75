import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import { DAY_MS } from '../../ledger/model/days.ts';
import type { Records } from '../../records/records.ts';
import type { Installation, Workspace } from '../../records/schema.ts';
import type { Clock } from '../clock.ts';
import type { SlackOfRemovals } from './find-gone.ts';
import { forgetWorkspace, type MayForget } from './forget-workspace.ts';
import { isActive } from './is-served.ts';

export interface RemovalDeps extends SlackOfRemovals {
  ledger: Ledger;
  records: Records;
  clock: Clock;
  log: Logger;
}

/**
 * Forgets removed workspaces and installations, once none of their requests is on its way to the service. A removal that
 * has to wait stays marked, so `marked` tries again.
 */
export function createFinishRemovals({ ledger, records, accessOf, log }: RemovalDeps) {
  const { installations, workspaces } = records;
  const running = new Map<string, Promise<void>>();

  /** The workspaces that no other installation serves. Others of its organisation go on by their own installation. */
  async function workspacesOf({ id, isOrgWide }: Installation): Promise<string[]> {
    if (!isOrgWide) {
      const { enterprise } = (await workspaces.get(id)) ?? {};
      return enterprise !== undefined && isActive(await installations.get(enterprise)) ? [] : [id];
    }
    const mine: string[] = [];
    for (const workspace of await workspaces.list()) {
      if (workspace.enterprise !== id) continue;
      if (isActive(await installations.get(workspace.team)))
        await serveByOwnInstallation(records, workspace, log);
      else mine.push(workspace.team);
    }
    return mine;
  }

  /** Forgets these workspaces. False while one of their requests is in flight, or if `mayForget` is false. */
  async function forget(teams: () => Promise<string[]>, mayForget: MayForget): Promise<boolean> {
    if (!(await records.inOneStep(mayForget))) return false;
    let done = true;
    for (const team of await teams()) {
      const mayForgetTeam: MayForget = async (step) =>
        !isActive(await step.get(installations, team)) && mayForget(step);
      if (!(await forgetWorkspace({ ledger, records }, team, mayForgetTeam))) done = false;
    }
    return done;
  }

  async function finishInstallation(installation: Installation): Promise<void> {
    const { id, installedAt } = installation;
    const isSame: MayForget = async (step) =>
      (await step.get(installations, id))?.installedAt === installedAt;
    if (!(await forget(() => workspacesOf(installation), isSame))) return;
    await records.inOneStep(async (step) => {
      if (await isSame(step)) step.delete(installations, id);
    });
    log.info({ installation: id }, 'an installation and the records and keys of its workspaces were deleted');
  }

  async function finishWorkspace({ team, enterprise, removedAt }: Workspace): Promise<void> {
    const mayForget: MayForget = async (step) => {
      const now = await step.get(workspaces, team);
      const isInstalledAgain = isActive(await step.get(installations, team));
      return now?.removedAt === removedAt && now?.enterprise === enterprise && !isInstalledAgain;
    };
    if (await forget(async () => [team], mayForget))
      log.info({ team }, 'the records and keys of a workspace were deleted');
  }

  async function finishUnlessGivenBack(workspace: Workspace): Promise<void> {
    const { team, enterprise, removedAt = 0 } = workspace;
    /** Slack was clear when the removal began. So after a day without a clear answer, that counts. */
    function noneAfterADay(error: unknown): ReadonlySet<string> {
      if (ledger.now() - removedAt < DAY_MS) throw error;
      return new Set();
    }
    const isServed = enterprise !== undefined && isActive(await installations.get(enterprise));
    const isGivenBack = isServed && (await accessOf(enterprise).catch(noneAfterADay)).has(team);
    if (!isGivenBack) return finishWorkspace(workspace);
    await records.inOneStep(async (step) => {
      const found = await step.get(workspaces, team);
      if (found?.removedAt !== removedAt) return;
      const { removedAt: _over, ...kept } = found;
      step.set(workspaces, team, kept);
    });
    log.info({ team }, 'a removed workspace was given back since');
  }

  /**
   * The record of a workspace is deleted last. So a workspace that has a record stays, even without an installation.
   * The environment's token may serve it, and `forget-keys` deletes only installations.
   */
  async function finishLeftBehind(team: string): Promise<void> {
    const mayForget: MayForget = async (step) =>
      !(await step.get(workspaces, team)) && !(await step.get(installations, team));
    if (await forget(async () => [team], mayForget))
      log.info({ team }, 'the records left of a forgotten workspace were deleted');
  }

  /** @param id the id of the installation or the workspace */
  function run(id: string, finishing: () => Promise<void>): void {
    if (running.has(id)) return;
    const work = finishing()
      .catch((error: unknown) => log.error({ err: error, of: id }, 'a removal failed and is tried again'))
      .finally(() => running.delete(id));
    running.set(id, work);
  }

  /** Forgets the installation, and the workspaces that no other installation serves. */
  const installation = (removed: Installation) => run(removed.id, () => finishInstallation(removed));
  const workspace = (removed: Workspace) => run(removed.team, () => finishWorkspace(removed));

  return {
    installation,
    workspace,
    /** Goes on with all marked removals. Keeps a workspace that its organisation has given back. */
    async marked() {
      for (const found of await installations.list()) if (found.removedAt !== undefined) installation(found);
      for (const found of await workspaces.list())
        if (found.removedAt !== undefined) run(found.team, () => finishUnlessGivenBack(found));
    },
    /** Deletes records that were written for a workspace after it was forgotten. */
    async leftBehind() {
      const kept = [...(await records.instances.list()), ...(await records.links.list())];
      const teams = new Set(kept.map(({ team }) => team));
      for (const { team } of await workspaces.getMany([...teams])) teams.delete(team);
      for (const team of teams) run(team, () => finishLeftBehind(team));
    },
    /** Resolves when nothing runs any more. After the next start, the bot goes on with the rest. */
    async stop() {
      await Promise.all(running.values());
    },
  };
}

/** From now on only its own installation serves the workspace. */
export async function serveByOwnInstallation(
  { workspaces, inOneStep }: Pick<Records, 'workspaces' | 'inOneStep'>,
  { team, enterprise }: Workspace,
  log: Logger,
): Promise<void> {
  await inOneStep(async (step) => {
    const found = await step.get(workspaces, team);
    if (!found || found.enterprise !== enterprise) return;
    const { enterprise: _gone, removedAt: _over, ...workspace } = found;
    step.set(workspaces, team, workspace);
  });
  log.info({ team }, 'a workspace goes on by its own installation');
}
