import { randomUUID } from 'node:crypto';
import type { BotIdentity, Installations, Place } from '../../core/workspaces/installations.ts';
import { createReplies } from '../answers/replies.ts';
import { createWebClient } from '../connection/web-client.ts';
import { createSlackDeps, type SlackDeps, type WorkspaceOptions } from './deps.ts';

/** The workspaces that the bot works in, with what it needs in each. */
export interface Workspaces {
  /** For a person's request in this workspace. @throws NotInstalledError */
  at(place: Place): Promise<SlackDeps>;
  /** For the bot's own work in this workspace; undefined if the bot is not installed. */
  of(team: string): Promise<SlackDeps | undefined>;
  /** Answers a person through response_url, before we know their workspace. */
  outside: Pick<SlackDeps, 'log' | 'replies'>;
}

/** Somebody uses the bot in a workspace that has not installed it. */
export class NotInstalledError extends Error {
  override readonly name = 'NotInstalledError';
  readonly code = 'not_installed';

  constructor({ team, enterprise }: Place) {
    super(`There is no installation for ${enterprise === undefined ? team : `${team} in ${enterprise}`}.`);
  }
}

/** The one workspace that a configured token belongs to. */
export function createOneWorkspace(deps: SlackDeps): Workspaces {
  return {
    at: async () => deps,
    of: async (team) => (team === deps.team ? deps : undefined),
    outside: deps,
  };
}

/** All workspaces that have installed the bot. Each keeps its `SlackDeps` until its token or its organisation changes. */
export function createSeveralWorkspaces(
  { core, slack, admins }: WorkspaceOptions,
  installations: Installations,
): Workspaces {
  const kept = new Map<string, { identity: BotIdentity; deps: SlackDeps }>();

  async function depsFor(team: string, identity: BotIdentity | undefined): Promise<SlackDeps | undefined> {
    if (!identity) return void kept.delete(team);
    const known = kept.get(team);
    const same =
      known?.identity.botToken === identity.botToken && known.identity.enterprise === identity.enterprise;
    // Record it each time: an organisation can remove a workspace and add it again with the same token.
    if (!same || identity.enterprise !== undefined) await installations.meet(identity);
    if (known && same) return known.deps;
    const { enterprise, botToken } = identity;
    const web = createWebClient(botToken, slack, enterprise === undefined ? undefined : team);
    const log = slack.log.child({ team });
    const deps = createSlackDeps({ core, slack: { ...slack, log }, admins }, { ...identity, web });
    kept.set(team, { identity, deps });
    return deps;
  }

  return {
    async at(place) {
      const deps = await depsFor(place.team, await installations.at(place));
      if (!deps) throw new NotInstalledError(place);
      return deps;
    },
    of: async (team) => depsFor(team, await installations.of(team)),
    outside: {
      log: slack.log,
      replies: createReplies({ web: createWebClient(undefined, slack), onCall: slack.onCall }),
    },
  };
}

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
