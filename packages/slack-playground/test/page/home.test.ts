import type { App, ViewSubmitAction } from '@slack/bolt';
import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { axeFindings, withoutBrowser } from '../helpers/browser.ts';
import { visitsOfTests } from '../helpers/page-visit.ts';
import { createPageWorld, type PageWorld } from '../helpers/page-world.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const option = (value: string) => ({ text: plain(value), value });
const MANIFEST = {
  features: {
    app_home: { home_tab_enabled: true, messages_tab_enabled: true },
    shortcuts: [
      { name: 'Write a note', type: 'global', callback_id: 'write', description: 'x' },
      { name: 'Note this', type: 'message', callback_id: 'note', description: 'x' },
    ],
  },
  settings: { event_subscriptions: { bot_events: ['app_home_opened'] } },
};

/** A Home that counts how often its button was pressed. */
const home = (count: number) => ({
  type: 'home' as const,
  blocks: [
    { type: 'header' as const, text: plain(`Pressed ${count} times`) },
    {
      type: 'actions' as const,
      block_id: 'do',
      elements: [
        { type: 'button' as const, action_id: 'count', text: plain('Count') },
        { type: 'static_select' as const, action_id: 'pick', options: [option('one'), option('two')] },
        { type: 'datepicker' as const, action_id: 'day', initial_date: '2026-06-01' },
      ],
    },
  ],
});
const form = (about: string) => ({
  type: 'modal' as const,
  title: plain('A note'),
  submit: plain('Keep'),
  blocks: [
    { type: 'section' as const, text: plain(about) },
    {
      type: 'input' as const,
      block_id: 'where',
      label: plain('Where'),
      element: {
        type: 'conversations_select' as const,
        action_id: 'where',
        default_to_current_conversation: true,
        response_url_enabled: true,
        filter: { include: ['public' as const, 'private' as const], exclude_external_shared_channels: true },
      },
    },
  ],
});

describe.skipIf(withoutBrowser)('the app on the page', () => {
  const visits = visitsOfTests();
  let world: PageWorld;
  let page: Page;
  let complaints: string[];
  let chosen: unknown[];

  function register(app: App): void {
    let count = 0;
    app.event('app_home_opened', async ({ event, client }) => {
      if (event.tab === 'home') await client.views.publish({ user_id: event.user, view: home(count) });
    });
    app.action('count', async ({ ack, body, client }) => {
      await ack();
      count += 1;
      await client.views.publish({ user_id: body.user.id, view: home(count) });
    });
    app.action(/pick|day/, async ({ ack, action }) => {
      chosen.push(action);
      await ack();
    });
    app.shortcut('write', async ({ ack, client, shortcut }) => {
      await ack();
      await client.views.open({ trigger_id: shortcut.trigger_id, view: form('Anything') });
    });
    app.shortcut('note', async ({ ack, client, shortcut }) => {
      await ack();
      const { message } = shortcut as unknown as { message: { text: string; files?: { name: string }[] } };
      const about = `${message.text}${message.files?.map(({ name }) => name) ?? ''}`;
      await client.views.open({ trigger_id: shortcut.trigger_id, view: form(about) });
    });
    app.view(/.*/, async ({ ack, body, respond }) => {
      chosen.push((body as ViewSubmitAction).response_urls);
      await ack();
      await respond('Kept');
    });
  }

  beforeEach(async () => {
    chosen = [];
    world = await createPageWorld({ manifest: MANIFEST });
    await world.startBot(register);
    ({ page, complaints } = await visits.openAt(world.url));
  });
  afterEach(async () => {
    await visits.leave();
    await world.close();
  });
  const dialog = () => page.locator('#modal');

  it('opens its Home, whose button changes it, and its messages', async () => {
    await page.getByRole('button', { name: 'Playbot', exact: true }).click();
    await page.getByRole('heading', { name: 'Pressed 0 times' }).waitFor();
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByRole('heading', { name: 'Pressed 1 times' }).waitFor();
    expect(await page.title()).toBe('Playbot · Playground');
    await page.locator('.home-blocks select').selectOption('two');
    await page.locator('.home-blocks input[type=date]').fill('2026-06-09');
    await expect
      .poll(() => chosen)
      .toMatchObject([{ selected_option: { value: 'two' } }, { selected_date: '2026-06-09' }]);
    expect(await axeFindings(page)).toEqual([]);

    await page.getByRole('button', { name: 'Messages' }).click();
    await page.getByText('Between the two of you').waitFor();
    // The head is the same as on the Home: the bot's face and its badge.
    const head = page.locator('#panel-channel .channel-head');
    expect(await head.locator('.app-face .avatar.bot').isVisible()).toBe(true);
    expect(await head.getByText('App', { exact: true }).isVisible()).toBe(true);
    expect(await head.locator('h2 .icon').count()).toBe(0);
    expect(await page.locator('.home-blocks').isVisible()).toBe(false);
    expect(world.slack.directMessage(world.slack.people.admin.id)).toBeDefined();
    await page.getByRole('button', { name: 'sales' }).click();
    await page.locator('#channel-title', { hasText: 'sales' }).waitFor();
    expect(await head.locator('h2 .icon').count()).toBe(1);
    expect(await head.getByText('App', { exact: true }).isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Messages' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows each person their own, also after a reload', async () => {
    await page.getByRole('button', { name: 'Playbot', exact: true }).click();
    await page.getByRole('heading', { name: 'Pressed 0 times' }).waitFor();
    expect(world.slack.home(world.slack.people.member.id)).toBeUndefined();
    await page.getByLabel('ana').check();
    await world.slack.waitFor(() => world.slack.home(world.slack.people.member.id));
    await page.getByRole('heading', { name: 'Pressed 0 times' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Pressed 0 times' }).waitFor();
    await page.getByLabel('otto').check();
    await page.locator('#channel-title', { hasText: 'partners' }).waitFor();
    expect(await page.getByRole('button', { name: 'Playbot', exact: true }).count()).toBe(0);
  });

  it('without a Home, is a direct message like others', async () => {
    const plain = await createPageWorld({ manifest: {} });
    const { slack } = plain;
    slack.say({
      user: slack.bot.user_id,
      channel: slack.directMessage(slack.people.admin.id),
      text: 'Hello',
    });
    await page.goto(plain.url);
    const place = page
      .getByRole('list', { name: 'Direct messages' })
      .getByRole('button', { name: 'Playbot' });
    await place.click();
    await page.getByText('Hello', { exact: true }).waitFor();
    expect(await place.getAttribute('aria-current')).toBe('page');
    expect(await page.getByRole('button', { name: 'Shortcuts of Playbot' }).count()).toBe(0);
    // A person without messages of the app begins in the first channel.
    await page.getByLabel('ana').check();
    await page.locator('#channel-title', { hasText: 'sales' }).waitFor();
    await plain.close();
    complaints.length = 0;
  });

  it('offers a shortcut beside the composer, whose form begins with this channel', async () => {
    await page.getByRole('button', { name: 'Shortcuts of Playbot' }).click();
    await page.getByRole('menuitem', { name: 'Write a note' }).click();
    await dialog().getByText('Anything').waitFor();
    const menu = dialog().locator('select');
    expect(await menu.inputValue()).toBe(world.slack.channels.sales.id);
    expect(await menu.locator('option:not([hidden])').allTextContents()).toEqual([
      '#sales',
      '#support',
      '#leads',
    ]);
    await menu.selectOption({ label: '#leads' });
    await dialog().getByRole('button', { name: 'Keep' }).click();
    await dialog().waitFor({ state: 'hidden' });
    const { id } = world.slack.channels.leads;
    expect(chosen).toMatchObject([[{ block_id: 'where', action_id: 'where', channel_id: id }]]);
    await page.getByRole('button', { name: 'leads' }).click();
    await page.getByText('Kept').waitFor();
    expect(complaints).toEqual([]);
  });

  it('offers one on a message, and the app gets the message’s files', async () => {
    const bytes = Buffer.from('number\n+44');
    await page
      .getByLabel('Post files')
      .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: bytes });
    await page.locator('.file-name', { hasText: 'list.csv' }).waitFor();
    await page.getByRole('button', { name: 'More actions of Playbot' }).click();
    await page.getByRole('menuitem', { name: 'Note this' }).click();
    await dialog().getByText('list.csv').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows the whole menu of the last message', async () => {
    const shortcuts = ['One', 'Two', 'Three'].map((name) => {
      return { name, type: 'message', callback_id: name, description: 'x' };
    });
    const many = await createPageWorld({ manifest: { ...MANIFEST, features: { shortcuts } } });
    const { slack } = many;
    for (let at = 0; at < 30; at += 1)
      slack.say({ user: slack.people.member.id, channel: slack.channels.sales.id, text: `Line ${at}` });
    await page.goto(many.url);
    const last = page.locator('.message', { hasText: 'Line 29' });
    await last.hover();
    await last.getByRole('button', { name: /^More actions/ }).click();
    const menu = page.getByRole('menu').filter({ visible: true });
    const bottom = async (shown: Locator) => {
      const { y = 0, height = 0 } = (await shown.boundingBox()) ?? {};
      return y + height;
    };
    const composer = await page.locator('.composer').boundingBox();
    expect(await bottom(menu)).toBeLessThanOrEqual(composer?.y ?? 0);
    await many.close();
    complaints.length = 0;
  });
});
