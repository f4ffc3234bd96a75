import { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import {
  SECRETS,
  silent,
  startPlayground,
} from '../../../packages/slack-playground/test/helpers/slack-bot.ts';
import { createAccess } from '../../../src/slack/people/access.ts';

it.each([
  ['europe/berlin', 'Europe/Berlin'],
  ['Nowhere/Atall', 'UTC'],
  ['', 'UTC'],
])('of somebody whose time zone Slack names as "%s", it is %s', async (tz, zone) => {
  const slack = await startPlayground({ seeds: { people: { member: { tz } } } });
  const web = new WebClient(SECRETS.botToken, {
    slackApiUrl: slack.apiUrl,
    logger: silent,
    retryConfig: { retries: 0 },
  });
  const access = createAccess({ web, team: slack.team.id, admins: [] });
  expect(await access.timeZone(slack.people.member.id)).toBe(zone);
  await slack.close();
  // Slack no longer answers.
  expect(await access.timeZone('U0NOBODY')).toBe('UTC');
});
