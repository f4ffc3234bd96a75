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
  { core, slack, admins, onReply }: WorkspaceOptions,
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
    const deps = createSlackDeps({ core, slack: { ...slack, log }, admins, onReply }, { ...identity, web });
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
      replies: createReplies({ web: createWebClient(undefined, slack), onCall: onReply }),
    },
  };
}
