import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Playground } from '../src/server.ts';
import { SECRETS, startPlayground, startSocketBot } from './helpers/slack-bot.ts';

let slack: Playground;

beforeEach(async () => {
  slack = await startPlayground();
});
afterEach(() => slack.close());

async function connect(): Promise<WebSocket> {
  const headers = { authorization: `Bearer ${SECRETS.appToken}` };
  const answer = await fetch(`${slack.apiUrl}apps.connections.open`, { method: 'POST', headers });
  const { url } = (await answer.json()) as { url: string };
  return new WebSocket(url);
}

/** The messages of a socket, in order. */
function read(socket: WebSocket): () => Promise<Record<string, unknown>> {
  const queue: Record<string, unknown>[] = [];
  let wake = () => {};
  socket.on('message', (data) => {
    queue.push(JSON.parse(String(data)));
    wake();
  });
  return async () => {
    while (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return queue.shift() as Record<string, unknown>;
  };
}

test('a ticket opens one connection, which gets a hello', async () => {
  const socket = await connect();
  expect(await read(socket)()).toMatchObject({ type: 'hello', num_connections: 1 });
  const refused = await new Promise((resolve) => new WebSocket(socket.url).on('error', resolve));
  expect(String(refused)).toContain('401');
  expect(slack.socket.connections()).toBe(1);
  socket.close();
  await slack.waitFor(() => slack.socket.connections() === 0);
});

test('a connection at any other address gets 401, even if it is no URL', async () => {
  for (const path of ['/other', '//']) {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const asked = request({ host: '127.0.0.1', port: slack.port, path, headers }).end();
    const [answer] = await once(asked, 'response');
    expect(answer.statusCode).toBe(401);
  }
});

test('envelopes carry what people do, acknowledgements come back', async () => {
  const socket = await connect();
  const next = read(socket);
  await next();
  const { member } = slack.people;
  const command = slack.command({ user: member, channel: slack.channels.sales, text: 'balance' });
  const envelope = await next();
  expect(envelope).toMatchObject({
    type: 'slash_commands',
    accepts_response_payload: true,
    payload: { command: '/app', text: 'balance', user_id: member.id },
  });
  socket.send(JSON.stringify({ envelope_id: envelope.envelope_id, payload: { text: '119 credits' } }));
  const reaction = await command;
  expect(reaction).toMatchObject({ status: 200, toast: null });
  expect(await reaction.reply()).toMatchObject({ text: '119 credits', to: member.id });

  const event = slack.event({ type: 'app_uninstalled' });
  const second = await next();
  expect(second).toMatchObject({ type: 'events_api', retry_attempt: 0, payload: { type: 'event_callback' } });
  socket.send(JSON.stringify({ envelope_id: second.envelope_id }));
  expect(await event).toMatchObject({ status: 200, body: '' });
});

test('ignores what is no acknowledgement', async () => {
  const socket = await connect();
  const next = read(socket);
  await next();
  for (const words of ['Hello', 'null', '42']) socket.send(words);
  const command = slack.command({ user: slack.people.member, channel: slack.channels.sales });
  const { envelope_id } = await next();
  socket.send(JSON.stringify({ envelope_id }));
  expect(await command).toMatchObject({ status: 200, toast: null });
});

test('a payload without an acknowledgement times out after 3 seconds', async () => {
  const socket = await connect();
  await read(socket)();
  const reaction = await slack.command({ user: slack.people.member, channel: slack.channels.sales });
  expect(reaction).toMatchObject({ status: null, toast: 'operation_timeout' });
});

test('closes a connection in order, and cuts one that does not answer', async () => {
  const answering = await connect();
  await read(answering)();
  const silent = await connect();
  await read(silent)();
  silent.pause();
  const closed = once(answering, 'close');
  await slack.close();
  expect((await closed)[0]).toBe(1001);
  silent.terminate();
});

test('a Bolt app works by it, with commands, clicks, modals and new connections', async () => {
  const plain = (text: string) => ({ type: 'plain_text' as const, text });
  const bot = await startSocketBot(slack, (app) => {
    app.command('/app', async ({ ack, respond }) => {
      await ack();
      const elements = [{ type: 'button' as const, action_id: 'go', text: plain('Go') }];
      await respond({ text: 'card', blocks: [{ type: 'actions', elements }] });
    });
    app.action('go', async ({ ack, body, client }) => {
      await ack();
      const element = { type: 'plain_text_input' as const, action_id: 'a' };
      const blocks = [{ type: 'input' as const, block_id: 'name', label: plain('Name'), element }];
      const view = {
        type: 'modal' as const,
        callback_id: 'form',
        title: plain('Form'),
        submit: plain('Save'),
        blocks,
      };
      await client.views.open({ trigger_id: (body as unknown as { trigger_id: string }).trigger_id, view });
    });
    app.view('form', async ({ ack }) => ack({ response_action: 'errors', errors: { name: 'Is taken.' } }));
  });
  try {
    const user = slack.people.member;
    const channel = slack.channels.support;
    const message = await (await slack.command({ user, channel })).reply();
    const view = await (await slack.click({ user, message, text: 'Go' })).view();
    const submitted = await slack.submitView({ user, view, values: { Name: 'Ana' } });
    expect(submitted).toMatchObject({ outcome: 'errors', errors: { name: 'Is taken.' } });

    slack.socket.disconnect('refresh_requested');
    await slack.waitFor(() => slack.socket.connections() === 0);
    await slack.waitFor(() => slack.socket.connections() === 1);
    expect(await (await slack.command({ user, channel })).reply()).toMatchObject({ text: 'card' });

    slack.socket.disconnect('drop');
    await slack.waitFor(() => slack.socket.connections() === 0);
    await slack.waitFor(() => slack.socket.connections() === 1);
    expect(await (await slack.command({ user, channel })).reply()).toMatchObject({ text: 'card' });
  } finally {
    await bot.stop();
  }
});
