import type { Logger } from 'pino';
import type { Records } from '../../records/records.ts';
import type { Workspace } from '../../records/schema.ts';
import { isActive } from '../accounts/is-served.ts';

/** Whether there is an installation of this id that was not removed. */
export async function isInstalled(
  { installations }: Pick<Records, 'installations'>,
  id: string,
): Promise<boolean> {
  return isActive(await installations.get(id));
}

/** Serves a workspace by its own installation from now on. */
export async function leaveToItself(
  { workspaces }: Pick<Records, 'workspaces'>,
  { enterprise: _gone, removedAt: _over, ...workspace }: Workspace,
  log: Logger,
): Promise<void> {
  await workspaces.set(workspace.team, workspace);
  log.info({ team: workspace.team }, 'a workspace goes on by its own installation');
}
