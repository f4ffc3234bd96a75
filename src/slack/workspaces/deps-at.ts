import { randomUUID } from 'node:crypto';
import type { Place } from '../../core/workspaces/installations.ts';
import type { SlackDeps } from './deps.ts';
import type { Workspaces } from './workspaces.ts';

/** What requests of Slack's say of where they come from; each kind has some of it. */
export interface FromSomewhere {
  team_id?: string | undefined;
  enterprise_id?: string | undefined;
  /** The text 'true' in commands: docs.slack.dev/interactivity/implementing-slash-commands. */
  is_enterprise_install?: boolean | string | undefined;
  /** Null where the app is installed for a whole organisation. */
  team?: { id: string } | null | undefined;
  enterprise?: { id: string } | null | undefined;
  user?: { team_id?: string | undefined } | undefined;
  view?: { app_installed_team_id?: string | undefined } | undefined;
}

/**
 * The workspace that a command, click or form acts in: the one that has installed the bot. In a shared channel people
 * of other workspaces press its buttons too; theirs is in `user`, and counts only if Slack names no other.
 */
export function placeOf(body: FromSomewhere): Place {
  const isOrgWide = String(body.is_enterprise_install) === 'true';
  // For an organisation's installation this names the organisation.
  const installedAt = isOrgWide ? undefined : body.view?.app_installed_team_id;
  const team = installedAt ?? body.team_id ?? body.team?.id ?? body.user?.team_id;
  if (!team) throw new Error('a request of Slack’s names no workspace');
  const enterprise = body.enterprise?.id ?? body.enterprise_id;
  return { team, ...(isOrgWide && enterprise ? { enterprise } : {}) };
}

/**
 * What a command, click or form works with in its workspace. Its log puts one `request` at all that comes of it. Where a
 * send is made or decided, its line has the `send` too, which everything after that is logged with. @throws NotInstalledError
 */
export async function depsAt(workspaces: Workspaces, body: FromSomewhere): Promise<SlackDeps> {
  const deps = await workspaces.at(placeOf(body));
  return { ...deps, log: deps.log.child({ request: randomUUID().slice(0, 8) }) };
}
