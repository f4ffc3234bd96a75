import { randomUUID } from 'node:crypto';
import type { Place } from '../../core/workspaces/installations.ts';
import type { SlackDeps } from './deps.ts';
import type { Workspaces } from './workspaces.ts';

/** The fields of a Slack request that name its workspace. No request has all of them. */
export interface RequestOrigin {
  team_id?: string | undefined;
  enterprise_id?: string | undefined;
  /** The text 'true' in commands: docs.slack.dev/interactivity/implementing-slash-commands. */
  is_enterprise_install?: boolean | string | undefined;
  /** Null if the app is installed for a whole organisation. */
  team?: { id: string } | null | undefined;
  enterprise?: { id: string } | null | undefined;
  user?: { team_id?: string | undefined } | undefined;
  view?: { app_installed_team_id?: string | undefined } | undefined;
}

/**
 * The workspace that a command, click or form acts in: the one that has installed the bot. In a shared channel, people
 * of other workspaces press buttons, too. Their workspace is in `user`: we use it only if the request names no other.
 */
export function workspaceOf(body: RequestOrigin): Place {
  const isOrgWide = String(body.is_enterprise_install) === 'true';
  // If the organisation installed the bot, `app_installed_team_id` is the organisation's id.
  const installedAt = isOrgWide ? undefined : body.view?.app_installed_team_id;
  const team = installedAt ?? body.team_id ?? body.team?.id ?? body.user?.team_id;
  if (!team) throw new Error('Slack sent a request that names no workspace');
  const enterprise = body.enterprise?.id ?? body.enterprise_id;
  return { team, ...(isOrgWide && enterprise ? { enterprise } : {}) };
}

/** The workspace's `SlackDeps`, with a log whose lines all carry the id of this request. @throws NotInstalledError */
export async function depsAt(workspaces: Workspaces, body: RequestOrigin): Promise<SlackDeps> {
  const deps = await workspaces.at(workspaceOf(body));
  return { ...deps, log: deps.log.child({ request: randomUUID().slice(0, 8) }) };
}
