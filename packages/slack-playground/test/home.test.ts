import { WebClient } from '@slack/web-api';
import { afterEach, describe, expect, test } from 'vitest';
import { checkHome } from '../src/blocks/check.ts';
import { inWords } from '../src/blocks/problems.ts';
import { textOf } from '../src/render.ts';
import type { Playground } from '../src/server.ts';
import type { Json } from '../src/types.ts';
import { SECRETS, silent, startHttpBot, startPlayground } from './helpers/slack-bot.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const header = (text: string) => ({ type: 'header' as const, text: plain(text) });
const button = {
  type: 'actions' as const,
  block_id: 'do',
  elements: [{ type: 'button' as const, action_id: 'go', text: plain('Go'), value: '7' }],
};
const home = (...blocks: object[]) => ({ type: 'home' as const, blocks: blocks as never });
const cells = (...texts: string[]) => texts.map((text) => ({ type: 'raw_text', text }));

describe('what Slack takes in a Home tab', () => {
  const problems = (view: Json) => checkHome(view).map(inWords);
  const input = (type: string, fields: object = {}) => ({
    type: 'input',
    label: plain('Input'),
    element: { type, ...fields },
  });

  test('100 blocks, 3,000 characters of metadata; no title and no submit button', () => {
    const many = (count: number) => Array.from({ length: count }, () => ({ type: 'divider' }));
    expect(problems(home(...many(100)))).toEqual([]);
    expect(problems(home(...many(101)))).toEqual([
      'no more than 100 items allowed [json-pointer:/view/blocks]',
    ]);
    expect(problems({ ...home(), private_metadata: 'x'.repeat(3000) })).toEqual([]);
    expect(problems({ ...home(), private_metadata: 'x'.repeat(3001) })).toHaveLength(1);
    expect(problems({ ...home(), title: plain('No') })).toEqual([
      'invalid additional property: title [json-pointer:/view]',
    ]);
    expect(problems({ ...home(), type: 'modal' })).toEqual([
      'unsupported type: modal [json-pointer:/view/type]',
    ]);
  });

  test.each(['datetimepicker', 'file_input', 'number_input'])('no %s', (type) => {
    const fields = type === 'number_input' ? { is_decimal_allowed: true } : {};
    expect(problems(home(input(type, fields)))).toEqual([
      `unsupported type: ${type} [json-pointer:/view/blocks/0/element/type]`,
    ]);
  });

  test('pickers of dates and times, menus, pictures and tables', () => {
    const option = { text: plain('One'), value: '1' };
    const rows = [cells('Who', 'Credits'), cells('ana', '3')];
    const blocks = [
      input('datepicker'),
      input('timepicker'),
      { type: 'actions', elements: [{ type: 'static_select', options: [option] }] },
      { type: 'actions', elements: [{ type: 'overflow', options: [option] }] },
      { type: 'image', alt_text: 'A chart', slack_file: { id: 'F1' } },
      { type: 'table', rows },
      { type: 'data_table', caption: 'Credits', rows },
    ];
    expect(problems(home(...blocks))).toEqual([]);
  });

  test.each(['data_visualization', 'alert', 'markdown'])('no %s', (type) => {
    expect(problems(home({ type }))).toEqual([
      `unsupported type: ${type} [json-pointer:/view/blocks/0/type]`,
    ]);
  });
});

describe('views.publish and app_home_opened', () => {
  let slack: Playground;
  let stop: (() => Promise<unknown>) | undefined;
  let web: WebClient;
  const heard: Json[] = [];

  async function start(options: Parameters<typeof startPlayground>[0] = {}) {
    heard.length = 0;
    slack = await startPlayground(options);
    web = new WebClient(SECRETS.botToken, {
      slackApiUrl: slack.apiUrl,
      logger: silent,
      retryConfig: { retries: 0 },
    });
    const bot = await startHttpBot(slack, (app) => {
      app.event('app_home_opened', async ({ event, client }) => {
        heard.push({ ...event });
        if (event.tab === 'home')
          await client.views.publish({ user_id: event.user, view: home(header('Hello'), button) });
      });
      app.action('go', async ({ ack, body }) => {
        heard.push({ ...body });
        await ack();
      });
    });
    stop = bot.stop;
  }
  afterEach(async () => {
    await stop?.();
    await slack.close();
  });
  const published = (id: string) => slack.waitFor(() => slack.home(id));
  const codeOf = (call: Promise<unknown>) => call.catch((error) => error.data.error as string);

  test('opening the Home sends the event, with the view if the app has published one', async () => {
    await start();
    const { member, admin } = slack.people;
    expect(await slack.openApp({ user: member })).toMatchObject({ status: 200 });
    const view = await published(member.id);
    expect(textOf(view)).toBe('Hello\n[Go]');
    expect(slack.home(admin.id)).toBeUndefined();
    await slack.openApp({ user: member });
    await slack.waitFor(() => heard.length === 2);
    const channel = slack.directMessage(member.id).id;
    expect(heard).toMatchObject([
      { type: 'app_home_opened', user: member.id, channel, tab: 'home' },
      { type: 'app_home_opened', tab: 'home', view: { id: view.id, hash: view.hash, type: 'home' } },
    ]);
    expect(heard[0]).not.toHaveProperty('view');
    await slack.openApp({ user: member, tab: 'messages' });
    expect(heard[2]).toMatchObject({ tab: 'messages' });
    expect(heard[2]).not.toHaveProperty('view');
  });

  test('one view a person; an outdated hash is a conflict, also after a restart', async () => {
    await start();
    const { member } = slack.people;
    const user_id = member.id;
    const first = await web.views.publish({ user_id, view: home(header('One')) });
    const second = await web.views.publish({
      user_id,
      view: home(header('Two')),
      hash: first.view?.hash as string,
    });
    expect(second.view).toMatchObject({ id: first.view?.id, type: 'home', root_view_id: first.view?.id });
    const outdated = { user_id, view: home(header('Three')), hash: first.view?.hash as string };
    expect(await codeOf(web.views.publish(outdated))).toBe('hash_conflict');
    slack.restore(JSON.parse(JSON.stringify(slack.snapshot())));
    expect(await codeOf(web.views.publish(outdated))).toBe('hash_conflict');
    expect(slack.home(user_id)).toMatchObject({ id: first.view?.id, hash: second.view?.hash });
    expect(textOf(slack.home(user_id) as never)).toBe('Two');
  });

  test('views.update changes it, and takes only what Slack takes in a Home', async () => {
    await start();
    const { view } = await web.views.publish({ user_id: slack.people.member.id, view: home(header('One')) });
    await web.views.update({ view_id: view?.id as string, view: home(header('Two')) as never });
    expect(textOf(slack.home(slack.people.member.id) as never)).toBe('Two');
    const modal = { type: 'modal' as const, title: plain('Modal'), blocks: [header('Three')] };
    expect(await codeOf(web.views.update({ view_id: view?.id as string, view: modal }))).toBe(
      'invalid_arguments',
    );
  });

  test('refuses what is not a Home, and unknown people', async () => {
    await start();
    const user_id = slack.people.member.id;
    const chart = { type: 'data_visualization' };
    expect(await codeOf(web.views.publish({ user_id, view: home(chart) }))).toBe('invalid_arguments');
    expect(slack.failures).toMatchObject([{ source: 'views.publish', error: 'invalid_arguments' }]);
    expect(await codeOf(web.views.publish({ user_id: 'U0NOBODY', view: home() }))).toBe('invalid_arguments');
    expect(slack.home(user_id)).toBeUndefined();
  });

  test('a button in it sends block_actions with the view and a trigger', async () => {
    await start();
    const { member, admin } = slack.people;
    await slack.openApp({ user: member });
    const view = await published(member.id);
    await slack.clickInView({ user: member, view, action_id: 'go' });
    expect(heard.at(-1)).toMatchObject({
      type: 'block_actions',
      user: { id: member.id },
      container: { type: 'view', view_id: view.id },
      view: { id: view.id, type: 'home' },
      actions: [{ action_id: 'go', value: '7' }],
      trigger_id: expect.any(String),
    });
    await expect(slack.clickInView({ user: admin, view, action_id: 'go' })).rejects.toThrow('somebody else');
    await expect(slack.closeView({ user: member, view })).rejects.toThrow('cannot be closed');
  });

  test('only what the manifest turns on', async () => {
    const app_home = { home_tab_enabled: true };
    await start({ manifest: { features: { app_home } } });
    const { member, outsider } = slack.people;
    expect(await slack.openApp({ user: member })).toBeUndefined();
    expect(heard).toEqual([]);
    await expect(slack.openApp({ user: outsider })).rejects.toThrow('another workspace');
    await stop?.();
    await slack.close();

    await start({ manifest: {} });
    const { people } = slack;
    await expect(slack.openApp({ user: people.member })).rejects.toThrow('no home tab');
    expect(await codeOf(web.views.publish({ user_id: people.member.id, view: home() }))).toBe('not_enabled');
  });
});
