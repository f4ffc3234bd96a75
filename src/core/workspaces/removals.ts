import type { Namespace } from '../../records/namespace.ts';
import type { Workspace } from '../../records/schema.ts';
import { startRounds } from '../rounds.ts';
import { createFinishRemovals, leaveToItself, type RemovalDeps } from './finish-removals.ts';
import { isInstalled } from './is-served.ts';

/** Installations that somebody has taken away, from all their workspaces or from some. */
export interface Removals {
  /**
   * Marks an installation that Slack says is gone since `toldAt` (ms since 1970), and resolves. Then its workspaces are
   * forgotten, by another process if need be. An installation that was made after `toldAt` stays.
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

const LOOK_EVERY_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;

export function createRemovals(
  deps: RemovalDeps & {
    /** The workspaces that an organisation's token may act in by now. Rejects where Slack does not say. */
    accessOf(enterprise: string): Promise<ReadonlySet<string>>;
  },
): Removals {
  const { ledger, records, clock, log } = deps;
  const { installations, workspaces, inOneStep } = records;
  const finish = createFinishRemovals(deps);
  let rounds: ReturnType<typeof startRounds> | undefined;

  /** Marks a record as taken away, if it is still the one that is meant. */
  function mark<T extends { removedAt?: number | undefined }>(
    all: Namespace<T>,
    id: string,
    isMeant: (found: T) => boolean,
  ): Promise<T | undefined> {
    return inOneStep(async (step) => {
      const found = await step.get(all, id);
      if (!found || !isMeant(found)) return undefined;
      const marked = { ...found, removedAt: found.removedAt ?? Math.round(ledger.now()) };
      step.set(all, id, marked);
      return marked;
    });
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
      log.info({ team }, 'a removed workspace is not known, or came back since');
      return;
    }
    if (await isInstalled(records, team)) return leaveToItself(records, found, log);
    if ((await access()).has(team)) {
      log.info({ team }, 'a removed workspace was given back since');
      return;
    }
    const removed = await mark(workspaces, team, isMeant);
    if (!removed) return;
    log.info({ team }, 'a workspace was removed from its organisation’s installation: the bot forgets it');
    finish.workspace(removed);
  }

  return {
    async begin(id, toldAt) {
      const removed = await mark(installations, id, ({ installedAt }) => installedAt < toldAt);
      if (!removed) {
        log.info({ installation: id }, 'a removed installation is not known, or was made again since');
        return;
      }
      log.info({ installation: id }, 'an installation was removed: the bot forgets its workspaces');
      finish.installation(removed);
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
          { name: 'removals', everyMs: LOOK_EVERY_MS, work: finish.marked },
          { name: 'left behind', everyMs: SWEEP_EVERY_MS, work: finish.leftBehind },
        ],
        { clock, log },
      );
    },
    async stop() {
      await rounds?.stop();
      await finish.stop();
    },
  };
}
