import { WebClient } from '@slack/web-api';
import { expect, it, onTestFinished } from 'vitest';
import {
  SECRETS,
  silent,
  startPlayground,
} from '../../../packages/slack-playground/test/helpers/slack-bot.ts';
import { createAccess } from '../../../src/slack/people/access.ts';

/** A Slack, and the bot's knowledge of its people. */
async function start(seeds: Parameters<typeof startPlayground>[0] = {}) {
  const slack = await startPlayground(seeds);
  onTestFinished(() => slack.close());
  const web = new WebClient(SECRETS.botToken, {
    slackApiUrl: slack.apiUrl,
    logger: silent,
    retryConfig: { retries: 0 },
  });
  return { slack, access: createAccess({ web, team: slack.team.id, admins: [] }) };
}

it.each(['user_not_found', 'user_not_visible'])(
  'of whom Slack says %s, nobody is present: no message waits for them',
  async (error) => {
    const { slack, access } = await start();
    slack.fault({ method: 'users.info', fault: { kind: 'refused', error } });
    expect(await access.present('U0ELSEWHERE')).toBeUndefined();
    slack.fault({ method: 'users.info', fault: { kind: 'refused', error: 'fatal_error' } });
    await expect(access.present('U0ELSEWHERE')).rejects.toThrow('did not say');
  },
);

it('the same person again is an admin no more, and from elsewhere still', async () => {
  const { slack, access } = await start();
  const { admin } = slack.people;
  const before = await access.person(admin.id);
  const away = await access.person(admin.id, 'T0ELSEWHERE');
  expect([before.isAdmin, away.isAdmin, away.isOutsider]).toEqual([true, false, true]);
  expect(await access.again(away)).toEqual(away);
  slack.addUser({ ...admin, is_admin: false });
  expect((await access.again(before)).isAdmin).toBe(false);
  expect((await access.person(admin.id)).isAdmin).toBe(false);
  slack.addUser({ ...admin, deleted: true });
  await expect(access.again(before)).rejects.toThrow('did not say');
});

it.each([
  ['europe/berlin', 'Europe/Berlin'],
  ['Nowhere/Atall', 'UTC'],
  ['', 'UTC'],
])('of somebody whose time zone Slack names as "%s", it is %s', async (tz, zone) => {
  const { slack, access } = await start({ seeds: { people: { member: { tz } } } });
  expect(await access.timeZone(slack.people.member.id)).toBe(zone);
  await slack.close();
  // From here on, Slack does not answer.
  expect(await access.timeZone('U0NOBODY')).toBe('UTC');
});

it.each([
  // Slack names one workspace of a person of several: https://github.com/slackapi/bolt-js/issues/1875
  {
    of: 'this workspace and others',
    team_id: 'T0OTHER',
    home: 'T0OTHER',
    teams: ['T0OTHER', 'T0HERE'],
    isOutsider: false,
  },
  { of: 'this workspace', team_id: undefined, home: 'E0ORGANISATION', teams: ['T0HERE'], isOutsider: false },
  // Slack may name none: https://github.com/looker/lookerbot/issues/184
  { of: 'another workspace', team_id: undefined, home: undefined, teams: ['T0OTHER'], isOutsider: true },
])(
  'a person of $of in the same organisation: an outsider is $isOutsider',
  async ({ team_id, home, teams, isOutsider }) => {
    const { slack } = await start();
    const web = new WebClient(SECRETS.botToken, { slackApiUrl: slack.apiUrl, logger: silent });
    const access = createAccess({ web, team: 'T0HERE', admins: [] });
    const { admin } = slack.people;
    const enterprise_user = { id: admin.id, enterprise_id: 'E0ORGANISATION', teams };
    slack.addUser({ ...admin, team_id, enterprise_user } as unknown as typeof admin);
    expect(await access.person(admin.id, home)).toMatchObject({ isOutsider, isAdmin: !isOutsider });
    expect(await access.present(admin.id)).toMatchObject({ isOutsider });
  },
);
