import type { App } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { textOf } from '../src/render.ts';
import type { Playground } from '../src/server.ts';
import { createClock, startHttpBot, startPlayground } from './helpers/slack-bot.ts';

let slack: Playground;
let stop: () => Promise<unknown>;
const clock = createClock();

/** All payloads that the bot's listeners got. */
let heard: { body: Record<string, unknown>; retryNum?: number | undefined }[];

async function start(register: (app: App) => void): Promise<void> {
  const bot = await startHttpBot(slack, (app) => {
    app.use(async ({ body, context, next }) => {
      heard.push({ body: body as unknown as Record<string, unknown>, retryNum: context.retryNum });
      await next();
    });
    register(app);
  });
  stop = bot.stop;
}

const button = {
  type: 'button' as const,
  action_id: 'go',
  text: { type: 'plain_text' as const, text: 'Go' },
  value: 'v1',
};
const card = [{ type: 'actions' as const, block_id: 'card', elements: [button] }];

beforeEach(async () => {
  heard = [];
  slack = await startPlayground({ clock: clock.now });
});
afterEach(async () => {
  await stop();
  await slack.close();
});

describe('commands', () => {
  test('arrive signed, with Slack’s fields', async () => {
    await start((app) => app.command('/app', async ({ ack }) => ack()));
    const { member } = slack.people;
    const reaction = await slack.command({ user: member, channel: slack.channels.sales, text: 'a <b> & c' });
    expect(reaction).toMatchObject({ status: 200, body: '', toast: null });
    expect(reaction.ms).toBeGreaterThan(0);
    expect(heard).toHaveLength(1);
    expect(heard[0]?.body).toMatchObject({
      command: '/app',
      text: 'a &lt;b&gt; &amp; c',
      user_id: member.id,
      channel_id: slack.channels.sales.id,
      channel_name: 'sales',
      team_id: slack.team.id,
      is_enterprise_install: 'false',
      trigger_id: expect.any(String),
      response_url: expect.stringContaining('http://127.0.0.1:'),
    });
  });

  test('do not name private channels and direct messages', async () => {
    await start((app) => app.command('/app', async ({ ack }) => ack()));
    const user = slack.people.member;
    await slack.command({ user, channel: slack.channels.leads });
    await slack.command({ user, channel: slack.directMessage(user.id) });
    expect(heard.map((one) => one.body.channel_name)).toEqual(['privategroup', 'directmessage']);
  });

  test('the person sees a message in the acknowledgement', async () => {
    await start((app) =>
      app.command('/app', async ({ ack, command }) => {
        if (command.text === 'loud') await ack({ response_type: 'in_channel', text: 'heard' });
        else if (command.text === 'bad')
          await ack({ text: 'x', blocks: [{ type: 'divider', colour: 'red' } as never] });
        else await ack('understood');
      }),
    );
    const { member } = slack.people;
    const channel = slack.channels.support;
    const quiet = await slack.command({ user: member, channel });
    expect(textOf(await quiet.reply())).toBe('understood');
    expect(slack.ephemerals(member.id)).toHaveLength(1);
    await slack.command({ user: member, channel, text: 'loud' });
    expect(slack.history(channel.id).map((m) => [m.user, m.text])).toEqual([
      [member.id, '/app loud'],
      [slack.bot.user_id, 'heard'],
    ]);
    const bad = await slack.command({ user: member, channel, text: 'bad' });
    expect(bad.toast).toBe('invalid_blocks');
    expect(slack.failures).toMatchObject([{ source: 'ack' }]);
  });

  test('are not for outsiders, nor for channels without the person', async () => {
    await start((app) => app.command('/app', async ({ ack }) => ack()));
    const { outsider, guest } = slack.people;
    await expect(slack.command({ user: outsider, channel: slack.channels.partners })).rejects.toThrow(
      'workspace',
    );
    await expect(slack.command({ user: guest, channel: slack.channels.sales })).rejects.toThrow(
      'not in there',
    );
    await slack.command({ user: guest, channel: slack.channels.sales, forged: true });
    expect(heard).toHaveLength(1);
  });

  test('time out without an acknowledgement, and say if they fail', async () => {
    await start((app) => {
      app.command('/app', async () => {});
      app.command('/fail', async () => {
        throw new Error('on purpose');
      });
    });
    const at = { user: slack.people.member, channel: slack.channels.sales };
    const late = await slack.command(at);
    // Bolt answers 404 by itself at 3 s: whichever comes first, the person sees an error.
    expect(late.toast).toMatch(/operation_timeout|dispatch_failed/);
    expect(await slack.command({ ...at, command: '/fail' })).toMatchObject({
      status: 500,
      toast: 'dispatch_failed',
    });
    slack.setEventsUrl('http://127.0.0.1:1/slack/events');
    expect(await slack.command(at)).toMatchObject({ status: null, toast: 'dispatch_failed' });
    slack.setEventsUrl(undefined);
    await expect(slack.command(at)).rejects.toThrow('no bot');
  });
});

test('plain words of a message come back escaped', async () => {
  let post: () => Promise<unknown> = async () => {};
  await start((app) => {
    app.action('go', async ({ ack }) => ack());
    const elements = [{ ...button, text: { ...button.text, text: 'Fish & <chips>' } }];
    const blocks = [{ type: 'actions' as const, elements }];
    const channel = slack.channels.sales.id;
    post = () => app.client.chat.postMessage({ channel, text: 'menu', blocks });
  });
  await post();
  const [message] = slack.history(slack.channels.sales.id);
  if (!message) throw new Error('there is no message');
  await slack.click({ user: slack.people.member, message, text: 'Fish & <chips>' });
  const text = { type: 'plain_text', text: 'Fish &amp; &lt;chips&gt;' };
  expect(heard[0]?.body).toMatchObject({
    message: { blocks: [{ elements: [{ text }] }] },
    actions: [{ text }],
  });
});

describe('requests that are not Slack’s', () => {
  test('are refused, and no listener runs', async () => {
    await start((app) => app.command('/app', async ({ ack }) => ack()));
    const at = { user: slack.people.member, channel: slack.channels.sales, text: 'send' };
    const status = async (how: Parameters<typeof slack.command>[1]) => (await slack.command(at, how)).status;
    expect(await status({ signature: 'wrong' })).toBe(401);
    expect(await status({ signature: 'missing' })).toBe(401);
    expect(await status({ ageSeconds: 6 * 60 })).toBe(401);
    expect(await status({ tamper: (body) => body.replace('text=send', 'text=stop') })).toBe(401);
    expect(await status({ padBytes: 1024 * 1024 })).toBe(413);
    expect(heard).toEqual([]);
    expect(await status({ ageSeconds: 4 * 60 })).toBe(200);
    expect(await status({ padBytes: 1000 })).toBe(200);
    expect(heard).toHaveLength(2);
  });
});

describe('clicks', () => {
  async function post() {
    const { ts } = await slackPost(slack.channels.sales.id);
    const message = slack.history(slack.channels.sales.id).find((one) => one.ts === ts);
    if (!message) throw new Error('The message is not there.');
    return message;
  }
  let slackPost: (channel: string) => Promise<{ ts?: string }>;

  beforeEach(async () => {
    await start((app) => {
      slackPost = (channel) => app.client.chat.postMessage({ channel, text: 'card', blocks: card });
      app.action('go', async ({ ack, respond }) => {
        await ack();
        await respond({ replace_original: true, text: 'gone', blocks: [] });
      });
      app.action(/^pick/, async ({ ack }) => ack());
      app.command('/app', async ({ ack, client, command }) => {
        await ack();
        const { channel_id: channel, user_id: user } = command;
        await client.chat.postEphemeral({ channel, user, text: 'card', blocks: card });
      });
    });
  });

  test('have the message, the value and a response_url that replaces the message', async () => {
    const message = await post();
    const { member } = slack.people;
    const reaction = await slack.click({ user: member, message, text: 'Go' });
    expect(reaction.payload).toMatchObject({
      type: 'block_actions',
      user: { id: member.id, team_id: slack.team.id },
      container: { type: 'message', message_ts: message.ts, is_ephemeral: false },
      message: { ts: message.ts, blocks: card, bot_id: slack.bot.bot_id },
      actions: [{ type: 'button', action_id: 'go', block_id: 'card', value: 'v1' }],
      state: { values: {} },
    });
    expect(await reaction.reply()).toMatchObject({ ts: message.ts, text: 'gone', blocks: [] });
    await expect(slack.click({ user: member, message, text: 'Go' })).rejects.toThrow('does not see');
    expect((await slack.click({ user: member, message, text: 'Go', forged: true })).status).toBe(200);
  });

  test('in an ephemeral are for one person, and have no message', async () => {
    const { member, colleague } = slack.people;
    await slack.command({ user: member, channel: slack.channels.sales });
    const message = await slack.waitFor(() => slack.ephemerals(member.id)[0]);
    await expect(slack.click({ user: colleague, message, action_id: 'go' })).rejects.toThrow('does not see');
    const forged = await slack.click({ user: colleague, message, action_id: 'go', forged: true });
    expect(forged.payload).toMatchObject({ user: { id: colleague.id }, container: { is_ephemeral: true } });
    expect(forged.payload).not.toHaveProperty('message');
    expect(await forged.reply()).toMatchObject({ ts: message.ts, text: 'gone' });
  });

  test('of an outsider name their workspace', async () => {
    await slackPost(slack.channels.partners.id);
    const [message] = slack.history(slack.channels.partners.id);
    if (!message) throw new Error('The message is not there.');
    const { outsider } = slack.people;
    const { payload } = await slack.click({ user: outsider, message, action_id: 'go' });
    expect(payload).toMatchObject({ team: { id: slack.team.id }, user: { team_id: outsider.team_id } });
    const inSales = await post();
    await expect(slack.click({ user: outsider, message: inSales, action_id: 'go' })).rejects.toThrow(
      'does not see',
    );
  });

  test('twice at once are two payloads; a resent one is the same', async () => {
    const message = await post();
    const { member } = slack.people;
    const click = () => slack.click({ user: member, message, action_id: 'go' });
    const [one, other] = await Promise.all([click(), click()]);
    expect(one.payload.trigger_id).not.toBe(other.payload.trigger_id);
    const again = await one.resend({ retry: { num: 1, reason: 'http_timeout' } });
    expect(again.payload).toEqual(one.payload);
    expect(heard.map((h) => h.body.trigger_id)).toEqual([
      one.payload.trigger_id,
      other.payload.trigger_id,
      one.payload.trigger_id,
    ]);
    expect(heard.at(-1)?.retryNum).toBe(1);
  });

  test('the state keeps choices', async () => {
    const option = (value: string) => ({
      text: { type: 'plain_text' as const, text: value.toUpperCase() },
      value,
    });
    const options = [option('a'), option('b')];
    const elements = [
      { type: 'static_select', action_id: 'pick_one', options },
      { type: 'checkboxes', action_id: 'pick_many', options, initial_options: [option('a')] },
      { type: 'overflow', action_id: 'pick_more', options },
    ];
    await slackPost(slack.channels.sales.id);
    const message = await replaceBlocks([{ type: 'actions', block_id: 'b', elements }]);
    const { member } = slack.people;
    const first = await slack.click({ user: member, message, action_id: 'pick_one', value: 'B' });
    expect(first.payload.actions).toMatchObject([{ type: 'static_select', selected_option: option('b') }]);
    const more = await slack.click({ user: member, message, action_id: 'pick_more', value: 'a' });
    expect(more.payload).toMatchObject({
      actions: [{ type: 'overflow', selected_option: option('a') }],
      state: {
        values: {
          b: {
            pick_one: { type: 'static_select', selected_option: option('b') },
            pick_many: { type: 'checkboxes', selected_options: [option('a')] },
          },
        },
      },
    });
    const { payload } = await slack.click({
      user: slack.people.colleague,
      message,
      action_id: 'pick_more',
      value: 'a',
    });
    expect(payload).toMatchObject({ state: { values: { b: { pick_one: { selected_option: null } } } } });
    await expect(slack.click({ user: member, message, action_id: 'pick_one', value: 'c' })).rejects.toThrow(
      'A, B',
    );
    await expect(slack.click({ user: member, message, action_id: 'none' })).rejects.toThrow(
      'No element fits',
    );
  });

  async function replaceBlocks(blocks: object[]) {
    const channel = slack.channels.sales.id;
    const { ts } = slack.history(channel)[0] ?? { ts: '' };
    const headers = { authorization: 'Bearer xoxb-playground', 'content-type': 'application/json' };
    const body = JSON.stringify({ channel, ts, text: 'menus', blocks });
    await fetch(`${slack.apiUrl}chat.update`, { method: 'POST', headers, body });
    const message = slack.history(channel)[0];
    if (!message) throw new Error('The message is not there.');
    return message;
  }
});

describe('shortcuts and events', () => {
  test('reach the bot; a retried event has the same id', async () => {
    await start((app) => {
      app.shortcut('write', async ({ ack }) => ack());
      app.event('app_uninstalled', async () => {});
    });
    const { member } = slack.people;
    expect(await slack.shortcut({ user: member, callback_id: 'write' })).toMatchObject({ status: 200 });
    const message = slack.say({ user: member, channel: slack.channels.sales, text: 'call them' });
    const onMessage = await slack.messageShortcut({ user: member, message, callback_id: 'write' });
    expect(onMessage.payload).toMatchObject({ type: 'message_action', message: { text: 'call them' } });
    const event = await slack.event({ type: 'app_uninstalled' });
    expect(event).toMatchObject({ status: 200, payload: { type: 'event_callback', team_id: slack.team.id } });
    await event.resend({ retry: { num: 2, reason: 'http_error' } });
    const [, , one, other] = heard;
    expect(one?.body.event_id).toBe(other?.body.event_id);
    expect(other?.retryNum).toBe(2);
  });
});

test('subscribers get changes, and waitFor rejects in time', async () => {
  await start(() => {});
  const kinds: string[] = [];
  const unsubscribe = slack.subscribe((change) => void kinds.push(change.kind));
  slack.say({ user: slack.people.member, channel: slack.channels.sales, text: 'hello' });
  slack.join(slack.channels.support.id, slack.bot.user_id);
  slack.reset();
  unsubscribe();
  slack.say({ user: slack.people.member, channel: slack.channels.sales, text: 'hello' });
  expect(kinds).toEqual(['message', 'members', 'reset']);
  await expect(slack.waitFor(() => undefined, 10)).rejects.toThrow('10 ms');
});
