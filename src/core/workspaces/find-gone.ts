import type { Logger } from 'pino';
import type { Records } from '../../records/records.ts';
import type { Installation, Workspace } from '../../records/schema.ts';
import type { Clock } from '../clock.ts';

/** What Slack says of an installation's token. `refused`: Slack refuses it for another reason than a removal. */
export type TokenState = 'works' | 'gone' | 'refused';

/** What the bot asks Slack about removals. Both methods reject if Slack gives no clear answer. */
export interface SlackOfRemovals {
  /** The workspaces in which an organisation's token may act now. */
  accessOf(enterprise: string): Promise<ReadonlySet<string>>;
  tokenStateOf(id: string): Promise<TokenState>;
}

/** The longest that one look may take, in ms. */
const LONGEST_MS = 43_200_000;

/**
 * Asks Slack about all installations. Finds those that Slack called gone twice: now, and at the look before. A single
 * answer may be a mistake. If the signal aborts, waits for no answer, and finds nothing.
 */
export function createFindGone({
  records: { installations, workspaces },
  accessOf,
  tokenStateOf,
  clock,
  log,
}: SlackOfRemovals & { records: Records; clock: Clock; log: Logger }) {
  let before = new Set<string>();

  /** Installations that are gone, and workspaces that their organisation's installation no longer serves. */
  return async (signal: AbortSignal): Promise<(Installation | Workspace)[]> => {
    const found = new Map<string, Installation | Workspace>();

    async function lookAt(installation: Installation): Promise<void> {
      const { id, installedAt, isOrgWide } = installation;
      const state = await tokenStateOf(id);
      if (state === 'gone') found.set(`${id} ${installedAt}`, installation);
      if (state !== 'works' || !isOrgWide) return;
      const access = await accessOf(id);
      for (const workspace of await workspaces.list()) {
        const { team, enterprise, removedAt, firstSeenAt } = workspace;
        if (enterprise !== id || removedAt !== undefined || access.has(team)) continue;
        found.set(`${id} ${team} ${firstSeenAt}`, workspace);
      }
    }

    async function lookAtAll(): Promise<(Installation | Workspace)[]> {
      for (const installation of await installations.list()) {
        if (signal.aborted) break;
        if (installation.removedAt !== undefined) continue;
        await lookAt(installation).catch((err: unknown) => {
          log.warn(
            { err, installation: installation.id },
            'Slack does not say which workspaces an installation serves',
          );
        });
      }
      const foundAgain = [...found].filter(([name]) => before.has(name)).map(([, gone]) => gone);
      before = new Set(found.keys());
      return foundAgain;
    }

    const over = new AbortController();
    const stopped = clock.sleep(LONGEST_MS, AbortSignal.any([signal, over.signal]));
    try {
      return await Promise.race([lookAtAll(), stopped.then(() => [])]);
    } finally {
      over.abort();
    }
  };
}
