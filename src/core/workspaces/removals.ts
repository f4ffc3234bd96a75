import { defined } from '../../ledger/model/defined.ts';
import type { Installation, Workspace } from '../../records/schema.ts';
import { eachInTurn } from '../each-in-turn.ts';
import { startRounds } from '../rounds.ts';
import { createFindGone } from './find-gone.ts';
import { createFinishRemovals, type RemovalDeps, serveByOwnInstallation } from './finish-removals.ts';
import { isActive } from './is-served.ts';

const LOOK_EVERY_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;
const ASK_EVERY_MS = 3_600_000;

const NOT_ALL = 'some installations or workspaces could not be removed';

export type Removals = ReturnType<typeof createRemovals>;

/** Removes installations and workspaces. News of them may be late, come twice or never: Slack's answer now decides. */
export function createRemovals(deps: RemovalDeps) {
  const { ledger, records, clock, log } = deps;
  const { installations, workspaces, inOneStep } = records;
  const finish = createFinishRemovals(deps);
  const findGone = createFindGone(deps);
  let rounds: ReturnType<typeof startRounds> | undefined;

  function marked<T extends { removedAt?: number | undefined }>(found: T) {
    return { ...found, removedAt: found.removedAt ?? Math.round(ledger.now()) };
  }

  /** The organisation whose installation serves this workspace, too, according to Slack. */
  async function organisationOf(team: string): Promise<string | undefined> {
    for (const installation of await installations.list()) {
      const { id, isOrgWide } = installation;
      if (!isOrgWide || !isActive(installation) || (await deps.tokenStateOf(id)) !== 'works') continue;
      if ((await deps.accessOf(id)).has(team)) return id;
    }
    return undefined;
  }

  /** Removes an installation, if nobody has made it again. Its organisation’s, if any, goes on to serve its workspace. */
  async function removeInstallation({ id, installedAt, isOrgWide }: Installation): Promise<void> {
    const enterprise = isOrgWide ? undefined : await organisationOf(id);
    const removed = await inOneStep(async (step) => {
      const found = await step.get(installations, id);
      if (found?.installedAt !== installedAt) return undefined;
      step.set(installations, id, marked(found));
      const known = enterprise === undefined ? undefined : await step.get(workspaces, id);
      if (known) step.set(workspaces, id, { ...known, ...defined({ enterprise }) });
      return found;
    });
    if (!removed) return;
    log.info({ installation: id, enterprise }, 'an installation was removed: the bot forgets its workspaces');
    finish.installation(removed);
  }

  /** The same for a workspace. If it has an installation of its own, it goes on by that one. */
  async function removeWorkspace(found: Workspace): Promise<void> {
    const { team, enterprise } = found;
    if (isActive(await installations.get(team))) return serveByOwnInstallation(records, found, log);
    const removed = await inOneStep(async (step) => {
      const now = await step.get(workspaces, team);
      if (!now || now.enterprise !== enterprise) return undefined;
      const gone = marked(now);
      step.set(workspaces, team, gone);
      return gone;
    });
    if (!removed) return;
    log.info({ team }, 'a workspace was removed from its organisation’s installation: the bot forgets it');
    finish.workspace(removed);
  }

  async function askForAll(signal: AbortSignal): Promise<void> {
    const gone = await findGone(signal);
    const remove = (found: Installation | Workspace) =>
      'id' in found ? removeInstallation(found) : removeWorkspace(found);
    await eachInTurn(gone, remove, NOT_ALL);
  }

  return {
    /**
     * Marks an installation that Slack reported as gone, and resolves. Then this process or another one forgets its
     * workspaces. If its token works, it was made again and stays. Rejects if Slack gives no clear answer.
     */
    async begin(id: string): Promise<void> {
      const found = await installations.get(id);
      if (found && (await deps.tokenStateOf(id)) !== 'works') return removeInstallation(found);
      log.info({ installation: id }, 'a removed installation is not known, or was made again since');
    },
    /** The same for workspaces that an organisation took away from the bot. If Slack says that one was given back, it stays. */
    async beginOf(enterprise: string, teams: readonly string[]): Promise<void> {
      let access: Promise<ReadonlySet<string>> | undefined;
      async function beginOne(team: string): Promise<void> {
        const found = await workspaces.get(team);
        if (found?.enterprise !== enterprise)
          return log.info({ team }, 'a removed workspace is not known, or belongs to another installation');
        access ??= deps.accessOf(enterprise);
        if ((await access).has(team)) return log.info({ team }, 'a removed workspace was given back since');
        await removeWorkspace(found);
      }
      await eachInTurn(teams, beginOne, NOT_ALL);
    },
    /** Begins to look for removals without news, for those that another process left undone, and for late records. */
    start(): void {
      rounds = startRounds(
        [
          { name: 'installations', everyMs: ASK_EVERY_MS, work: askForAll },
          { name: 'removals', everyMs: LOOK_EVERY_MS, work: finish.marked },
          { name: 'left behind', everyMs: SWEEP_EVERY_MS, work: finish.leftBehind },
        ],
        { clock, log },
      );
    },
    /** Resolves when nothing runs any more. After the next start, the bot goes on with the rest. */
    async stop(): Promise<void> {
      await rounds?.stop();
      await finish.stop();
    },
  };
}
