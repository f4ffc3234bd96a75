import type { Browser, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { withoutBrowser } from '../packages/slack-playground/test/helpers/browser.ts';
import { createFilm, type Film } from './helpers/film.ts';
import { localPageOfTests } from './helpers/local-page.ts';
import type { LocalProcess } from './helpers/local-process.ts';
import { pictureFile, TAKES_PICTURES } from './helpers/pictures.ts';

/**
 * The first minute of a newcomer, by clicks in a real browser. The program starts without any configuration, and
 * everything behind the page is real.
 */
describe.skipIf(withoutBrowser)('the first minute', () => {
  const open = localPageOfTests();
  let local: LocalProcess;
  let browser: Browser;
  let page: Page;
  let film: Film;
  let complaints: string[];

  const phones = () => page.getByRole('region', { name: 'The phones’ screens' });
  // The page also reads new messages to screen readers, so their words may be there twice for a moment.
  const messages = () => page.getByRole('region', { name: /^Messages in/ });
  const composer = () => page.getByRole('textbox', { name: /Message/ });
  const step = (name: string) => page.getByRole('button', { name: new RegExp(`Step \\d: ${name}`) });
  const done = (name: string) => page.getByRole('button', { name: new RegExp(`Step \\d: ${name}.*done`) });
  const enter = () => page.keyboard.press('Enter');
  /** The **Send** button of the latest draft. */
  const send = () => page.getByRole('button', { name: 'Send', exact: true }).last();

  /** Films the page and the next click's target, for as long as people take to read it. */
  async function show(holdMs: number, pressed?: Locator): Promise<void> {
    if (TAKES_PICTURES) await film.show(holdMs, pressed);
  }

  beforeAll(async () => {
    ({ local, browser, page, complaints } = await open());
    film = createFilm(page, page.locator('.main'));
    await step('Link').waitFor();
  });

  it('links a channel with the sandbox key', async () => {
    await expect.poll(() => local.botPid(), { timeout: 60_000 }).toBeDefined();
    const key = await page
      .locator('code', { hasText: /^sandbox-key-/ })
      .first()
      .innerText();
    const link = page.getByRole('button', { name: 'Link', exact: true });
    await show(2500, step('Link'));
    await step('Link').click();
    await show(2000);
    await enter();
    await page.getByLabel('Instance name').fill('Sales');
    await page.getByLabel('API key').fill(key);
    await show(3000, link);
    await link.click();
    await page.getByText('Balance: 1,000 credits').waitFor();
    await show(2500);
    await page.keyboard.press('Escape');
    await done('Link').waitFor();
  });

  it('sends a text and watches it arrive on a phone', async () => {
    await show(2000, step('Send'));
    await step('Send').click();
    await show(2000);
    await enter();
    await messages().getByText('≈ 1 credit').last().waitFor();
    await show(3500, send());
    await send().click();
    await messages().getByText('1 credit used · 999 left').waitFor();
    await phones().getByText('Hello from Switchboard').waitFor();
    await done('Send').waitFor();
    await show(4500);
  });

  it('asks for the balance', async () => {
    await composer().fill('/sms balance');
    await show(1500);
    await enter();
    await messages().getByText('999 credits').last().waitFor();
    await show(4500);
    if (TAKES_PICTURES) await film.save(pictureFile('first-minute.gif'), browser);
  });

  it('loses an answer, and the bot tells the truth about it', async () => {
    await step('Lose an answer').click();
    await enter();
    await messages().getByText('Did this one arrive?').last().waitFor();
    await send().click();
    await messages().getByText('We sent it, but the service never replied.').waitFor();
    await messages().getByText('Unknown, probably sent').first().waitFor();
    await done('Lose an answer').waitFor();
    await page.screenshot({ path: pictureFile('playground.png') });
    expect(await phones().getByText('Did this one arrive?').count()).toBe(1);
  });

  it('runs low and is warned once', async () => {
    await step('Run low').click();
    await enter();
    await done('Run low').waitFor();
    const warnings = page.locator('.message', { hasText: 'Credits are running low' });
    await warnings.first().waitFor();
    expect(await warnings.count()).toBe(1);
  });

  it('is refused as a guest, in words', async () => {
    await step('Act as a guest').click();
    await page.locator('.composer-who', { hasText: 'gus' }).waitFor();
    await expect.poll(() => composer().inputValue()).toContain('Hello from a guest');
    await composer().press('Enter');
    await messages().getByText('Guests cannot send texts from this channel').waitFor();
    // The step before used the credits up, so this step adds some.
    await messages().getByText('Enough credits again: 998 credits.').waitFor();
    await done('Act as a guest').waitFor();
  });

  it('texts a list, each by name', async () => {
    await step('Text a list').click();
    await page.locator('.composer-who', { hasText: 'gus' }).waitFor({ state: 'detached' });
    await enter();
    await page.getByLabel('Recipients').fill('phone,name\n+44 20 7946 0101,Zoe\n+44 20 7946 0102,Ben');
    await page.getByLabel('Message').last().fill('Hello {name}!');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    const draft = page.locator('.message', { hasText: 'Your list to 2 recipients' });
    await draft.getByRole('cell', { name: 'Hello Zoe!' }).waitFor();
    await draft.getByRole('button', { name: 'Send 2 messages' }).click();
    await phones().getByText('Hello Ben!').waitFor();
    await done('Text a list').waitFor();
  });

  it('survives a real kill of the bot', async () => {
    const before = local.botPid();
    await page.getByRole('button', { name: 'Kill and restart the bot' }).click();
    await expect.poll(() => local.botPid(), { timeout: 60_000 }).not.toBe(before);
    // The bot answers again, and the old messages are still on the page.
    await expect.poll(() => page.getByText('is restarting').count(), { timeout: 20_000 }).toBe(0);
    expect(await messages().getByText('sent a text to ···0958').count()).toBe(1);
    expect(complaints).toEqual([]);
  });
});
