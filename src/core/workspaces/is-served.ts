import type { Records } from '../../records/records.ts';
import type { Installation } from '../../records/schema.ts';
import type { Step } from '../../records/step.ts';

/** Whether there is an installation, and nobody has removed it. */
export function isActive(installation: Installation | undefined): installation is Installation {
  return installation !== undefined && installation.removedAt === undefined;
}

/** Whether the bot works in a workspace, so that it may keep keys for it. */
export async function isServed(
  step: Step,
  { installations, workspaces }: Pick<Records, 'installations' | 'workspaces'>,
  team: string,
): Promise<boolean> {
  const own = await step.get(installations, team);
  if (isActive(own)) return true;
  const workspace = await step.get(workspaces, team);
  if (!workspace || workspace.removedAt !== undefined) return false;
  if (workspace.enterprise !== undefined)
    return isActive(await step.get(installations, workspace.enterprise));
  // A workspace that the environment's token serves has no installation. A removed installation stays until all is deleted.
  return own === undefined;
}
