import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/types.ts';
import { axeFindings, withoutBrowser } from '../helpers/browser.ts';
import { visitsOfTests } from '../helpers/page-visit.ts';
import { createPageWorld, type PageWorld } from '../helpers/page-world.ts';
import { SECRETS } from '../helpers/slack-bot.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const CSV = 'number,text,status\n+442079460958,"Hello, ""Zoë""",sent\n+442079460123,<b>Bye</b>,unknown\n';

describe.skipIf(withoutBrowser)('files on the page', () => {
  const visits = visitsOfTests();
  let world: PageWorld;
  beforeEach(async () => {
    world = await createPageWorld();
  });
  afterEach(async () => {
    await visits.leave();
    await world.close();
  });

  /** Opens the page as the admin. */
  const visit = (screen?: BrowserContextOptions) => visits.openAt(world.url, screen);

  /** Uploads a file as the bot, to #sales by default. Resolves with its id. */
  async function uploaded(name: string, content: string, args: Json = {}): Promise<string> {
    const { upload_url, file_id } = await world.call('files.getUploadURLExternal', {
      filename: name,
      length: Buffer.byteLength(content),
    });
    await fetch(String(upload_url), { method: 'POST', body: content });
    const place = { channel_id: world.slack.channels.sales.id };
    await world.call('files.completeUploadExternal', { files: [{ id: file_id }], ...place, ...args });
    return String(file_id);
  }

  const inside = (page: Page) => page.getByRole('dialog');

  describe('in a message', () => {
    it('are cards that open as a table and download unchanged', async () => {
      await uploaded('report.csv', CSV, { initial_comment: 'Two *texts*' });
      const { page, complaints } = await visit();
      const card = page.getByRole('list', { name: 'Files' }).getByRole('listitem');
      expect(await card.locator('.file-name').textContent()).toBe('report.csv');
      expect(await card.locator('.file-about').textContent()).toBe(`CSV · ${Buffer.byteLength(CSV)} bytes`);
      await page.getByRole('button', { name: 'Open report.csv' }).click();
      const viewer = page.getByRole('dialog', { name: 'report.csv' });
      await viewer.getByText('2 rows').waitFor();
      expect(await viewer.getByRole('columnheader').allTextContents()).toEqual(['number', 'text', 'status']);
      expect(await viewer.getByRole('cell').allTextContents()).toEqual([
        '+442079460958',
        'Hello, "Zoë"',
        'sent',
        '+442079460123',
        '<b>Bye</b>',
        'unknown',
      ]);
      const download = page.waitForEvent('download');
      await viewer.getByRole('link', { name: 'Download report.csv' }).click();
      expect((await download).suggestedFilename()).toBe('report.csv');
      expect(readFileSync(await (await download).path(), 'utf8')).toBe(CSV);
      await page.keyboard.press('Escape');
      await viewer.waitFor({ state: 'hidden' });
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Open report.csv');
      expect(complaints).toEqual([]);
    });

    it('a long one shows how it begins', async () => {
      await uploaded('long.csv', `n\n${Array.from({ length: 250 }, (_, n) => n).join('\n')}`);
      await uploaded('long.txt', 'x'.repeat(150_000));
      const { page } = await visit();
      await page.getByRole('button', { name: 'Open long.csv' }).click();
      await inside(page).getByText('These are the first 100 rows.').waitFor();
      expect(await inside(page).getByRole('cell').count()).toBe(100);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Open long.txt' }).click();
      await inside(page).getByText('This is how it begins.').waitFor();
    });

    it('a table has semicolons or tabs, lines within cells, empty lines, rows of unlike length', async () => {
      const tables: { [name: string]: [content: string, cells: string[]] } = {
        'semicolons-and-mark.csv': ['\uFEFFa;b\r\n1;2,3\r\n', ['1', '2,3']],
        'tabs.csv': ['a\tb\n1\t2', ['1', '2']],
        'lines.csv': ['a,b\n\n"one\ntwo",""\n', ['one\ntwo', '']],
        'unlike.csv': ['a,b,c\n1', ['1', '', '']],
      };
      for (const [name, [content]] of Object.entries(tables)) await uploaded(name, content);
      const { page } = await visit();
      for (const [name, [, cells]] of Object.entries(tables)) {
        await page.getByRole('button', { name: `Open ${name}` }).click();
        const viewer = page.getByRole('dialog', { name });
        await viewer.getByText('1 row', { exact: true }).waitFor();
        expect(await viewer.getByRole('columnheader').first().textContent(), name).toBe('a');
        expect(await viewer.getByRole('cell').allTextContents(), name).toEqual(cells);
        await page.keyboard.press('Escape');
        await viewer.waitFor({ state: 'hidden' });
      }
    });

    it('an HTML file is text, and no address serves it as a page', async () => {
      const html = '<script>document.title = "hacked"</script><h1>Hi</h1>';
      const id = await uploaded('evil.html', html);
      const { page, complaints } = await visit();
      await page.getByRole('button', { name: 'Open evil.html' }).click();
      await inside(page).getByText(html).waitFor();
      const answer = await fetch(`${world.url}/files/${id}?as=${world.slack.people.admin.id}`);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': "attachment; filename*=UTF-8''evil.html",
        'x-content-type-options': 'nosniff',
      });
      expect(await page.title()).not.toBe('hacked');
      expect(complaints).toEqual([]);
    });

    it('a file that is not text can only be downloaded', async () => {
      await uploaded('list.xlsx', 'PK');
      const { page } = await visit();
      await page.getByRole('link', { name: 'Download list.xlsx' }).waitFor();
      expect(await page.getByRole('button', { name: 'Open list.xlsx' }).count()).toBe(0);
    });

    it('are for people who see the conversation', async () => {
      const { leads } = world.slack.channels;
      const { admin, guest, outsider } = world.slack.people;
      const id = await uploaded('secret.csv', CSV, { channel_id: leads.id });
      const status = async (as: string) => (await fetch(`${world.url}/files/${id}?as=${as}`)).status;
      expect(await status(admin.id)).toBe(200);
      expect(await status(guest.id)).toBe(404);
      expect(await status(outsider.id)).toBe(404);
      expect(await status('U0NOBODY00')).toBe(400);
      expect((await fetch(`${world.url}/files/F0NOTHING0?as=${admin.id}`)).status).toBe(404);
    });

    it('a viewer shows its file, even if one that was opened before comes later', async () => {
      const slow = await uploaded('slow.csv', 'n\nslow');
      await uploaded('quick.csv', 'n\nquick');
      const { page } = await visit();
      const { promise: isHeld, resolve: letGo } = Promise.withResolvers<void>();
      await page.route(`**/files/${slow}?*`, (route) => isHeld.then(() => route.continue()));
      await page.getByRole('button', { name: 'Open slow.csv' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Open quick.csv' }).click();
      await inside(page).getByRole('cell', { name: 'quick' }).waitFor();
      const answered = page.waitForResponse((answer) => answer.url().includes(slow));
      letGo();
      await (await answered).finished();
      await page.evaluate('new Promise(requestAnimationFrame)');
      expect(await inside(page).getByRole('cell').allTextContents()).toEqual(['quick']);
    });

    it('a viewer says that its file is gone', async () => {
      await uploaded('report.csv', CSV);
      const { page } = await visit();
      await page.getByRole('button', { name: 'Open report.csv' }).waitFor();
      await page.route('**/files/**', (route) => route.fulfill({ status: 404 }));
      await page.getByRole('button', { name: 'Open report.csv' }).click();
      await inside(page).getByText('it is gone').waitFor();
    });
  });

  describe('in a form', () => {
    let taken: Json[];
    let answer: Json | undefined;
    beforeEach(async () => {
      taken = [];
      answer = undefined;
      await world.startBot((app) => {
        app.view(/.*/, async ({ ack, view }) => {
          taken = (view.state.values.numbers?.roster?.files ?? []) as unknown as Json[];
          await ack(answer as never);
        });
        app.command('/app', async ({ ack, body, client }) => {
          await ack();
          const element = { type: 'file_input', action_id: 'roster', ...JSON.parse(body.text) };
          const block = { type: 'input', block_id: 'numbers', label: plain('Numbers'), element };
          await client.views.open({
            trigger_id: body.trigger_id,
            view: {
              type: 'modal',
              title: plain('Many texts'),
              submit: plain('Check'),
              blocks: [block as never],
            },
          });
        });
      });
    });

    /** A form with this file_input, open on the page. */
    async function form(element: Json = {}, options: Parameters<typeof visit>[0] = {}) {
      const visited = await visit(options);
      const { admin } = world.slack.people;
      const text = JSON.stringify({ filetypes: ['csv', 'txt'], max_files: 1, ...element });
      await world.slack.command({ user: admin, channel: world.slack.channels.sales, text });
      await inside(visited.page).waitFor();
      return visited;
    }

    const csv = (name = 'roster.csv', content = CSV) => ({
      name,
      mimeType: 'text/csv',
      buffer: Buffer.from(content),
    });
    const cardOf = (page: Page, name: string) => inside(page).locator('.file-name').getByText(name);
    const picker = (page: Page) => page.getByLabel('Numbers');
    const focused = (page: Page) => page.evaluate('document.activeElement.textContent');

    it('a person chooses a file, sees it and sends it, and the app reads it', async () => {
      const { page, complaints } = await form();
      expect(await picker(page).getAttribute('accept')).toBe('.csv,.txt');
      expect(await picker(page).getAttribute('multiple')).toBeNull();
      await picker(page).setInputFiles(csv());
      await cardOf(page, 'roster.csv').waitFor();
      await inside(page)
        .getByText(`${Buffer.byteLength(CSV)} bytes`)
        .waitFor();
      expect(await picker(page).count()).toBe(0);
      await page.getByRole('button', { name: 'Check' }).click();
      await inside(page).waitFor({ state: 'hidden' });
      expect(taken).toMatchObject([{ name: 'roster.csv', user: world.slack.people.admin.id }]);
      const headers = { authorization: `Bearer ${SECRETS.botToken}` };
      const read = await fetch(String(taken[0]?.url_private_download), { headers });
      expect(await read.text()).toBe(CSV);
      expect(complaints).toEqual([]);
    });

    it('by keyboard: the picker opens, Remove gives it back', async () => {
      const { page } = await form();
      const chooser = page.waitForEvent('filechooser');
      expect(await page.evaluate('document.activeElement.type')).toBe('file');
      await page.keyboard.press('Enter');
      await (await chooser).setFiles(csv());
      await cardOf(page, 'roster.csv').waitFor();
      expect(await focused(page)).toBe('Remove roster.csv');
      await page.keyboard.press('Enter');
      await picker(page).waitFor();
      expect(await page.evaluate('document.activeElement.type')).toBe('file');
      await page.getByRole('button', { name: 'Check' }).click();
      await inside(page).getByText('Please complete this required field.').waitFor();
    });

    it('the field refuses another type and a large file', async () => {
      const { page, complaints } = await form();
      await picker(page).setInputFiles(csv('photo.png'));
      await inside(page)
        .getByText('photo.png is not of a type that can be used here: choose .csv or .txt.')
        .waitFor();
      expect(await picker(page).getAttribute('aria-invalid')).toBe('true');
      expect(await page.evaluate('document.activeElement.type')).toBe('file');
      await picker(page).setInputFiles(csv('big.csv', 'x'.repeat(10 * 1024 * 1024 + 1)));
      await inside(page).getByText('big.csv is too large: a file can have up to 10 MB.').waitFor();
      await picker(page).setInputFiles(csv());
      await cardOf(page, 'roster.csv').waitFor();
      expect(await inside(page).locator('.error').count()).toBe(0);
      expect(complaints).toEqual([]);
    });

    it('of several files at once, the field refuses one and says why', async () => {
      const { page } = await form({ max_files: 3 });
      await picker(page).setInputFiles([csv('photo.png'), csv('a.csv'), csv('b.csv')]);
      await inside(page).getByText('photo.png is not').waitFor();
      expect(await inside(page).locator('.file-name').allTextContents()).toEqual(['a.csv', 'b.csv']);
      expect(await page.evaluate('document.activeElement.type')).toBe('file');
    });

    it('several files, one of them removed; the app’s error is at the field', async () => {
      answer = { response_action: 'errors', errors: { numbers: 'Row 3 has no number.' } };
      const { page } = await form({ max_files: 3 });
      await picker(page).setInputFiles([csv('a.csv'), csv('b.csv'), csv('c.csv')]);
      await page.getByRole('button', { name: 'Remove b.csv' }).click();
      await page.getByRole('button', { name: 'Remove b.csv' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Check' }).click();
      await inside(page).getByText('Row 3 has no number.').waitFor();
      expect(taken.map(({ name }) => name)).toEqual(['a.csv', 'c.csv']);
      expect(await inside(page).getByRole('listitem').count()).toBe(2);
      expect(await inside(page).getByRole('status').textContent()).toBe('Chosen: a.csv, c.csv.');
    });

    it('an error at a full field gets the focus', async () => {
      answer = { response_action: 'errors', errors: { numbers: 'Row 3 has no number.' } };
      const { page } = await form();
      await picker(page).setInputFiles(csv());
      await page.getByRole('button', { name: 'Check' }).click();
      await inside(page).getByText('Row 3 has no number.').waitFor();
      expect(await focused(page)).toBe('Remove roster.csv');
      const described = await page.evaluate(
        'document.activeElement.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id).textContent).join()',
      );
      expect(described).toBe('Row 3 has no number.');
    });

    it('the field takes a dropped file; a drop beside it does nothing', async () => {
      const { page } = await form();
      const drop = (target: string) =>
        page.evaluate(`(() => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File(['number'], 'dropped.csv'));
          const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
          const target = document.querySelector('${target}');
          if (target.type === 'file') { target.files = dataTransfer.files; target.dispatchEvent(new Event('change')); }
          return target.dispatchEvent(event);
        })()`);
      expect(await drop('.modal-head')).toBe(false);
      expect(await drop('.drop input')).toBe(true);
      await cardOf(page, 'dropped.csv').waitFor();
    });

    it('nobody puts a file into somebody else’s form, or from another page', async () => {
      await form();
      const { admin, member } = world.slack.people;
      const view = String(world.slack.views(admin.id)[0]?.view.id);
      const post = async (as: string, type = 'application/octet-stream', id = view) => {
        const query = new URLSearchParams({
          as,
          view: id,
          block_id: 'numbers',
          action_id: 'roster',
          name: 'a.csv',
        });
        const headers = { 'content-type': type };
        const answered = await fetch(`${world.url}/act/attach?${query}`, {
          method: 'POST',
          headers,
          body: 'a',
        });
        return (await answered.json()) as { ok: boolean; problem?: string };
      };
      expect(await post(member.id)).toEqual({ ok: false, problem: 'This form is closed.' });
      expect((await post(admin.id, 'text/plain')).ok).toBe(false);
      expect((await post(admin.id, undefined, '')).ok).toBe(false);
      expect(world.slack.view(view)?.view.state.values.numbers?.roster).toMatchObject({ files: [] });
      expect(await post(admin.id)).toEqual({ ok: true });
    });
  });

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it.each([
      [1280, 720],
      [320, 640],
    ])('axe finds nothing at %i × %i', async (width, height) => {
      await uploaded('a-report-with-quite-a-long-name-of-2026-11-21.csv', CSV);
      const { admin } = world.slack.people;
      const { page } = await visit({ colorScheme, viewport: { width, height } });
      await page.getByRole('button', { name: /^Open/ }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('button', { name: /^Open/ }).click();
      await inside(page).getByText('2 rows').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await world.startBot((app) =>
        app.command('/app', async ({ ack, body, client }) => {
          await ack();
          const element = { type: 'file_input', action_id: 'roster', filetypes: ['csv'], max_files: 2 };
          const label = plain('Numbers');
          const block = { type: 'input', block_id: 'numbers', label, hint: plain('One a line'), element };
          const view = {
            type: 'modal',
            title: plain('Many'),
            submit: plain('Go'),
            blocks: [block],
          };
          await client.views.open({ trigger_id: body.trigger_id, view: view as never });
        }),
      );
      await world.slack.command({ user: admin, channel: world.slack.channels.sales });
      await inside(page).waitFor();
      const [view] = world.slack.views(admin.id);
      if (!view) throw new Error('no form');
      const attach = (name: string) =>
        world.slack.attachFile({ user: admin, view, text: 'Numbers', name, bytes: CSV });
      attach('a-roster-with-quite-a-long-name-of-2026-11-21.csv');
      attach('photo.png');
      await inside(page).getByText('photo.png').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    });
  });
});
