import type { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Playground } from '../src/server.ts';
import { SECRETS, startPlayground, webClientOf } from './helpers/slack-bot.ts';

let slack: Playground;
let web: WebClient;

beforeEach(async () => {
  slack = await startPlayground();
  const slackApiUrl = slack.apiUrl;
  web = webClientOf({ apiUrl: slackApiUrl });
});
afterEach(() => slack.close());

const post = (text = 'hello') => web.chat.postMessage({ channel: slack.channels.sales.id, text });
const said = () => slack.history(slack.channels.sales.id).map((message) => message.text);
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'fine',
    (error) => error.code as string,
  );

test('a rate limit says when to try again, and posts nothing', async () => {
  slack.fault({ method: 'chat.postMessage', fault: { kind: 'rate_limited', retryAfter: 7 } });
  await expect(post()).rejects.toMatchObject({ code: 'slack_webapi_rate_limited_error', retryAfter: 7 });
  expect(said()).toEqual([]);
  await post();
  expect(said()).toEqual(['hello']);
  expect(slack.calls.map((call) => call.status)).toEqual([429, 200]);
});

test('each plan is for its method and its count; the first plan is used up first', async () => {
  slack.fault({ method: 'chat.postMessage', fault: { kind: 'server_error' }, count: 2 });
  slack.fault({ method: 'chat.postMessage', fault: { kind: 'refused', error: 'internal_error' } });
  expect((await web.auth.test()).ok).toBe(true);
  expect(await codeOf(post())).toBe('slack_webapi_http_error');
  expect(await codeOf(post())).toBe('slack_webapi_http_error');
  await expect(post()).rejects.toMatchObject({ data: { error: 'internal_error' } });
  expect(said()).toEqual([]);
  await post();
  slack.fault({ method: '*', fault: { kind: 'server_error' }, count: Number.POSITIVE_INFINITY });
  expect(await codeOf(post())).toBe('slack_webapi_http_error');
  expect(await codeOf(web.auth.test())).toBe('slack_webapi_http_error');
  slack.clearFaults();
  expect((await web.auth.test()).ok).toBe(true);
});

test('a lost answer comes after the work', async () => {
  slack.fault({ method: 'chat.postMessage', fault: { kind: 'lost_answer' } });
  expect(await codeOf(post('once'))).toBe('slack_webapi_request_error');
  expect(said()).toEqual(['once']);
  expect(slack.calls).toMatchObject([{ method: 'chat.postMessage', result: { ok: true } }]);
});

test('a hanging call does nothing, and a reset ends it', async () => {
  slack.fault({ method: 'chat.postMessage', fault: { kind: 'hang' } });
  const hanging = codeOf(post());
  await slack.waitFor(() => slack.calls.length === 1);
  expect(said()).toEqual([]);
  slack.reset();
  expect(await hanging).toBe('slack_webapi_request_error');
});

test('a hanging call does not keep the playground open', async () => {
  const other = await startPlayground();
  other.fault({ method: 'auth.test', fault: { kind: 'hang' } });
  const headers = { authorization: `Bearer ${SECRETS.botToken}` };
  const hanging = fetch(`${other.apiUrl}auth.test`, { method: 'POST', headers }).catch(() => 'dropped');
  await other.waitFor(() => other.calls.length === 1);
  await other.close();
  expect(await hanging).toBe('dropped');
});
