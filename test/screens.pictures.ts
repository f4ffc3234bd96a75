import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../packages/slack-playground/test/helpers/browser.ts';
import { type LocalProcess, startLocalProcess } from './helpers/local-process.ts';
import { pictureFile } from './helpers/pictures.ts';
import { smallPng } from './helpers/small-png.ts';

/** The service refuses this number. */
const REFUSED = '+44 7700 900404';

/** Rows as in people's spreadsheets: a missing name, a number without its country, a number twice. */
const CUSTOMERS = [
  'Mobile number,name,city',
  '+44 20 7946 0101,Ana,Leeds',
  '+44 20 7946 0102,,York',
  '020 7946 0103,Cem,Bath',
  '+1 202 555 0123,Dora,Boston',
  '+44 20 7946 0101,Ana once more,Leeds',
];

/** The page's size, in px. */
const SIZE = { width: 1040, height: 1400 };

/** Fictitious numbers: a thousand in each of these cities. */
const AREAS = [113, 114];

/** This many recipients, with a header, after these rows. */
const listOf = (recipients: number, first: readonly string[] = []) => [
  'phone,name',
  ...first,
  ...Array.from({ length: recipients }, (_, at) => {
    return `+44${AREAS[Math.floor(at / 1000)]}4960${String(at % 1000).padStart(3, '0')},Ana`;
  }),
];

/**
 * Takes the pictures of docs/screens.md, with PICTURES=1: each message and form once, from a playground with the real bot.
 * This file waits for new messages and for labels that stay, so new words break nothing.
 */
describe('the pictures of docs/screens.md', () => {
  let local: LocalProcess;
  let browser: Browser;
  let page: Page;
  const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-screens-'));

  const form = () => page.locator('#modal');
  /** The dialog that asks "are you sure?". */
  const question = () => page.locator('#ask');
  /** The latest card of a list. */
  const card = (words: RegExp) => page.locator('.message', { hasText: words }).last();
  const composer = () => page.locator('#composer-text');
  const places = () => page.locator('.sidebar');
  const stamps = () =>
    page.evaluate<string[]>('[...document.querySelectorAll(".message")].map((one) => one.dataset.ts)');
  const fault = (sentence: string, on: boolean) => page.getByLabel(sentence).setChecked(on);
  const press = (where: Locator, name: string | RegExp) =>
    where.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) }).click();

  async function take(name: string, shown: Locator): Promise<void> {
    await page.mouse.move(0, 0);
    const picture = await shown.screenshot({ animations: 'disabled' });
    writeFileSync(pictureFile(`screens/${name}.png`), smallPng(picture));
  }

  async function type(command: string): Promise<void> {
    await composer().fill(command);
    await composer().press('Enter');
  }

  /** The first new message with these words after `act`. */
  async function newMessage(act: () => Promise<void>, words: RegExp = /./): Promise<Locator> {
    const known = await stamps();
    await act();
    let found: Locator | undefined;
    await expect
      .poll(
        async () => {
          for (const stamp of (await stamps()).filter((one) => !known.includes(one))) {
            const message = page.locator(`.message[data-ts="${stamp}"]`);
            if (words.test(await message.innerText())) found = message;
          }
          return found !== undefined;
        },
        { timeout: 30_000 },
      )
      .toBe(true);
    return found as Locator;
  }
  const answerTo = (command: string) => newMessage(() => type(command));

  /** Waits until a message says this. */
  const says = (message: Locator, words: RegExp, timeout = 40_000) =>
    expect.poll(() => message.innerText(), { timeout }).toMatch(words);

  async function openForm(command: string): Promise<void> {
    await type(command);
    await form().waitFor();
  }

  async function closeForm(): Promise<void> {
    await page.keyboard.press('Escape');
    await form().waitFor({ state: 'hidden' });
  }

  async function actAs(name: string): Promise<void> {
    await page.getByRole('radio', { name }).check();
    await page.locator('.composer-who', { hasText: name }).waitFor();
  }

  /** Takes the Home of the person who acts, once it has `words`. Then opens the channel again. */
  async function takeHome(name: string, words: string | RegExp): Promise<void> {
    await press(places(), /^Switchboard/);
    const home = page.locator('.home-blocks');
    await home.getByText(words).first().waitFor({ timeout: 90_000 });
    await take(name, home);
    await press(places(), /^sales/);
  }

  async function setCredits(credits: number): Promise<void> {
    await page.getByLabel('Acme Ltd').fill(String(credits));
    await page.getByLabel('Acme Ltd').press('Enter');
  }

  /** The draft of a list, with no form in front of it. */
  async function listDraft(name: string, rows: readonly string[], words: string): Promise<Locator> {
    const file = join(dataDir, name);
    writeFileSync(file, `${rows.join('\r\n')}\r\n`);
    await openForm('/sms bulk');
    await form().locator('input[type=file]').setInputFiles(file);
    await form().getByLabel('Message').fill(words);
    const draft = await newMessage(() => press(form(), 'Preview'), /Cancel/);
    await draft.getByRole('button', { name: /^Send [\d,]+ messages?$/ }).waitFor();
    if (await form().isVisible()) await closeForm();
    return draft;
  }

  beforeAll(async () => {
    local = await startLocalProcess(dataDir);
    browser = await startBrowser();
    page = await browser.newPage({ viewport: SIZE });
    page.setDefaultTimeout(30_000);
    await page.goto(local.url);
  });

  afterAll(async () => {
    await browser?.close();
    await local?.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('before a channel is linked', async () => {
    await expect.poll(() => local.botPid(), { timeout: 60_000 }).toBeDefined();
    await page.locator('.message').first().waitFor();
    await take('not-linked', await answerTo('/sms balance'));
    await actAs('ana');
    await take('not-linked-member', await answerTo('/sms balance'));
    await actAs('adam');
    await takeHome('home-first-steps', 'Three steps');
    await openForm('/sms link');
    await take('link-form', form());
    await form().getByLabel('Instance name').fill('Sales');
    await form().getByLabel('API key').fill('sandbox-key-acme-0001');
    const news = await newMessage(() => press(form(), 'Link'), /#sales/);
    await form().getByRole('button', { name: 'Link', exact: true }).waitFor({ state: 'hidden' });
    await closeForm();
    await take('linked', news);
  });

  it('the answers of commands', async () => {
    await take('help', await answerTo('/sms help'));
    await take('balance', await answerTo('/sms balance'));
    await take('status', await answerTo('/sms status'));
    await take('number-problem', await answerTo('/sms send 020 7946 0958 Hello'));
    await openForm('/sms settings');
    // The form is longer than the window.
    await page.setViewportSize({ ...SIZE, height: 2000 });
    await take('settings-form', form());
    await page.setViewportSize(SIZE);
    await closeForm();
    await actAs('gus');
    await take('guest', await answerTo('/sms send +44 20 7946 0958 Hello'));
    await actAs('adam');
  });

  it('one text', async () => {
    await openForm('/sms send');
    await take('send-form', form());
    await closeForm();
    const sent = await answerTo('/sms send +44 20 7946 0958 Your order is ready. See you soon!');
    await take('draft', sent);
    const line = await newMessage(() => press(sent, 'Send'), /@adam/);
    await says(sent, /Sent/);
    await take('sent', sent);
    await take('line', line);

    const cancelled = await answerTo('/sms send +44 20 7946 0958 Never mind');
    await press(cancelled, 'Cancel');
    await cancelled.getByRole('button', { name: 'Cancel', exact: true }).waitFor({ state: 'hidden' });
    await take('cancelled', cancelled);

    const rejected = await answerTo(`/sms send ${REFUSED} Your order is ready.`);
    await press(rejected, 'Send');
    await says(rejected, /Rejected/);
    await take('rejected', rejected);
  });

  it('a text whose answer is lost', async () => {
    await fault('The next text arrives, its answer is lost', true);
    const arrived = await answerTo('/sms send +44 20 7946 0123 Did this one arrive?');
    await press(arrived, 'Send');
    await says(arrived, /Unknown.*It arrived/s);
    await take('unknown', arrived);
    await says(arrived, /probably sent/);
    await take('unknown-probably-sent', arrived);
    const again = await newMessage(() => press(arrived, /^Resend/));
    await take('resend-draft', again);
    await press(again, 'Cancel');

    const lost = await answerTo('/sms send +44 20 7946 0123 And this one?');
    await fault('The service hangs', true);
    await press(lost, 'Send');
    await says(lost, /Sending/);
    await take('sending', lost);
    await says(lost, /Unknown/);
    await fault('The service hangs', false);
    // The bot waits until Linux would deliver nothing of the request any more.
    await says(lost, /probably not sent/, 240_000);
    await take('unknown-probably-not-sent', lost);
    await take('status-unknown', await answerTo('/sms status'));
  }, 400_000);

  it('a text that the service has no room for', async () => {
    const draft = await answerTo('/sms send +44 20 7946 0958 Hello');
    await fault('It says: too many requests', true);
    await press(draft, 'Send');
    await says(draft, /Waiting/);
    await take('waiting', draft);
    await says(draft, /Not sent/);
    await take('not-sent', draft);
    await fault('It says: too many requests', false);
  });

  it('a list', async () => {
    await openForm('/sms bulk');
    await take('bulk-form', form());
    await closeForm();
    const draft = await listDraft(
      'customers.csv',
      CUSTOMERS,
      'Hello {name|there}, our shop in {city} opens on Monday!',
    );
    await take('bulk-preview', draft);
    await press(draft, 'Send 3 messages');
    await says(card(/Finished/), /results\.csv/);
    await take('job-finished', card(/Finished/));
  });

  it('the texts sent, and their cost', async () => {
    // The window must be tall: else the channel's head covers a part of the statement.
    await page.setViewportSize({ width: 1240, height: 2000 });
    const history = await answerTo('/sms history');
    await take('history', history);
    await history.locator('select').selectOption({ index: (await history.locator('option').count()) - 1 });
    await form().getByText('Reference').waitFor();
    await take('history-details', form());
    await closeForm();
    await take('look-up', await answerTo('/sms history +44 20 7946 0958'));
    const statement = await answerTo('/sms statement');
    await statement.getByText('Export CSV').waitFor();
    await take('statement', statement);
    await page.setViewportSize(SIZE);
  });

  it('Home and shortcuts', async () => {
    // The table of Home follows the books within a minute.
    await page.setViewportSize({ width: 1240, height: 1400 });
    await takeHome('home-admin', /^995$/);
    await page.setViewportSize(SIZE);
    await page.getByRole('button', { name: /^Shortcuts of/ }).click();
    await page.getByRole('menuitem', { name: 'Write a text' }).click();
    await form().waitFor();
    await take('shortcut-form', form());
    await closeForm();
    await actAs('ana');
    await takeHome('home-member', 'Channels you can send from');
    await actAs('adam');
  });

  it('credits and key', async () => {
    const draft = await answerTo('/sms send +44 20 7946 0958 Hello');
    await fault('The key is refused', true);
    const news = await newMessage(() => press(draft, 'Send'), /key/);
    await says(draft, /Rejected/);
    await take('rejected-key', draft);
    await take('key-refused', news);
    await take('key-refused-balance', await answerTo('/sms balance'));
    await take('key-works-again', await newMessage(() => fault('The key is refused', false), /key/));
    await take('low-credits', await newMessage(() => setCredits(42), /42/));
    await newMessage(() => setCredits(0));
    await take('draft-too-few-credits', await answerTo('/sms send +44 20 7946 0958 Hello'));
  });

  it('a list that the service refuses', async () => {
    await setCredits(20_000);
    const draft = await listDraft('members.csv', listOf(1999, [`${REFUSED},Zoe`]), 'Hello {name}!');
    await press(draft, 'Send 2,000 messages');
    await card(/Paused/).waitFor();
    await take('job-refused-list', card(/Paused/));
    await press(places(), /^Switchboard/);
    await press(page.locator('.app-tabs'), 'Messages');
    await take('list-paused', card(/Sent from/));
    await press(places(), /^sales/);
    // One text a request is slow enough for a picture.
    await press(card(/Paused/), 'Continue one by one');
    await says(card(/Sending/), /Left\s+\d/);
    await take('job-sending', card(/Sending/));
    await press(card(/Sending/), 'Pause');
    await card(/Paused/).waitFor();
    await take('job-paused', card(/Paused/));
    await press(card(/Paused/), 'Stop');
    await question().waitFor();
    await take('job-stop-question', question());
    await press(question(), 'Stop the job');
    await says(card(/Stopped/), /results\.csv/);
    await says(card(/Stopped/), /Nothing was charged/);
    await take('job-stopped', card(/Stopped/));
  }, 240_000);
});
