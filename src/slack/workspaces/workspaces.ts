import type { Place } from '../../core/workspaces/installations.ts';
import type { SlackDeps } from './deps.ts';

/** The workspaces that the bot works in, with what it needs in each. */
export interface Workspaces {
  /** For something that a person does there. @throws NotInstalledError */
  at(place: Place): Promise<SlackDeps>;
  /** For something that the bot does there by itself; undefined if it is not installed. */
  of(team: string): Promise<SlackDeps | undefined>;
  /** For answers before we know the person's workspace: they go by response_url. */
  outside: Pick<SlackDeps, 'log' | 'replies'>;
}

/** The bot is not installed where somebody uses it. */
export class NotInstalledError extends Error {
  override readonly name = 'NotInstalledError';
  readonly code = 'not_installed';

  constructor({ team, enterprise }: Place) {
    super(`There is no installation for ${enterprise === undefined ? team : `${team} in ${enterprise}`}.`);
  }
}

/** The one workspace that a configured token belongs to: nothing has to be looked up. */
export function createOneWorkspace(deps: SlackDeps): Workspaces {
  return {
    at: async () => deps,
    of: async (team) => (team === deps.team ? deps : undefined),
    outside: deps,
  };
}
