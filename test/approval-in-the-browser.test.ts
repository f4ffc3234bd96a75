import { writeFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { withoutBrowser } from '../packages/slack-playground/test/helpers/browser.ts';
import { localPageOfTests } from './helpers/local-page.ts';
import type { LocalProcess } from './helpers/local-process.ts';
import { pictureFile } from './helpers/pictures.ts';
import { smallPng } from './helpers/small-png.ts';

/** A text of two segments, which may take two credits. */
const LONG =
  'Hello! Your order 4711 is ready. Please pick it up at our shop in Leeds, 12 Market Street, any day before ' +
  'Saturday at six in the evening. Bring this text with you. See you soon!';

const SIZE = { width: 1040, height: 1020 };

/** In a real browser, ana asks and adam approves by mouse and keyboard. Everything behind the page is real. */
describe.skipIf(withoutBrowser)('shared money in the browser', () => {
  const open = localPageOfTests();
  let local: LocalProcess;
  let page: Page;
  let complaints: string[];

  const form = () => page.locator('#modal');
  const message = (words: string | RegExp) => page.locator('.message', { hasText: words }).last();
  const phones = () => page.getByRole('region', { name: 'The phones’ screens' });
  const press = (where: Locator, name: string) => where.getByRole('button', { name, exact: true }).click();

  async function type(command: string): Promise<void> {
    const composer = page.locator('#composer-text');
    await composer.fill(command);
    await composer.press('Enter');
  }

  async function actAs(name: string): Promise<void> {
    await page.getByRole('radio', { name }).check();
    await page.locator('.composer-who', { hasText: name }).waitFor();
  }

  async function saveLimits(): Promise<void> {
    await press(form(), 'Save');
    await form().getByText('Saved.').waitFor();
    await closeForm();
  }

  async function closeForm(): Promise<void> {
    await page.keyboard.press('Escape');
    await form().waitFor({ state: 'hidden' });
  }

  async function take(name: string, shown: Locator): Promise<void> {
    await page.mouse.move(0, 0);
    const picture = await shown.screenshot({ animations: 'disabled' });
    writeFileSync(pictureFile(`screens/${name}.png`), smallPng(picture));
  }

  beforeAll(async () => {
    ({ local, page, complaints } = await open(SIZE));
  });

  it('needs a channel that is linked', async () => {
    await expect.poll(() => local.botPid(), { timeout: 60_000 }).toBeDefined();
    await type('/sms link');
    await form().getByLabel('Instance name').fill('Sales');
    await form().getByLabel('API key').fill('sandbox-key-acme-0001');
    await press(form(), 'Link');
    await page.getByText('Balance: 1,000 credits').waitFor();
    await closeForm();
  });

  it('suggests the limits to admins only', async () => {
    const composer = page.locator('#composer-text');
    await composer.pressSequentially('/sms li');
    await page.getByRole('option', { name: '/sms limits' }).waitFor();
    await composer.fill('');
    await actAs('ana');
    await composer.pressSequentially('/sms s');
    await page.getByRole('option', { name: '/sms send' }).waitFor();
    expect(await page.getByRole('option', { name: '/sms settings' }).count()).toBe(0);
    await composer.fill('');
    await actAs('adam');
  });

  it('begins with limits that an admin sets', async () => {
    await type('/sms limits');
    await form().getByLabel('Approval above (credits)').fill('1');
    await form().getByLabel('Monthly budget (credits)').fill('20');
    // The form is longer than the window.
    await page.setViewportSize({ ...SIZE, height: 2000 });
    await take('limits-form', form());
    await page.setViewportSize(SIZE);
    await saveLimits();
  });

  it('is not asked for by adam in vain: nobody else on the page could approve', async () => {
    await type(`/sms send +44 20 7946 0999 ${LONG}`);
    await press(message('Text to +44 20 7946 0999'), 'Ask for approval');
    const answer = message('Nobody else can approve this');
    await answer.getByRole('button', { name: 'Limits' }).waitFor();
    await press(message('Text to +44 20 7946 0999'), 'Cancel');
  });

  it('leads from ana’s draft over adam’s approval to the receipt', async () => {
    await actAs('ana');
    await type(`/sms send +44 20 7946 0958 ${LONG}`);
    const draft = message('Above 1 credit, a second person has to approve.');
    await draft.waitFor();
    expect(await draft.getByRole('button', { name: 'Send', exact: true }).count()).toBe(0);
    await take('draft-to-approve', draft);
    await press(draft, 'Ask for approval');
    const card = message('Approval needed');
    await card.waitFor();
    await message('Waiting for approval: a text to +44 20 7946 0958').waitFor();

    await press(card, 'Approve and send');
    await message('Nothing was sent.').waitFor();
    expect(await phones().getByRole('article').count()).toBe(0);

    await actAs('adam');
    await take('approval-card', card);
    await press(card, 'Read');
    await form().getByText('Bring this text with you').waitFor();
    await closeForm();
    await press(card, 'Approve and send');
    await phones().getByText(LONG).waitFor();
    expect(await phones().getByRole('article').count()).toBe(1);

    await actAs('ana');
    const receipt = message('1 credit used · 999 left');
    await receipt.getByText('Approved by @adam').waitFor();
    await take('receipt-approved', receipt);
  });

  it('asks before the same words go to a number again', async () => {
    await type('/sms send +44 20 7946 0123 Your order is ready.');
    await press(message('Text to +44 20 7946 0123'), 'Send');
    await phones().getByText('Your order is ready.').waitFor();
    await actAs('adam');
    await type('/sms send +44 20 7946 0123 Your order is ready.');
    const question = message('sent the same words to this number');
    await question.getByRole('button', { name: 'Send anyway' }).waitFor();
    await take('repeat-question', question);
    await press(question, 'Cancel');
  });

  it('takes a text back before it is sent', async () => {
    await type('/sms limits');
    await form().getByLabel('Undo time (seconds)').fill('60');
    await saveLimits();
    await type('/sms send +44 20 7946 0777 See you tomorrow!');
    await press(message('Text to +44 20 7946 0777'), 'Send');
    const waiting = message('Sending in');
    await waiting.getByRole('button', { name: 'Undo' }).waitFor();
    await take('undo', waiting);
    await press(waiting, 'Undo');
    await message('Undone. Nothing was sent, 0 credits used.').waitFor();
    expect(await phones().getByText('See you tomorrow!').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
