import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutBrowser } from '../helpers/browser.ts';
import { visitsOfTests } from '../helpers/page-visit.ts';
import { createPageWorld, type PageWorld } from '../helpers/page-world.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const FORM = {
  type: 'modal' as const,
  title: plain('A form'),
  blocks: [{ type: 'section' as const, text: plain('Nothing to fill in') }],
};

describe.skipIf(withoutBrowser)('the page with its server', () => {
  const visits = visitsOfTests();
  let world: PageWorld;
  beforeEach(async () => {
    world = await createPageWorld();
  });
  afterEach(async () => {
    await visits.leave();
    await world.close();
  });

  it('a form closed twice, by two Escapes or a double click on ×, complains of nothing', async () => {
    await world.startBot((app) =>
      app.command('/app', async ({ ack, body, client }) => {
        await ack();
        await client.views.open({ trigger_id: body.trigger_id, view: FORM });
      }),
    );
    const { page } = await visits.openAt(world.url);
    const form = page.getByRole('dialog', { name: 'A form' });
    const closes: number[] = [];
    page.on('response', (answer) => {
      if (answer.url().endsWith('/act/close')) closes.push(answer.status());
    });
    async function open() {
      await page.locator('#composer-text').fill('/app form');
      await page.keyboard.press('Enter');
      await form.waitFor();
    }
    await open();
    await page.evaluate(`for (const _ of [1, 2]) document.querySelector('#modal').dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))`);
    await form.waitFor({ state: 'hidden' });
    await expect.poll(() => closes).toEqual([200, 200]);
    await open();
    await page.evaluate(`for (const _ of [1, 2]) document.querySelector('#modal .cross').click()`);
    await form.waitFor({ state: 'hidden' });
    await expect.poll(() => closes).toEqual([200, 200, 200, 200]);
    expect(await page.locator('.toast').count()).toBe(0);
  });

  it('/invite is suggested, adds the app, and says what is wrong below the composer', async () => {
    const { page } = await visits.openAt(world.url);
    await page.getByRole('button', { name: 'support' }).click();
    const field = page.locator('#composer-text');
    await field.fill('/inv');
    await page.getByRole('option', { name: '/invite @name' }).click();
    await page.keyboard.press('Enter');
    await page.getByText('Who? Type a name too, such as /invite @ana.').waitFor();
    await field.fill('/invite @Playbot');
    await page.keyboard.press('Enter');
    await page.getByText('added @Playbot to #support.').waitFor();
    expect(await page.locator('#composer-problem').textContent()).toBe('');
    expect(world.slack.channel(world.slack.channels.support.id)?.members).toContain(world.slack.bot.user_id);
  });

  it('posts files as the person and in the channel of the choice, even if somebody looks elsewhere meanwhile', async () => {
    const { page } = await visits.openAt(world.url);
    const { promise: isHeld, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/act/share*', (route) => isHeld.then(() => route.continue()));
    const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
    await page.getByLabel('Post files').setInputFiles([file('a.txt'), file('b.txt')]);
    await page.getByRole('button', { name: 'support' }).click();
    await page.locator('#channel-title', { hasText: 'support' }).waitFor();
    letGo();
    const { slack } = world;
    const filesIn = (channel: { id: string }) =>
      slack.history(channel.id).flatMap(({ files = [] }) => files.map(({ name }) => name));
    const all = () => [slack.channels.sales, slack.channels.support].map(filesIn);
    await slack.waitFor(() => all().flat().length === 2);
    expect(all()).toEqual([['a.txt', 'b.txt'], []]);
  });

  it('takes no text before it knows who types', async () => {
    const { page } = await visits.openAt(world.url);
    const { promise: isHeld, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/events*', (route) => isHeld.then(() => route.continue()));
    await page.reload();
    const field = page.locator('#composer-text');
    expect(await field.isEditable()).toBe(false);
    letGo();
    await field.fill('Hello');
    await page.keyboard.press('Enter');
    await page.locator('.message', { hasText: 'Hello' }).waitFor();
  });
});
