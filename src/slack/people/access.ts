import type { WebClient } from '@slack/web-api';
import type { Person } from '../../core/accounts/permissions.ts';

/** Slack did not say who or where somebody is: nothing may be done on their behalf. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  readonly code = 'person_unknown';

  constructor(options?: ErrorOptions) {
    super('Slack did not say who or where this person is.', options);
  }
}

/** Tells who a person is, by users.info, kept for five minutes. Fails closed. */
export interface Access {
  /**
   * @param homeTeam the workspace that the payload says the person belongs to, where it says so
   * @throws AccessError when Slack doesn't answer
   */
  person(user: string, homeTeam?: string): Promise<Person>;
}

const KEEP_MS = 300_000;

export function createAccess(deps: {
  web: WebClient;
  /** The workspace that runs the bot. */
  team: string;
  /** The organisation whose installation serves it, where that is so: its people may be in several workspaces. */
  enterprise?: string;
  admins: readonly string[];
  now(): number;
}): Access {
  const kept = new Map<string, { at: number; person: Person }>();

  async function ask(user: string): Promise<Person> {
    const { user: info } = await deps.web.users.info({ user });
    if (info?.id !== user || info.deleted) throw new AccessError();
    const { enterprise_user: inOrganisation } = info;
    const belongs =
      deps.enterprise === undefined
        ? info.team_id === undefined || info.team_id === deps.team
        : inOrganisation?.enterprise_id === deps.enterprise && inOrganisation.teams?.includes(deps.team);
    const isOutsider = info.is_stranger === true || !belongs;
    const isGuest = info.is_restricted === true || info.is_ultra_restricted === true;
    const isWorkspaceAdmin =
      info.is_admin === true || info.is_owner === true || info.is_primary_owner === true;
    const isAdmin = !isOutsider && (isWorkspaceAdmin || deps.admins.includes(user));
    return { id: user, team: deps.team, isAdmin, isGuest, isOutsider };
  }

  return {
    async person(user, homeTeam) {
      let found = kept.get(user);
      if (!found || deps.now() - found.at > KEEP_MS) {
        try {
          found = { at: deps.now(), person: await ask(user) };
        } catch (error) {
          throw error instanceof AccessError ? error : new AccessError({ cause: error });
        }
        kept.set(user, found);
      }
      const { person } = found;
      const fromElsewhere = homeTeam !== undefined && homeTeam !== deps.team;
      return fromElsewhere ? { ...person, isOutsider: true, isAdmin: false } : person;
    },
  };
}
