import { WebClient } from '@slack/web-api';
import { expect, it, onTestFinished } from 'vitest';
import {
  SECRETS,
  silent,
  startPlayground,
} from '../../../packages/slack-playground/test/helpers/slack-bot.ts';
import { createConversations } from '../../../src/slack/people/conversations.ts';

it('in a channel of 20,000, two calls say that somebody is a member, even once it is archived', async () => {
  const slack = await startPlayground();
  onTestFinished(() => slack.close());
  const { channels, people, bot } = slack;
  const web = new WebClient(SECRETS.botToken, { slackApiUrl: slack.apiUrl, logger: silent });
  const { hasMember } = createConversations({ web, core: {} as never });
  const crowd = Array.from({ length: 20_000 }, (_, at) => `U1${at}`);
  const members = [...crowd, people.member.id, bot.user_id];
  slack.addChannel({ ...channels.leads, members, is_archived: true });
  const isMember = (user: string) => hasMember(channels.leads.id, user);

  expect(await isMember(people.member.id)).toBe(true);
  expect(slack.calls.map(({ method }) => method)).toEqual(['conversations.members', 'users.conversations']);
  expect(await isMember('U10')).toBe(true);
  // Slack says nothing of the person's channels: all members are read.
  slack.fault({ method: 'users.conversations', fault: { kind: 'refused', error: 'user_not_found' } });
  expect(await isMember(people.member.id)).toBe(true);
  expect(await isMember(people.colleague.id)).toBe(false);
  slack.leave(channels.leads.id, people.member.id);
  expect(await isMember(people.member.id)).toBe(false);
});
