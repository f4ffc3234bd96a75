import type { Logger } from 'pino';
import type { Records } from '../../records/records.ts';
import type { Installation, Workspace } from '../../records/schema.ts';
import type { Clock } from '../clock.ts';

/** What Slack says of an installation's token. `refused`: it does not take the token, but does not call it gone. */
export type TokenStanding = 'works' | 'gone' | 'refused';

/** What Slack is asked about removals. Both reject where it does not say. */
export interface SlackOfRemovals {
  /** The workspaces that an organisation's token may act in by now. */
  accessOf(enterprise: string): Promise<ReadonlySet<string>>;
  standingOf(id: string): Promise<TokenStanding>;
}

/** Installations that are gone, and workspaces that their organisation's installation serves no more. */
export interface Gone {
  installations: Installation[];
  workspaces: Workspace[];
}

const NOTHING: Gone = { installations: [], workspaces: [] };
/** A look lasts no longer, in ms. */
const LONGEST_MS = 43_200_000;

/**
 * Asks Slack about all installations. Finds what Slack calls gone now and called gone at the look before: one answer alone may
 * be a mistake. If the signal aborts, it waits for no answer, and finds nothing.
 */
export function createFindGone({
  records: { installations, workspaces },
  accessOf,
  standingOf,
  clock,
  log,
}: SlackOfRemovals & { records: Records; clock: Clock; log: Logger }): (
  signal: AbortSignal,
) => Promise<Gone> {
  let before = new Set<string>();

  return async (signal) => {
    const named = new Set<string>();
    const gone: Gone = { installations: [], workspaces: [] };
    function note<T>(list: T[], found: T, name: string): void {
      named.add(name);
      if (before.has(name)) list.push(found);
    }

    async function lookAt(installation: Installation): Promise<void> {
      const { id, installedAt, isOrgWide } = installation;
      const standing = await standingOf(id);
      if (standing === 'gone') note(gone.installations, installation, `${id} ${installedAt}`);
      if (standing !== 'works' || !isOrgWide) return;
      const access = await accessOf(id);
      for (const workspace of await workspaces.list()) {
        const { team, enterprise, removedAt, firstSeenAt } = workspace;
        if (enterprise !== id || removedAt !== undefined || access.has(team)) continue;
        note(gone.workspaces, workspace, `${id} ${team} ${firstSeenAt}`);
      }
    }

    async function lookAtAll(): Promise<Gone> {
      for (const installation of await installations.list()) {
        if (signal.aborted) break;
        if (installation.removedAt !== undefined) continue;
        await lookAt(installation).catch((err: unknown) => {
          log.warn({ err, installation: installation.id }, 'Slack does not say what an installation serves');
        });
      }
      before = named;
      return gone;
    }

    const over = new AbortController();
    const stopped = clock.sleep(LONGEST_MS, AbortSignal.any([signal, over.signal]));
    try {
      return await Promise.race([lookAtAll(), stopped.then(() => NOTHING)]);
    } finally {
      over.abort();
    }
  };
}
