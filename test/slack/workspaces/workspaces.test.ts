import { expect, test } from 'vitest';
import { workspaceOf } from '../../../src/slack/workspaces/workspaces.ts';

const enterprise = { id: 'E1' };

test.each([
  ['a command', { team_id: 'T1', is_enterprise_install: 'false' }, { team: 'T1' }],
  [
    'a command in an organisation whose workspace has its own installation',
    { team_id: 'T1', enterprise_id: 'E1', is_enterprise_install: 'false' },
    { team: 'T1' },
  ],
  [
    'a command where the organisation installed it',
    { team_id: 'T1', enterprise_id: 'E1', is_enterprise_install: 'true' },
    { team: 'T1', enterprise: 'E1' },
  ],
  ['a click', { team: { id: 'T1' }, user: { team_id: 'T1' }, enterprise: null }, { team: 'T1' }],
  [
    'a click by somebody of another workspace, in a shared channel',
    { team: { id: 'T1' }, user: { team_id: 'T2' } },
    { team: 'T1' },
  ],
  [
    'a click where the organisation installed it',
    { team: null, enterprise, is_enterprise_install: true, user: { team_id: 'T1' } },
    { team: 'T1', enterprise: 'E1' },
  ],
  [
    'a form that was opened from another workspace',
    { team: { id: 'T2' }, user: { team_id: 'T2' }, view: { app_installed_team_id: 'T1' } },
    { team: 'T1' },
  ],
  [
    'a form where the organisation installed it: there the view names that',
    {
      team: null,
      enterprise,
      is_enterprise_install: true,
      user: { team_id: 'T1' },
      view: { app_installed_team_id: 'E1' },
    },
    { team: 'T1', enterprise: 'E1' },
  ],
])('%s', (_what, body, place) => {
  expect(workspaceOf(body)).toEqual(place);
});

test('a request that names no workspace acts in none', () => {
  expect(() => workspaceOf({ user: {} })).toThrow('names no workspace');
});
