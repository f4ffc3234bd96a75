import { expect, test } from 'vitest';
import type { Link } from '../../../src/core/accounts/links.ts';
import { mayAdminister, type Person, sendRefusal } from '../../../src/core/accounts/permissions.ts';
import { aPerson, settings } from '../../helpers/core-people.ts';

const PEOPLE = {
  admin: aPerson({ isAdmin: true }),
  member: aPerson(),
  guest: aPerson({ isGuest: true }),
  outsider: aPerson({ isOutsider: true }),
  // `SLACK_ADMIN_IDS` names a guest.
  'guest named as admin': aPerson({ isGuest: true, isAdmin: true }),
  'outsider named as admin': aPerson({ isOutsider: true, isAdmin: true }),
};

const LINKS = {
  everyone: {},
  'everyone and guests': { guests: true },
  admins: { whoCanSend: 'admins' },
  'admins and guests': { whoCanSend: 'admins', guests: true },
  'chosen, this one': { whoCanSend: 'chosen', people: ['U-ana'] },
  'chosen, another': { whoCanSend: 'chosen', people: ['U-ben'] },
  'chosen, another, and guests': { whoCanSend: 'chosen', people: ['U-ben'], guests: true },
  // The names are left from another rule, so they count for nothing.
  'everyone, with names left over': { people: ['U-ana'] },
} as const;

const YES = undefined;
const TABLE: { [person in keyof typeof PEOPLE]: { [link in keyof typeof LINKS]: string | undefined } } = {
  admin: {
    everyone: YES,
    'everyone and guests': YES,
    admins: YES,
    'admins and guests': YES,
    'chosen, this one': YES,
    'chosen, another': YES,
    'chosen, another, and guests': YES,
    'everyone, with names left over': YES,
  },
  member: {
    everyone: YES,
    'everyone and guests': YES,
    admins: 'admins_only',
    'admins and guests': 'admins_only',
    'chosen, this one': YES,
    'chosen, another': 'not_chosen',
    'chosen, another, and guests': 'not_chosen',
    'everyone, with names left over': YES,
  },
  guest: {
    everyone: 'guest',
    'everyone and guests': YES,
    admins: 'guest',
    'admins and guests': 'admins_only',
    'chosen, this one': YES,
    'chosen, another': 'guest',
    'chosen, another, and guests': 'not_chosen',
    'everyone, with names left over': 'guest',
  },
  outsider: {
    everyone: 'outsider',
    'everyone and guests': YES,
    admins: 'outsider',
    'admins and guests': 'admins_only',
    'chosen, this one': YES,
    'chosen, another': 'outsider',
    'chosen, another, and guests': 'not_chosen',
    'everyone, with names left over': 'outsider',
  },
  'guest named as admin': {
    everyone: 'guest',
    'everyone and guests': YES,
    admins: 'guest',
    'admins and guests': 'admins_only',
    'chosen, this one': YES,
    'chosen, another': 'guest',
    'chosen, another, and guests': 'not_chosen',
    'everyone, with names left over': 'guest',
  },
  'outsider named as admin': {
    everyone: 'outsider',
    'everyone and guests': YES,
    admins: 'outsider',
    'admins and guests': 'admins_only',
    'chosen, this one': YES,
    'chosen, another': 'outsider',
    'chosen, another, and guests': 'not_chosen',
    'everyone, with names left over': 'outsider',
  },
};

const rows = Object.entries(TABLE).flatMap(([person, links]) =>
  Object.entries(links).map(([link, refusal]) => ({ person, link, refusal })),
);

test.each(rows)('$person, if $link may send: $refusal', ({ person, link, refusal }) => {
  const who = PEOPLE[person as keyof typeof PEOPLE];
  const over = LINKS[link as keyof typeof LINKS] as Partial<Link>;
  const where = {
    ...settings(over),
    team: 'T1',
    channel: 'C-sales',
    instanceId: 'i1',
    linkedBy: 'U',
    linkedAt: 0,
  } as Link;
  expect(sendRefusal(who, where)).toBe(refusal);
});

test('only admins of this workspace administer', () => {
  const may = Object.entries<Person>(PEOPLE).filter(([, person]) => mayAdminister(person));
  expect(may.map(([name]) => name)).toEqual(['admin']);
});
