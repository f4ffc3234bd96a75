import { WebClient } from '@slack/web-api';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Playground } from '../src/server.ts';
import { SECRETS, silent, startPlayground } from './helpers/slack-bot.ts';

let slack: Playground;
let web: WebClient;

function client(token?: string): WebClient {
  return new WebClient(token, { slackApiUrl: slack.apiUrl, logger: silent, retryConfig: { retries: 0 } });
}

/** The error code and messages of a refused call. */
async function refusal(call: Promise<unknown>): Promise<{ error: string; messages?: string[] }> {
  const failed = await call.then(
    () => {
      throw new Error('Slack did not refuse.');
    },
    (error) => error,
  );
  const { error, response_metadata } = failed.data;
  return response_metadata?.messages ? { error, messages: response_metadata.messages } : { error };
}

beforeAll(async () => {
  slack = await startPlayground();
  web = client(SECRETS.botToken);
});
beforeEach(() => slack.reset());
afterAll(() => slack.close());

describe('tokens', () => {
  test('each is checked', async () => {
    expect(await refusal(client().auth.test())).toEqual({ error: 'not_authed' });
    expect(await refusal(client('xoxb-other').auth.test())).toEqual({ error: 'invalid_auth' });
    expect(await refusal(client(SECRETS.appToken).auth.test())).toEqual({ error: 'not_allowed_token_type' });
    expect(await refusal(web.apps.connections.open())).toEqual({ error: 'not_allowed_token_type' });
    expect((await client(SECRETS.appToken).apps.connections.open()).url).toMatch(
      /^ws:\/\/127\.0\.0\.1:\d+\/link\?/,
    );
  });

  test('auth.test answers with the bot', async () => {
    expect(await web.auth.test()).toMatchObject({
      ok: true,
      team_id: slack.team.id,
      user_id: slack.bot.user_id,
      bot_id: slack.bot.bot_id,
    });
  });

  test('the records have no token', async () => {
    await fetch(`${slack.apiUrl}auth.test`, {
      method: 'POST',
      body: new URLSearchParams({ token: SECRETS.botToken, extra: '1' }),
    });
    expect(slack.calls).toMatchObject([{ method: 'auth.test', args: { extra: '1' }, result: { ok: true } }]);
    expect(JSON.stringify(slack.calls)).not.toContain(SECRETS.botToken);
  });

  test('only the newest `keptRecords` records are kept', async () => {
    const own = await startPlayground({ keptRecords: 2 });
    const headers = { authorization: `Bearer ${SECRETS.botToken}` };
    for (const user of ['U1', 'U2', 'U3']) {
      const body = new URLSearchParams({ user });
      await fetch(`${own.apiUrl}users.info`, { method: 'POST', headers, body });
    }
    await own.close();
    expect(own.calls.map(({ args }) => args.user)).toEqual(['U2', 'U3']);
  });

  test('an unknown method and bad JSON', async () => {
    for (const method of ['chat.shout', 'constructor'])
      expect(await refusal(web.apiCall(method))).toEqual({ error: 'unknown_method' });
    const headers = { authorization: `Bearer ${SECRETS.botToken}`, 'content-type': 'application/json' };
    const answer = await fetch(`${slack.apiUrl}auth.test`, { method: 'POST', headers, body: '{' });
    expect(await answer.json()).toEqual({ ok: false, error: 'invalid_json' });
  });
});

describe('people and conversations', () => {
  test('users.info answers with the person and their rights', async () => {
    const user = async (id: string) => (await web.users.info({ user: id })).user;
    expect(await user(slack.people.admin.id)).toMatchObject({ is_admin: true, is_owner: false });
    expect(await user(slack.people.guest.id)).toMatchObject({ is_restricted: true });
    const outsider = await user(slack.people.outsider.id);
    expect(outsider).toMatchObject({ is_stranger: true });
    expect(outsider?.team_id).not.toBe(slack.team.id);
    expect(await refusal(web.users.info({ user: 'U0NOBODY' }))).toEqual({ error: 'user_not_found' });
  });

  test('users.list answers with all people, page by page', async () => {
    const first = await web.users.list({ limit: 2 });
    expect(first.members?.map(({ id }) => id)).toEqual([slack.bot.user_id, slack.people.owner.id]);
    const cursor = first.response_metadata?.next_cursor ?? '';
    const rest = await web.users.list({ limit: 200, cursor });
    expect(rest.members).toContainEqual(
      expect.objectContaining({ id: slack.people.admin.id, is_admin: true }),
    );
    expect(rest.response_metadata?.next_cursor).toBe('');
  });

  test('conversations.info says whether the bot is a member, and hides what it cannot see', async () => {
    const info = async (channel: string) => (await web.conversations.info({ channel })).channel;
    expect(await info(slack.channels.sales.id)).toMatchObject({ name: 'sales', is_member: true });
    expect(await info(slack.channels.support.id)).toMatchObject({ is_member: false, is_private: false });
    expect(await info(slack.channels.leads.id)).toMatchObject({ is_member: true, is_private: true });
    const hidden = web.conversations.info({ channel: slack.channels.duet.id });
    expect(await refusal(hidden)).toEqual({ error: 'channel_not_found' });
    slack.leave(slack.channels.leads.id, slack.bot.user_id);
    expect(await refusal(web.conversations.info({ channel: slack.channels.leads.id }))).toEqual({
      error: 'channel_not_found',
    });
  });

  test('conversations.members has pages', async () => {
    const found: string[] = [];
    let pages = 0;
    for await (const page of web.paginate('conversations.members', {
      channel: slack.channels.sales.id,
      limit: 2,
    })) {
      found.push(...(page as unknown as { members: string[] }).members);
      pages += 1;
    }
    expect(found).toEqual(slack.channels.sales.members);
    expect(pages).toBe(3);
    const bad = web.conversations.members({ channel: slack.channels.sales.id, cursor: 'nonsense' });
    expect(await refusal(bad)).toEqual({ error: 'invalid_cursor' });
  });

  test('users.conversations lists the channels of a person that the bot can see', async () => {
    const names = async (args: object) =>
      (await web.users.conversations({ user: slack.people.member.id, ...args })).channels?.map((c) => c.name);
    expect(await names({})).toEqual(['sales', 'support', 'partners']);
    expect(await names({ types: 'public_channel,private_channel' })).toContain('leads');
    slack.leave(slack.channels.leads.id, slack.bot.user_id);
    expect(await names({ types: 'private_channel' })).toEqual([]);
    expect(await names({ user: slack.people.outsider.id })).toEqual(['partners']);
  });

  test('conversations.open answers with the same direct message each time', async () => {
    const open = async () => (await web.conversations.open({ users: slack.people.member.id })).channel?.id;
    const id = await open();
    expect(await open()).toBe(id);
    expect(slack.directMessage(slack.people.member.id).id).toBe(id);
    expect(await refusal(web.conversations.open({ users: 'U0NOBODY' }))).toEqual({ error: 'user_not_found' });
  });
});

describe('messages', () => {
  const section = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });

  test('are posted, changed and deleted', async () => {
    const channel = slack.channels.sales.id;
    const posted = await web.chat.postMessage({ channel, text: 'one', blocks: [section('*one*')] });
    expect(posted).toMatchObject({ ok: true, channel, message: { text: 'one', user: slack.bot.user_id } });
    const [message] = slack.history(channel);
    expect(message).toMatchObject({ ts: posted.ts, text: 'one', blocks: [{ block_id: expect.any(String) }] });

    await web.chat.update({ channel, ts: String(posted.ts), text: 'two', blocks: [] });
    expect(slack.history(channel)).toMatchObject([{ ts: posted.ts, text: 'two', blocks: [], edited: true }]);
    expect(message).toMatchObject({ text: 'one' });

    await web.chat.delete({ channel, ts: String(posted.ts) });
    expect(slack.history(channel)).toEqual([]);
  });

  test('an update without blocks leaves the buttons there', async () => {
    const channel = slack.channels.sales.id;
    const { ts } = await web.chat.postMessage({ channel, text: 'one', blocks: [section('one')] });
    await web.chat.update({ channel, ts: String(ts), text: 'two' });
    expect(slack.history(channel)).toMatchObject([{ text: 'two', blocks: [section('one')] }]);
  });

  test('may be longer at first than after a change', async () => {
    const channel = slack.channels.sales.id;
    const { ts } = await web.chat.postMessage({ channel, text: 'a'.repeat(4001) });
    const changed = (text: string) => web.chat.update({ channel, ts: String(ts), text });
    expect(await refusal(changed('b'.repeat(4001)))).toEqual({ error: 'msg_too_long' });
    await changed('b'.repeat(4000));
    expect(slack.history(channel)).toMatchObject([{ text: 'b'.repeat(4000) }]);
  });

  test('form and JSON bodies are the same', async () => {
    const body = { channel: slack.channels.sales.id, text: 'from JSON', blocks: [section('from JSON')] };
    const headers = {
      authorization: `Bearer ${SECRETS.botToken}`,
      'content-type': 'application/json; charset=utf-8',
    };
    const answer = await fetch(`${slack.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(await answer.json()).toMatchObject({ ok: true });
    await web.chat.postMessage({ ...body, text: 'from a form' });
    const [one, other] = slack.calls;
    expect(one?.args.blocks).toEqual(other?.args.blocks);
    expect(slack.history(body.channel).map((m) => m.text)).toEqual(['from JSON', 'from a form']);
  });

  test('go to people by their id', async () => {
    const { channel } = await web.chat.postMessage({ channel: slack.people.member.id, text: 'hello' });
    expect(channel).toBe(slack.directMessage(slack.people.member.id).id);
    expect(slack.history(String(channel))).toHaveLength(1);
  });

  test('are refused in a channel without the bot', async () => {
    const post = (channel: string) => refusal(web.chat.postMessage({ channel, text: 'hello' }));
    expect(await post(slack.channels.support.id)).toEqual({ error: 'not_in_channel' });
    expect(await post(slack.channels.duet.id)).toEqual({ error: 'channel_not_found' });
    expect(await post('C0NOWHERE')).toEqual({ error: 'channel_not_found' });
    slack.join(slack.channels.support.id, slack.bot.user_id);
    await web.chat.postMessage({ channel: slack.channels.support.id, text: 'hello' });
  });

  test('ephemerals reach one person, who has to be in the channel', async () => {
    const channel = slack.channels.sales.id;
    const { message_ts } = await web.chat.postEphemeral({
      channel,
      user: slack.people.member.id,
      text: 'psst',
    });
    expect(slack.ephemerals(slack.people.member.id)).toMatchObject([{ ts: message_ts, text: 'psst' }]);
    expect(slack.ephemerals(slack.people.colleague.id)).toEqual([]);
    expect(slack.history(channel)).toEqual([]);
    const toGuest = web.chat.postEphemeral({ channel, user: slack.people.guest.id, text: 'psst' });
    expect(await refusal(toGuest)).toEqual({ error: 'user_not_in_channel' });
    const update = web.chat.update({ channel, ts: String(message_ts), text: 'changed' });
    expect(await refusal(update)).toEqual({ error: 'message_not_found' });
    slack.reload(slack.people.member.id);
    expect(slack.ephemerals(slack.people.member.id)).toEqual([]);
  });

  test('of somebody else cannot be changed', async () => {
    const channel = slack.channels.sales.id;
    const { ts } = slack.say({ user: slack.people.member, channel: slack.channels.sales, text: 'mine' });
    expect(await refusal(web.chat.update({ channel, ts, text: 'yours' }))).toEqual({
      error: 'cant_update_message',
    });
    expect(await refusal(web.chat.delete({ channel, ts }))).toEqual({ error: 'cant_delete_message' });
    expect(await refusal(web.chat.delete({ channel, ts: '1.000001' }))).toEqual({
      error: 'message_not_found',
    });
  });

  test('in an archived channel cannot be changed', async () => {
    const { support } = slack.channels;
    slack.join(support.id, slack.bot.user_id);
    const { ts } = await web.chat.postMessage({ channel: support.id, text: 'one' });
    slack.addChannel({ ...support, is_archived: true });
    const update = web.chat.update({ channel: support.id, ts: String(ts), text: 'two' });
    expect(await refusal(update)).toEqual({ error: 'is_inactive' });
  });

  test('refuses blocks that break a limit, names them and records them', async () => {
    const channel = slack.channels.sales.id;
    const answer = await refusal(
      web.chat.postMessage({ channel, text: 'long', blocks: [section('x'.repeat(3001))] }),
    );
    expect(answer).toEqual({
      error: 'invalid_blocks',
      messages: ['[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]'],
    });
    expect(slack.failures).toMatchObject([{ source: 'chat.postMessage', error: 'invalid_blocks' }]);
    expect(slack.history(channel)).toEqual([]);
    const many = Array.from({ length: 5 }, () => section('x'.repeat(2900)));
    expect(await refusal(web.chat.postMessage({ channel, text: 'much', blocks: many }))).toEqual({
      error: 'msg_blocks_too_long',
    });
    expect(await refusal(web.apiCall('chat.postMessage', { channel, blocks: '[{' }))).toEqual({
      error: 'invalid_blocks_format',
    });
  });

  test('a message without text and blocks is refused; blocks without a text are a warning', async () => {
    const channel = slack.channels.sales.id;
    expect(await refusal(web.apiCall('chat.postMessage', { channel }))).toEqual({ error: 'no_text' });
    expect(slack.warnings).toEqual([]);
    await web.chat.postMessage({ channel, text: ' ', blocks: [section('words')] });
    expect(slack.warnings).toMatchObject([{ source: 'chat.postMessage' }]);
  });
});

test('reset puts everything back to the seeds', async () => {
  slack.join(slack.channels.support.id, slack.bot.user_id);
  await web.chat.postMessage({ channel: slack.channels.support.id, text: 'hello' });
  slack.reset();
  expect(slack.history(slack.channels.support.id)).toEqual([]);
  expect(slack.channel(slack.channels.support.id)).toEqual(slack.channels.support);
  expect(slack.calls).toEqual([]);
});

test('seeds can be overridden', async () => {
  const other = await startPlayground({
    team: { id: 'T0OTHER', name: 'Other', domain: 'other' },
    seeds: {
      people: { member: { name: 'maria', is_admin: true } },
      channels: { support: { is_archived: true } },
    },
  });
  try {
    expect(other.people.member).toMatchObject({ name: 'maria', is_admin: true, team_id: 'T0OTHER' });
    expect(other.channels.support).toMatchObject({ is_archived: true, name: 'support' });
  } finally {
    await other.close();
  }
});
