import { afterEach, beforeEach, expect, test } from 'vitest';
import { RESPONSE_URL_LIFE_MS } from '../src/response-urls.ts';
import type { Playground } from '../src/server.ts';
import { createClock, startHttpBot, startPlayground } from './helpers/slack-bot.ts';

let slack: Playground;
let stop: () => Promise<unknown>;
const clock = createClock();

beforeEach(async () => {
  slack = await startPlayground({ clock: clock.now });
  const bot = await startHttpBot(slack, (app) => {
    app.command('/app', async ({ ack }) => ack());
    app.action('go', async ({ ack }) => ack());
  });
  stop = bot.stop;
});
afterEach(async () => {
  await stop();
  await slack.close();
});

async function respond(url: unknown, body: object) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(String(url), { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as { ok: boolean; error?: string } };
}

/** Types a command in a channel without the bot, so that it can only answer by the response_url. */
async function ask() {
  const { payload } = await slack.command({
    user: slack.people.member,
    channel: slack.channels.support,
    text: 'x',
  });
  return payload.response_url;
}

const blocks = [
  {
    type: 'actions',
    elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }],
  },
];

/** Posts an ephemeral message by `url` and clicks its button. */
async function clickOf(url: unknown) {
  await respond(url, { text: 'card', blocks });
  const message = slack.ephemerals(slack.people.member.id).at(-1);
  if (!message) throw new Error('There is no ephemeral.');
  const { payload } = await slack.click({ user: slack.people.member, message, action_id: 'go' });
  return { message, url: payload.response_url };
}

test('five uses, then none', async () => {
  const url = await ask();
  for (let i = 1; i <= 5; i += 1) expect(await respond(url, { text: `${i}` })).toMatchObject({ status: 200 });
  expect(await respond(url, { text: '6' })).toEqual({ status: 404, body: { ok: false, error: 'used_url' } });
  expect(slack.ephemerals(slack.people.member.id).map((m) => m.text)).toEqual(['1', '2', '3', '4', '5']);
});

test('thirty minutes, then none', async () => {
  const url = await ask();
  clock.forward(RESPONSE_URL_LIFE_MS);
  expect(await respond(url, { text: 'in time' })).toMatchObject({ status: 200 });
  clock.forward(1);
  expect(await respond(url, { text: 'late' })).toEqual({
    status: 404,
    body: { ok: false, error: 'expired_url' },
  });
  const other = String(url).replace(/\w+$/, 'unknown');
  expect(await respond(other, { text: 'nowhere' })).toMatchObject({ status: 404 });
});

test('answers are ephemeral by default; a public one shows the command', async () => {
  const url = await ask();
  const channel = slack.channels.support.id;
  await respond(url, { text: 'for you' });
  expect(slack.history(channel)).toEqual([]);
  await respond(url, { text: 'for all', response_type: 'in_channel' });
  await respond(url, { text: 'again', response_type: 'in_channel' });
  expect(slack.history(channel).map((m) => m.text)).toEqual(['/app x', 'for all', 'again']);
});

test('the answer to a click replaces or deletes the original', async () => {
  const first = await clickOf(await ask());
  await respond(first.url, { text: 'new', replace_original: true });
  expect(slack.ephemerals(slack.people.member.id)).toMatchObject([
    { ts: first.message.ts, text: 'new', blocks: [] },
  ]);
  await respond(first.url, { text: 'another' });
  expect(slack.ephemerals(slack.people.member.id)).toHaveLength(2);
  await respond(first.url, { delete_original: true });
  expect(slack.ephemerals(slack.people.member.id).map((m) => m.text)).toEqual(['another']);
});

test('replacing a message that a reload removed shows nothing', async () => {
  const { url } = await clickOf(await ask());
  slack.reload(slack.people.member.id);
  expect(await respond(url, { text: 'new', replace_original: true })).toMatchObject({ status: 200 });
  expect(slack.ephemerals(slack.people.member.id)).toEqual([]);
});

test('refuses blocks that break a limit; the records have them, and each post', async () => {
  const url = await ask();
  const answer = await respond(url, { text: 'x', blocks: [{ type: 'header' }] });
  expect(answer).toMatchObject({ status: 400, body: { ok: false, error: 'invalid_blocks' } });
  expect(slack.failures).toMatchObject([{ source: 'response_url' }]);
  expect(await respond(url, {})).toMatchObject({ status: 400, body: { error: 'no_text' } });
  await respond(url, { blocks });
  expect(slack.warnings).toMatchObject([{ source: 'response_url' }]);
  expect(slack.calls.filter((call) => call.method === 'response_url').map((call) => call.status)).toEqual([
    400, 400, 200,
  ]);
});
