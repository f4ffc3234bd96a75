import { defined } from '../../ledger/model/defined.ts';
import type { Installation, Workspace } from '../../records/schema.ts';
import { startRounds } from '../rounds.ts';
import { createFindGone, type SlackOfRemovals } from './find-gone.ts';
import { createFinishRemovals, leaveToItself, type RemovalDeps } from './finish-removals.ts';
import { isActive } from './is-served.ts';

const LOOK_EVERY_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;
const ASK_EVERY_MS = 3_600_000;

export type Removals = ReturnType<typeof createRemovals>;

/** Removed installations and workspaces. News of them may be late, come twice or never: what Slack says now decides. */
export function createRemovals(deps: RemovalDeps & SlackOfRemovals) {
  const { ledger, records, clock, log } = deps;
  const { installations, workspaces, inOneStep } = records;
  const finish = createFinishRemovals(deps);
  const findGone = createFindGone(deps);
  let rounds: ReturnType<typeof startRounds> | undefined;

  function marked<T extends { removedAt?: number | undefined }>(found: T) {
    return { ...found, removedAt: found.removedAt ?? Math.round(ledger.now()) };
  }

  /** The organisation whose installation serves this workspace, too, as Slack says. */
  async function organisationOf(team: string): Promise<string | undefined> {
    for (const installation of await installations.list()) {
      const { id, isOrgWide } = installation;
      if (!isOrgWide || !isActive(installation) || (await deps.standingOf(id)) !== 'works') continue;
      if ((await deps.accessOf(id)).has(team)) return id;
    }
    return undefined;
  }

  /** Takes an installation away, if nobody has made it again. A workspace goes on by its organisation’s at that moment. */
  async function takeAway({ id, installedAt, isOrgWide }: Installation): Promise<void> {
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

  /** The same for a workspace. One that has an installation of its own goes on by that. */
  async function takeAwayWorkspace(found: Workspace): Promise<void> {
    const { team, enterprise } = found;
    if (isActive(await installations.get(team))) return leaveToItself(records, found, log);
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
    await doAll(gone.map((found) => () => ('id' in found ? takeAway(found) : takeAwayWorkspace(found))));
  }

  return {
    /**
     * Marks an installation that is said to be gone, and resolves. Then its workspaces are forgotten, by another process if need
     * be. It stays only if its token works: then it was made again. Rejects where Slack does not say.
     */
    async begin(id: string): Promise<void> {
      const found = await installations.get(id);
      if (found && (await deps.standingOf(id)) !== 'works') return takeAway(found);
      log.info({ installation: id }, 'a removed installation is not known, or was made again since');
    },
    /** The same for workspaces that an organisation is said to have taken away. What Slack says was given back stays. */
    async beginOf(enterprise: string, teams: readonly string[]): Promise<void> {
      let access: Promise<ReadonlySet<string>> | undefined;
      async function beginOne(team: string): Promise<void> {
        const found = await workspaces.get(team);
        if (found?.enterprise !== enterprise)
          return log.info({ team }, 'a removed workspace is not known, or belongs to another installation');
        access ??= deps.accessOf(enterprise);
        if ((await access).has(team)) return log.info({ team }, 'a removed workspace was given back since');
        await takeAwayWorkspace(found);
      }
      await doAll(teams.map((team) => () => beginOne(team)));
    },
    /** Begins to look for what is gone without news, what another process left undone, and what was written too late. */
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
    /** Resolves when nothing runs any more. The next start finds what is left. */
    async stop(): Promise<void> {
      await rounds?.stop();
      await finish.stop();
    },
  };
}

/** One after the other; one that fails does not stop the rest. */
async function doAll(removals: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const remove of removals) await remove().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'not all could be taken away');
}
