import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Records } from '../../records/records.ts';
import type { Installation, Workspace } from '../../records/schema.ts';
import { isActive } from '../accounts/is-served.ts';
import type { Clock } from '../clock.ts';
import { startRounds } from '../rounds.ts';
import { forgetWorkspace } from './forget-workspace.ts';

/** Installations that somebody has taken away, from all their workspaces or from some. */
export interface Removals {
  /**
   * Takes an installation away that Slack says is gone since `toldAt` (ms since 1970). Resolves once that is written
   * down; then its workspaces are forgotten, by another process if need be. One that was made after that stands.
   */
  begin(id: string, toldAt: number): Promise<void>;
  /**
   * The same for workspaces that the organisation's installation no longer serves, though it is still there. The news may
   * be late: a workspace that has been given back, as Slack says, stays. Rejects where Slack does not say.
   */
  beginOf(enterprise: string, teams: readonly string[], toldAt: number): Promise<void>;
  /** Looks now and then for what another process has left undone, and for what was written too late. */
  start(): void;
  /** Resolves when nothing runs any more; what is not done is found at the next start. */
  stop(): Promise<void>;
}

/** What is on its way to the service is waited for by looking so often, in ms. */
const AGAIN_MS = 500;
const LOOK_EVERY_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;

export function createRemovals(deps: {
  ledger: Ledger;
  records: Records;
  clock: Clock;
  log: Logger;
  /** The workspaces that an organisation's token may act in by now. Rejects where Slack does not say. */
  accessOf(enterprise: string): Promise<ReadonlySet<string>>;
}): Removals {
  const { ledger, records, clock, log } = deps;
  const { installations, workspaces, inOneStep } = records;
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  let rounds: ReturnType<typeof startRounds> | undefined;

  const isInstalled = async (id: string) => isActive(await installations.get(id));

  /** The workspaces that nothing serves any more without this installation. */
  async function workspacesOf({ id, isOrgWide }: Installation): Promise<string[]> {
    if (!isOrgWide) {
      const { enterprise } = (await workspaces.get(id)) ?? {};
      return enterprise !== undefined && (await isInstalled(enterprise)) ? [] : [id];
    }
    const mine: string[] = [];
    for (const workspace of await workspaces.list()) {
      if (workspace.enterprise !== id) continue;
      if (await isInstalled(workspace.team)) await leaveToItself(workspace);
      else mine.push(workspace.team);
    }
    return mine;
  }

  /** It has an installation of its own, which serves it from now on. */
  async function leaveToItself({
    enterprise: _gone,
    removedAt: _over,
    ...workspace
  }: Workspace): Promise<void> {
    await workspaces.set(workspace.team, workspace);
    log.info({ team: workspace.team }, 'a workspace goes on by its own installation');
  }

  /** Whether it is still this one, and not one that somebody has made since. */
  async function isSame({ id, installedAt }: Installation): Promise<boolean> {
    return (await installations.get(id))?.installedAt === installedAt;
  }

  /**
   * Forgets these workspaces once nothing of them is on its way; false where that is not to be, or not by this process.
   */
  async function forget(teams: () => Promise<string[]>, isToBe: () => Promise<boolean>): Promise<boolean> {
    for (; !stopping.signal.aborted; await clock.sleep(AGAIN_MS, stopping.signal)) {
      if (!(await isToBe())) return false;
      let done = true;
      for (const team of await teams()) {
        if (!(await forgetWorkspace({ ledger, records }, team))) done = false;
      }
      if (done) return true;
    }
    return false;
  }

  async function finish(installation: Installation): Promise<void> {
    const { id } = installation;
    const isToBe = () => isSame(installation);
    if (!(await forget(() => workspacesOf(installation), isToBe))) return;
    await inOneStep(async (step) => {
      const found = await step.get(installations, id);
      if (found?.installedAt === installation.installedAt) step.delete(installations, id);
    });
    log.info({ installation: id }, 'an installation is gone, and what was kept of its workspaces');
  }

  async function finishOne({ team, enterprise, removedAt }: Workspace): Promise<void> {
    const isToBe = async () => {
      const now = await workspaces.get(team);
      return now?.removedAt === removedAt && now?.enterprise === enterprise && !(await isInstalled(team));
    };
    if (await forget(async () => [team], isToBe)) log.info({ team }, 'what was kept of a workspace is gone');
  }

  /**
   * A workspace is forgotten together with its record. So one that is known stays, with or without an installation: the
   * environment's token may have served it, and `forget-keys` forgets installations alone.
   */
  async function isLeftBehind(team: string): Promise<boolean> {
    return !(await workspaces.get(team)) && !(await installations.get(team));
  }

  /** Forgets what was still written for workspaces that were forgotten. */
  async function sweep(): Promise<void> {
    const kept = [...(await records.instances.list()), ...(await records.links.list())];
    const teams = new Set(kept.map(({ team }) => team));
    for (const { team } of await workspaces.getMany([...teams])) teams.delete(team);
    for (const team of teams) run(team, () => finishLeftBehind(team));
  }

  async function finishLeftBehind(team: string): Promise<void> {
    if (
      await forget(
        async () => [team],
        () => isLeftBehind(team),
      )
    )
      log.info({ team }, 'what was left of a forgotten workspace is gone');
  }

  /** @param id the installation's or the workspace's */
  function run(id: string, finishing: () => Promise<void>): void {
    if (running.has(id)) return;
    const work = finishing()
      .catch((error: unknown) => log.error({ err: error, of: id }, 'a removal comes round again'))
      .finally(() => running.delete(id));
    running.set(id, work);
  }

  /** @param access asks Slack which workspaces the organisation's token may act in */
  async function beginOne(
    enterprise: string,
    team: string,
    toldAt: number,
    access: () => Promise<ReadonlySet<string>>,
  ): Promise<void> {
    const isMeant = (found: Workspace) => found.enterprise === enterprise && found.firstSeenAt < toldAt;
    const found = await workspaces.get(team);
    if (!found || !isMeant(found)) {
      log.info({ team }, 'a workspace was taken away that is not there, or came back since');
      return;
    }
    if (await isInstalled(team)) return leaveToItself(found);
    if ((await access()).has(team)) {
      log.info({ team }, 'a workspace was taken away that has been given back since');
      return;
    }
    const removed = await inOneStep(async (step) => {
      const now = await step.get(workspaces, team);
      if (!now || !isMeant(now)) return undefined;
      const marked = { ...now, removedAt: now.removedAt ?? Math.round(ledger.now()) };
      step.set(workspaces, team, marked);
      return marked;
    });
    if (!removed) return;
    log.info({ team }, 'a workspace was taken away from its organisation’s installation: it is forgotten');
    run(team, () => finishOne(removed));
  }

  return {
    async begin(id, toldAt) {
      const removed = await inOneStep(async (step) => {
        const found = await step.get(installations, id);
        if (!found || found.installedAt >= toldAt) return undefined;
        const marked = { ...found, removedAt: found.removedAt ?? Math.round(ledger.now()) };
        step.set(installations, id, marked);
        return marked;
      });
      if (!removed) {
        log.info(
          { installation: id },
          'an installation was taken away that is not there, or was made again since',
        );
        return;
      }
      log.info({ installation: id }, 'an installation was taken away: its workspaces are forgotten');
      run(id, () => finish(removed));
    },
    async beginOf(enterprise, teams, toldAt) {
      let asked: Promise<ReadonlySet<string>> | undefined;
      const access = () => {
        asked ??= deps.accessOf(enterprise);
        return asked;
      };
      const begun = await Promise.allSettled(teams.map((team) => beginOne(enterprise, team, toldAt, access)));
      const failures = begun.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      if (failures.length > 0) throw new AggregateError(failures, 'some workspaces could not be taken away');
    },
    start() {
      rounds = startRounds(
        [
          {
            name: 'removals',
            everyMs: LOOK_EVERY_MS,
            async work() {
              for (const found of await installations.list()) {
                if (found.removedAt !== undefined) run(found.id, () => finish(found));
              }
              for (const found of await workspaces.list()) {
                if (found.removedAt !== undefined) run(found.team, () => finishOne(found));
              }
            },
          },
          { name: 'left behind', everyMs: SWEEP_EVERY_MS, work: sweep },
        ],
        { clock, log },
      );
    },
    async stop() {
      stopping.abort();
      await rounds?.stop();
      await Promise.all(running.values());
    },
  };
}
