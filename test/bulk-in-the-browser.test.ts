import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { withoutBrowser } from '../packages/slack-playground/test/helpers/browser.ts';
import { localPageOfTests } from './helpers/local-page.ts';
import type { LocalProcess } from './helpers/local-process.ts';
import { pictureFile } from './helpers/pictures.ts';

/** Rows as in people's spreadsheets: a number without its country, a number twice, a missing name. */
const CUSTOMERS = [
  'Mobile number,name,city',
  '+44 20 7946 0101,Ana,Leeds',
  '+44 20 7946 0102,,York',
  '020 7946 0103,Cem,Bath',
  '+1 202 555 0123,Dora,Boston',
  '+44 20 7946 0101,Ana once more,Leeds',
];

/** More recipients than one window of the service's rate limit allows. */
const MANY = 8000;

const NAMES = ['Ana', 'Ben', 'Cem', 'Dora', 'Emil', 'Fay', 'Gus', 'Hana', 'Ivo', 'Jo'];
/** Fictitious numbers: a thousand in each of these cities. */
const AREAS = [113, 114, 115, 116, 117, 118, 121, 131, 141];

/** A list of this many recipients, from this place in the numbers on. */
function listOf(recipients: number, from = 0): string[] {
  const rows = Array.from({ length: recipients }, (_, at) => {
    const area = AREAS[Math.floor((from + at) / 1000)];
    return `+44${area}4960${String((from + at) % 1000).padStart(3, '0')},${NAMES[at % NAMES.length]}`;
  });
  return ['phone,name', ...rows];
}

/** A whole list by mouse and keyboard in a real browser, with its file. Everything behind the page is real. */
describe.skipIf(withoutBrowser)('a whole list in the browser', () => {
  const open = localPageOfTests();
  let local: LocalProcess;
  let page: Page;
  let dataDir: string;
  let complaints: string[];

  const form = () => page.getByRole('dialog', { name: 'Text a list' });
  const phones = () => page.getByRole('region', { name: 'The phones’ screens' });
  const button = (name: string | RegExp) => page.getByRole('button', { name }).last();
  const message = (words: string | RegExp) => page.locator('.message', { hasText: words });
  const fault = (sentence: string, on: boolean) => page.getByLabel(sentence).setChecked(on);
  /** The field with the credits of the account that pays. */
  const credits = () => page.locator('input').and(page.getByLabel('Acme Ltd'));

  function fileOf(name: string, rows: readonly string[]): string {
    const path = join(dataDir, name);
    writeFileSync(path, `${rows.join('\r\n')}\r\n`);
    return path;
  }

  async function openForm(): Promise<void> {
    const composer = page.locator('#composer-text');
    await composer.pressSequentially('/sms bulk');
    await composer.press('Enter');
    await form().getByLabel('Recipients').waitFor();
  }

  /** Drafts a list from the form to the preview, with no form in front of it. */
  async function preview(path: string, words: string): Promise<void> {
    await openForm();
    await form().locator('input[type=file]').setInputFiles(path);
    await form().getByLabel('Message').fill(words);
    await form().getByRole('button', { name: 'Preview' }).click();
    await previewed();
  }

  /** Waits for the preview, and closes the notice that a long check leaves in the form's place. */
  async function previewed(): Promise<void> {
    await page.getByRole('button', { name: /^Send [\d,]+ messages?$/ }).waitFor();
    const modal = page.locator('#modal');
    if (await modal.isVisible()) await page.keyboard.press('Escape');
    await modal.waitFor({ state: 'hidden' });
  }

  beforeAll(async () => {
    ({ local, page, dataDir, complaints } = await open());
  });

  it('needs a channel that is linked', async () => {
    await expect.poll(() => local.botPid(), { timeout: 60_000 }).toBeDefined();
    await page.getByRole('button', { name: /Step 1: Link/ }).click();
    await page.keyboard.press('Enter');
    await page.getByLabel('Instance name').fill('Sales');
    await page.getByLabel('API key').fill('sandbox-key-acme-0001');
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await page.getByText('Balance: 1,000 credits').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('is offered as a command', async () => {
    const composer = page.locator('#composer-text');
    await composer.pressSequentially('/sms b');
    await page.getByRole('option', { name: '/sms bulk' }).click();
    expect(await composer.inputValue()).toBe('/sms bulk');
    await page.locator('.is-usage', { hasText: '/sms bulk' }).waitFor();
    await composer.fill('');
  });

  it('says at the fields what is missing and what does not fit', async () => {
    await openForm();
    await form().getByRole('button', { name: 'Preview' }).click();
    await form().getByText('Paste a list, one number per line, or choose a CSV file below.').waitFor();
    await form().getByLabel('Recipients').fill('phone,name\n+44 20 7946 0101,Ana');
    await form().getByLabel('Message').fill('Hello {nme}');
    await form().getByRole('button', { name: 'Preview' }).click();
    await form().getByText('There is no column for {nme}; the columns are: {phone}, {name}').waitFor();
    await page.keyboard.press('Escape');
    await form().waitFor({ state: 'hidden' });
  });

  it('asks which column holds the numbers if that is not clear', async () => {
    await openForm();
    const path = fileOf('team.csv', ['who,reach them', 'Ana,+44 20 7946 0101']);
    await form().locator('input[type=file]').setInputFiles(path);
    await form().getByLabel('Message').fill('Hello {who}');
    await form().getByRole('button', { name: 'Preview' }).click();
    await form()
      .getByLabel('Which column has the phone numbers?')
      .selectOption({ label: 'reach them · +44 20 7946 0101' });
    expect(await form().getByLabel('Message').inputValue()).toBe('Hello {who}');
    await form().getByRole('button', { name: 'Preview' }).click();
    await previewed();
    await message('Your list to 1 recipient').getByRole('button', { name: 'Cancel' }).click();
    await message('Cancelled: nothing was sent to this recipient').waitFor();
  });

  it('leads from a file to a preview that says who gets what, who does not, and why', async () => {
    await preview(
      fileOf('customers.csv', CUSTOMERS),
      'Hello {name|there}, our shop in {city} opens on Monday!',
    );
    const shown = await message('Your list to 3 recipients').innerText();
    for (const part of [
      'from “customers.csv”',
      'United Kingdom: 2, United States: 1',
      '2 of 5 rows',
      '1 wrong number, 1 duplicate',
      'Hello Ana, our shop in Leeds opens on Monday!',
      'Hello there, our shop in York opens on Monday!',
      '≈ 3 credits',
      '1,000 → 997',
      '"020 7946 0103" has no country code',
      'The same number as in row 2',
    ]) {
      expect(shown).toContain(part);
    }
    expect(await phones().getByRole('article').count()).toBe(0);
  });

  it('arrives on the phones after Send, and its card says Finished', async () => {
    await button('Send 3 messages').click();
    for (const words of ['Hello Ana, our', 'Hello there, our', 'Hello Dora, our']) {
      await phones().getByText(words).waitFor();
    }
    const card = message(/Finished .*\.csv/);
    await card.getByText('3 of ≈ 3').waitFor();
    await card.getByText('customers-results.csv is in your direct messages').waitFor();
    expect(await credits().inputValue()).toBe('997');
  });

  it('leaves every recipient’s outcome as a file in the direct messages', async () => {
    await page
      .getByRole('list', { name: 'Apps' })
      .getByRole('button', { name: /^Switchboard/ })
      .click();
    await page.getByRole('button', { name: 'Messages', exact: true }).click();
    await page.getByRole('button', { name: 'Open customers-results.csv' }).click();
    const viewer = page.getByRole('dialog', { name: 'customers-results.csv' });
    await expect.poll(() => viewer.getByRole('row').count()).toBe(4);
    const rows = await viewer.locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split('\t').slice(0, 4))).toEqual([
      [expect.stringContaining('(+44) 2079460101'), 'Ana', 'Leeds', 'sent'],
      [expect.stringContaining('(+44) 2079460102'), '', 'York', 'sent'],
      [expect.stringContaining('(+1) 2025550123'), 'Dora', 'Boston', 'sent'],
    ]);
    await viewer.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'sales', exact: true }).click();
  });

  it('is not sent without the credits, and can be once they are there', async () => {
    await credits().fill('42');
    await credits().press('Enter');
    // So the bot has read the balance again.
    await message('Credits are running low').waitFor();
    await openForm();
    await form()
      .locator('input[type=file]')
      .setInputFiles(fileOf('250.csv', listOf(250, MANY)));
    await form().getByLabel('Message').fill('Hi {name}');
    await form().getByRole('button', { name: 'Preview' }).click();
    const draft = message('Not enough credits: needs ≈ 250, has 42');
    await draft.waitFor();
    expect(await draft.getByRole('button', { name: /Send/ }).count()).toBe(0);
    await credits().fill(String(2 * MANY));
    await credits().press('Enter');
    await draft.getByRole('button', { name: 'Check again' }).click();
    await button('Send 250 messages').waitFor();
  });

  it('is paused and resumed, and texts everybody once', async () => {
    await fault('It says: too many requests', true);
    await button('Send 250 messages').click();
    await message('Sending 250.csv').getByRole('button', { name: 'Pause' }).click();
    await message('@adam pressed Pause. 250 texts wait').waitFor();
    await fault('It says: too many requests', false);
    await message('Paused · 250.csv').getByRole('button', { name: 'Resume' }).click();
    await message('Finished · 250.csv').getByText('250 of ≈ 250').waitFor();
    await page.getByText('253 texts, the latest 100 below').waitFor();
    expect(await credits().inputValue()).toBe(String(2 * MANY - 250));
  });

  it('counts up while it waits for the rate limit, and is stopped for good', async () => {
    await preview(fileOf('everybody.csv', listOf(MANY)), 'Hello {name|there}, our shop opens on Monday!');
    await button('Send 8,000 messages').click();
    const card = message('Sending everybody.csv');
    await expect
      .poll(() => card.innerText(), { timeout: 60_000 })
      .toMatch(/Sent\s+[1-7],\d{3}\s+Left\s+[1-7],\d{3}/);
    await expect
      .poll(() => card.innerText(), { timeout: 20_000 })
      .toMatch(/Time left\s+(About 1|Less than a) minute/);
    await page.screenshot({ path: pictureFile('job-card.png'), animations: 'disabled' });
    await card.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Stop the job' }).click();
    const stopped = message('Stopped · everybody.csv');
    await expect
      .poll(() => stopped.innerText(), { timeout: 20_000 })
      .toMatch(/Sent\s+[1-7],\d{3}[\s\S]*Cancelled\s+[1-7],\d{3}/);
    await stopped.getByText('everybody-results.csv is in your direct messages').waitFor();
    expect(complaints).toEqual([]);
  });
});
