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

/** Tells who and where a person is, by users.info, kept for five minutes. */
export interface Access {
  /**
   * Fails closed.
   * @param homeTeam the workspace that the payload says the person belongs to, where it says so
   * @throws AccessError when Slack doesn't answer
   */
  person(user: string, homeTeam?: string): Promise<Person>;
  /** Their time zone, such as `Europe/London`; undefined where Slack names none, or doesn't answer. */
  timeZone(user: string): Promise<string | undefined>;
  /** Their name as people read it; undefined where Slack doesn't answer. */
  name(user: string): Promise<string | undefined>;
}

interface Known {
  person: Person;
  timeZone: string | undefined;
  name: string | undefined;
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
  const kept = new Map<string, Known & { at: number }>();

  async function ask(user: string): Promise<Known> {
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
    return {
      person: { id: user, team: deps.team, isAdmin, isGuest, isOutsider },
      timeZone: info.tz,
      name: info.real_name ?? info.name,
    };
  }

  async function known(user: string): Promise<Known> {
    const before = kept.get(user);
    if (before && deps.now() - before.at <= KEEP_MS) return before;
    try {
      const found = { at: deps.now(), ...(await ask(user)) };
      kept.set(user, found);
      return found;
    } catch (error) {
      throw error instanceof AccessError ? error : new AccessError({ cause: error });
    }
  }

  return {
    async person(user, homeTeam) {
      const { person } = await known(user);
      const fromElsewhere = homeTeam !== undefined && homeTeam !== deps.team;
      return fromElsewhere ? { ...person, isOutsider: true, isAdmin: false } : person;
    },
    async timeZone(user) {
      return (await known(user).catch(() => undefined))?.timeZone;
    },
    async name(user) {
      return (await known(user).catch(() => undefined))?.name;
    },
  };
}
