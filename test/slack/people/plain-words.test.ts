import { WebClient } from '@slack/web-api';
import type { Playground } from 'slack-playground';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  SECRETS,
  silent,
  startPlayground,
} from '../../../packages/slack-playground/test/helpers/slack-bot.ts';
import { plainWords } from '../../../src/slack/people/plain-words.ts';

let slack: Playground;
let web: WebClient;
beforeAll(async () => {
  slack = await startPlayground();
  web = new WebClient(SECRETS.botToken, {
    slackApiUrl: slack.apiUrl,
    logger: silent,
    retryConfig: { retries: 0 },
  });
});
afterAll(() => slack.close());

it.each([
  ['<@U0MEMBER01> and <@U0MEMBER01|the boss>', '@ana and @the boss'],
  ['<#C0SALES001> and <#C0SALES001|> and <#C0SALES001|deals>', '#sales and #sales and #deals'],
  ['<@U0NOBODY00> in <#C0NOWHERE0> with <!subteam^S012AB3CD>', '@someone in #channel with @group'],
  ['<#C0LEADS001>, which is private', '#channel, which is private'],
  ['<!subteam^S012AB3CD|@night-shift> <!here>', '@night-shift @here'],
  [
    '<https://example.com/a?b=1&amp;c=2> <https://example.com/?a&amp;b|our site> <mailto:a@example.com|Ana>',
    'https://example.com/a?b=1&c=2 our site (https://example.com/?a&b) Ana (a@example.com)',
  ],
  [
    '<http://Example.com|Example.com> <https://example.com/|example.com> <https://a.example/b|https://a.example/b>',
    'Example.com example.com https://a.example/b',
  ],
  ['<tel:+442079460958|020 7946 0958> <mailto:a@example.com|a@example.com>', '020 7946 0958 a@example.com'],
  [':wave::skin-tone-3: :our-logo: 1 &lt; 2 &amp;lt;', '👋🏼 :our-logo: 1 < 2 &lt;'],
])('%j reads as %j', async (text, words) => {
  expect(await plainWords(web, text)).toBe(words);
});

it('a name that looks like one of Slack’s signs is only a name', async () => {
  slack.addUser({ ...slack.people.member, id: 'U0ODDNAME1', name: '<!here> & co', real_name: '' });
  expect(await plainWords(web, 'Ask <@U0ODDNAME1>')).toBe('Ask @<!here> & co');
});
