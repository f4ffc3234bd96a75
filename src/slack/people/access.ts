import type { UsersInfoResponse, UsersListResponse, WebClient } from '@slack/web-api';
import { mayAdminister, type Person } from '../../core/accounts/permissions.ts';
import { canonicalTimeZone } from '../../core/budgets/calendar.ts';
import { createShortCache } from '../../core/short-cache.ts';
import type { Place } from '../../core/workspaces/installations.ts';
import { slackErrorOf } from '../connection/slack-error.ts';

/** Slack did not say who somebody is, or whether they are in a channel: the bot does nothing for them. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  readonly code = 'person_unknown';

  constructor(options?: ErrorOptions) {
    super('Slack did not say who or where this person is.', options);
  }
}

const KEEP_MS = 300_000;
/** The search for an admin reads this many people at most, page by page. */
const PAGE = 200;
const MOST_PAGES = 5;
/** Slack's words for somebody that it does not know here: docs.slack.dev/reference/methods/users.info. */
const NOT_HERE = new Set(['user_not_found', 'user_not_visible']);
/** Slack's own app, which has no `is_bot`. */
const SLACKBOT = 'USLACKBOT';

type UserInfo = NonNullable<UsersInfoResponse['user']>;

export type Access = ReturnType<typeof createAccess>;

/** The workspace that asks who somebody is. `admins`: Slack user ids, beside the admins of the workspace. */
type Workspace = Place & { web: WebClient; admins: readonly string[] };

/** Says who a person is and where they belong, by users.info. Keeps most answers for five minutes. */
export function createAccess(workspace: Workspace) {
  const recent = createShortCache<ReturnType<typeof read>>(KEEP_MS, () => performance.now());

  function known(user: string, maxAgeMs?: number) {
    const find = async () => {
      const info = await look(workspace.web, user);
      if (info.deleted) throw new AccessError();
      return read(workspace, user, info);
    };
    return recent(user, find, maxAgeMs);
  }

  return {
    /** Who clicked or typed. `homeTeam`: where Slack's request says they belong; `maxAgeMs`: of the answer. @throws AccessError */
    async person(user: string, homeTeam?: string, maxAgeMs?: number): Promise<Person> {
      const { person, isMember } = await known(user, maxAgeMs);
      // Of a person of several workspaces, a request names only one.
      return withOrigin(person, !isMember && homeTeam !== undefined && homeTeam !== workspace.team);
    },
    /** The person as of now: for texts, keys, links, limits, approvals and opt-outs. @throws AccessError */
    async again({ id, isOutsider }: Person): Promise<Person> {
      return withOrigin((await known(id, 0)).person, isOutsider);
    },
    /** Who somebody is now; undefined if they were deactivated or are not known here. @throws AccessError */
    async present(user: string): Promise<Person | undefined> {
      const info = await lookHere(workspace.web, user);
      return info && !info.deleted ? read(workspace, user, info).person : undefined;
    },
    /** Their time zone, such as `Europe/London`; UTC if Slack names none that we know, or doesn't answer. */
    async timeZone(user: string): Promise<string> {
      const named = (await known(user).catch(() => undefined))?.timeZone;
      return canonicalTimeZone(named ?? '') ?? 'UTC';
    },
    /** Their name as people read it; undefined if Slack doesn't answer. */
    async name(user: string): Promise<string | undefined> {
      return (await known(user).catch(() => undefined))?.name;
    },
    /** Why somebody is no member of the workspace now; undefined for its members. @throws AccessError */
    async visitor(user: string) {
      const info = await lookHere(workspace.web, user);
      if (!info) return { why: 'unknown', name: undefined } as const;
      const { person, name = user } = read(workspace, user, info);
      if (info.deleted) return { why: 'deactivated', name } as const;
      if (isApp(info)) return { why: 'app', name } as const;
      if (person.isOutsider) return { why: 'outsider', name } as const;
      return person.isGuest ? ({ why: 'guest', name } as const) : undefined;
    },
    /** Whether the workspace has an admin besides this person; also true if Slack doesn't answer, or lists too many people. */
    hasAdminBesides: (user: string): Promise<boolean> => hasAdminBesides(workspace, user).catch(() => true),
  };
}

async function look(web: WebClient, user: string): Promise<UserInfo> {
  try {
    const { user: info } = await web.users.info({ user });
    if (info?.id !== user) throw new AccessError();
    return info;
  } catch (error) {
    throw error instanceof AccessError ? error : new AccessError({ cause: error });
  }
}

/** Undefined if Slack does not know them here. @throws AccessError */
async function lookHere(web: WebClient, user: string): Promise<UserInfo | undefined> {
  try {
    return await look(web, user);
  } catch (error) {
    if (error instanceof AccessError && NOT_HERE.has(slackErrorOf(error.cause) ?? '')) return undefined;
    throw error;
  }
}

function read({ team, enterprise, admins }: Workspace, user: string, info: UserInfo) {
  const { enterprise_user: inOrganisation } = info;
  // Whether Slack lists this workspace among those of a person of an organisation. Undefined if it lists none.
  const isMember = inOrganisation?.teams?.includes(team);
  const belongs =
    enterprise === undefined
      ? info.team_id === team || (isMember ?? info.team_id === undefined)
      : inOrganisation?.enterprise_id === enterprise && isMember;
  const isOutsider = info.is_stranger === true || !belongs;
  const isGuest = info.is_restricted === true || info.is_ultra_restricted === true;
  const isWorkspaceAdmin = info.is_admin === true || info.is_owner === true || info.is_primary_owner === true;
  const isAdmin = !isOutsider && (isWorkspaceAdmin || admins.includes(user));
  const person: Person = { id: user, team, isAdmin, isGuest, isOutsider };
  return { person, isMember, timeZone: info.tz, name: info.real_name ?? info.name };
}

/** Adds what a request says about where the person belongs. So a request can only take rights away. */
function withOrigin(person: Person, isElsewhere: boolean): Person {
  return isElsewhere ? { ...person, isOutsider: true, isAdmin: false } : person;
}

function isApp({ id, is_bot }: UserInfo): boolean {
  return is_bot === true || id === SLACKBOT;
}

async function hasAdminBesides(workspace: Workspace, user: string): Promise<boolean> {
  const pages: AsyncIterable<UsersListResponse> = workspace.web.paginate('users.list', { limit: PAGE });
  let pagesLeft = MOST_PAGES;
  for await (const { members = [], response_metadata } of pages) {
    const others = members.filter((each) => each.id !== user && !each.deleted && !isApp(each));
    if (others.some((each) => mayAdminister(read(workspace, each.id ?? '', each).person))) return true;
    pagesLeft -= 1;
    // A workspace of a thousand people is not run by one admin.
    if (pagesLeft === 0) return Boolean(response_metadata?.next_cursor);
  }
  return false;
}
