import type { Channel, Team, User } from './types.ts';

/** The workspace that the app is installed in. */
export const TEAM: Team = { id: 'T0PLAYGRND', name: 'Playground', domain: 'playground' };
/** The outsider's workspace. */
const OTHER_TEAM_ID = 'T0ELSEWHER';
/** An app and its bot, as the installation knows them. */
export interface App {
  user_id: string;
  bot_id: string;
  app_id: string;
  name: string;
}
/** The default app. */
export const APP: App = {
  user_id: 'U0PLAYBOT1',
  bot_id: 'B0PLAYBOT1',
  app_id: 'A0PLAYBOT1',
  name: 'playbot',
};

/** The people, by their role. */
export type PersonKey = 'owner' | 'admin' | 'member' | 'colleague' | 'guest' | 'outsider';
/** The conversations by name; `duet` is the direct message of the two members. */
export type ChannelKey = 'sales' | 'support' | 'leads' | 'partners' | 'duet';

/** What a workspace begins with. */
export interface Seeds {
  people: Record<PersonKey, User>;
  channels: Record<ChannelKey, Channel>;
}

/** Fields that replace those of the seeds. */
export interface SeedOverrides {
  people?: Partial<Record<PersonKey, Partial<User>>>;
  channels?: Partial<Record<ChannelKey, Partial<Channel>>>;
}

/** A person without any special right; `fields` override. */
export function person(fields: Pick<User, 'id' | 'name'> & Partial<User>): User {
  return {
    real_name: fields.name.slice(0, 1).toUpperCase() + fields.name.slice(1),
    team_id: TEAM.id,
    is_admin: false,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: false,
    is_ultra_restricted: false,
    is_stranger: false,
    is_bot: false,
    deleted: false,
    tz: 'Europe/London',
    ...fields,
  };
}

/** A public channel with nobody in it; `fields` override. */
export function channel(fields: Pick<Channel, 'id' | 'name'> & Partial<Channel>): Channel {
  return { kind: 'public', members: [], is_archived: false, is_ext_shared: false, ...fields };
}

/**
 * Owner, admin, two members, a guest and somebody from another workspace. The bot is in #sales, #leads (private) and
 * #partners, but not in #support. The guest and the outsider are only in #partners, which is shared.
 */
export function createSeeds(overrides: SeedOverrides = {}, team: Team = TEAM, app: App = APP): Seeds {
  const make = (key: PersonKey, fields: Pick<User, 'id' | 'name'> & Partial<User>) =>
    person({ team_id: team.id, ...fields, ...overrides.people?.[key] });
  const people = {
    owner: make('owner', {
      id: 'U0OWNER001',
      name: 'olga',
      is_admin: true,
      is_owner: true,
      is_primary_owner: true,
    }),
    admin: make('admin', { id: 'U0ADMIN001', name: 'adam', is_admin: true }),
    member: make('member', { id: 'U0MEMBER01', name: 'ana' }),
    colleague: make('colleague', { id: 'U0MEMBER02', name: 'ben' }),
    guest: make('guest', { id: 'U0GUEST001', name: 'gus', is_restricted: true }),
    outsider: make('outsider', {
      id: 'U0OUTSIDER',
      name: 'otto',
      team_id: OTHER_TEAM_ID,
      is_stranger: true,
    }),
  };
  const { owner, admin, member, colleague, guest, outsider } = people;
  const staff = [owner.id, admin.id, member.id, colleague.id];
  const room = (key: ChannelKey, fields: Pick<Channel, 'id' | 'name'> & Partial<Channel>) =>
    channel({ ...fields, ...overrides.channels?.[key] });
  const channels = {
    sales: room('sales', { id: 'C0SALES001', name: 'sales', members: [...staff, app.user_id] }),
    support: room('support', { id: 'C0SUPPORT1', name: 'support', members: staff }),
    leads: room('leads', {
      id: 'C0LEADS001',
      name: 'leads',
      kind: 'private',
      members: [admin.id, member.id, app.user_id],
    }),
    partners: room('partners', {
      id: 'C0PARTNERS',
      name: 'partners',
      is_ext_shared: true,
      members: [admin.id, member.id, guest.id, outsider.id, app.user_id],
    }),
    duet: room('duet', { id: 'D0DUET0001', name: '', kind: 'im', members: [member.id, colleague.id] }),
  };
  return { people, channels };
}
