import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/types.ts';
import { axeFindings, withoutBrowser } from '../helpers/browser.ts';
import { blocksSaid, screens, withMessages } from '../helpers/page-fixture-states.ts';
import { visitsOfTests } from '../helpers/page-visit.ts';
import { createPageWorld } from '../helpers/page-world.ts';

const text = (words: string) => ({ type: 'raw_text', text: words });
const number = (value: number) => ({ type: 'raw_number', value, text: `${value} left` });
const row = (at: number) => [text(`person ${at}`), number((at * 5) % 12)];
const table = (fields: Json = {}) => ({
  type: 'data_table',
  block_id: 'people',
  caption: 'Credits by person',
  rows: [[text('Who'), text('Credits')], ...Array.from({ length: 12 }, (_, at) => row(at + 1))],
  ...fields,
});
const points = (...values: number[]) => values.map((value, at) => ({ label: `day ${at}`, value }));
const axis_config = { categories: ['day 0', 'day 1', 'day 2'], x_label: 'Day', y_label: 'Credits' };
const chart = (type: string) => ({
  type: 'data_visualization',
  title: `A ${type}`,
  chart: {
    type,
    series: [
      { name: 'Sent', data: points(12, 40, -31) },
      // Not in the order of the categories.
      { name: 'Not sent', data: points(2, 1, 7).reverse() },
    ],
    axis_config,
  },
});
const pie = (...values: number[]) => ({
  type: 'data_visualization',
  title: 'A pie',
  chart: { type: 'pie', segments: points(...values) },
});

/** A picture of one point. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(withoutBrowser)('figures on the page', () => {
  const visits = visitsOfTests();

  const said = (...blocks: Json[]) => [blocksSaid(blocks, { ts: '1.000001' })];
  const show = (blocks: Json[], options = {}) =>
    visits.visit(screens({ messages: said(...blocks) }), options);
  const names = (page: Page) => page.locator('.data-rows tbody th').allTextContents();
  const persons = (...numbers: number[]) => numbers.map((at) => `person ${at}`);

  it('a table has pages, of 5 rows by default', async () => {
    const { page, complaints } = await show([table()]);
    expect(await page.locator('.data-rows caption').textContent()).toBe('Credits by person');
    expect(await names(page)).toEqual(persons(1, 2, 3, 4, 5));
    await page.getByRole('button', { name: 'Previous' }).click({ force: true });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Next' }).click();
    expect(await names(page)).toEqual(persons(11, 12));
    expect(await page.locator('.pager-where').textContent()).toBe('11–12 of 12');
    await page.getByRole('button', { name: 'Next' }).click({ force: true });
    expect(await names(page)).toEqual(persons(11, 12));
    expect(complaints).toEqual([]);
    await visits.leave();

    const whole = await show([table({ page_size: 12 })]);
    expect(await names(whole.page)).toHaveLength(12);
    expect(await whole.page.locator('.pager').count()).toBe(0);
  });

  it('a table sorts by a column, numbers as numbers, and stays sorted while the message changes', async () => {
    const { page, fixture } = await show([table()]);
    await page.getByRole('button', { name: 'Who' }).click();
    expect(await names(page)).toEqual(persons(1, 2, 3, 4, 5));
    await page.getByRole('button', { name: 'Credits' }).click();
    expect(await names(page)).toEqual(persons(12, 5, 10, 3, 8));
    await page.getByRole('button', { name: 'Credits' }).click();
    expect(await names(page)).toEqual(persons(7, 2, 9, 4, 11));
    expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('descending');
    fixture.change(withMessages(said(table(), { type: 'divider', block_id: 'line' })));
    await page.locator('.message hr').waitFor();
    expect(await names(page)).toEqual(persons(7, 2, 9, 4, 11));
  });

  it('a table that loses the column by which it is sorted has the order of the app', async () => {
    const { page, fixture, complaints } = await show([table()]);
    await page.getByRole('button', { name: 'Credits' }).click();
    fixture.change(withMessages(said(table({ rows: [[text('Who')], [text('Zoë')], [text('Ana')]] }))));
    await expect.poll(() => names(page)).toEqual(['Zoë', 'Ana']);
    expect(complaints).toEqual([]);
  });

  it.each(['bar', 'line', 'area'])('%s: a chart is drawn, with a legend and its figures', async (type) => {
    const { page, complaints } = await show([chart(type)]);
    await page.getByRole('img', { name: `A ${type}` }).waitFor();
    expect(await page.locator('.legend li').allTextContents()).toEqual(['Sent', 'Not sent']);
    const drawn = page.locator('.chart-drawing');
    expect(await drawn.locator(type === 'bar' ? '.bar' : '.part-mark').count()).toBe(6);
    // Any two series differ in more than their colour.
    const looks =
      type === 'bar'
        ? await drawn.locator('.bar').evaluateAll((all) => all.map((one) => one.getAttribute('fill')))
        : await drawn
            .locator('.part-line')
            .evaluateAll((all) => all.map((one) => one.getAttribute('stroke-dasharray')));
    expect(new Set(looks).size).toBe(2);
    await page.getByText('Figures', { exact: true }).click();
    const rows = page.locator('.chart-figures tbody tr');
    expect(await rows.allTextContents()).toEqual(['day 0122', 'day 1401', 'day 2-317']);
    expect(await page.locator('.chart').innerHTML()).not.toMatch(/NaN|undefined/);
    expect(complaints).toEqual([]);
  });

  it.each([
    [
      [0, 0, 0],
      ['0', '1'],
    ],
    [
      [0, 2, 9],
      ['0', '5', '10'],
    ],
    [
      [0, 0.5, 0.25],
      ['0', '0.2', '0.4', '0.6'],
    ],
  ])('a chart of %j has steps that fit its values', async (values, steps) => {
    const bars = { type: 'bar', series: [{ name: 'Credits', data: points(...values) }], axis_config };
    const { page } = await show([{ type: 'data_visualization', title: 'By day', chart: bars }]);
    expect(await page.locator('.chart-drawing text[text-anchor=end]').allTextContents()).toEqual(steps);
  });

  it.each([[[812, 40, 3]], [[1]]])('a pie of %j is drawn, with shares', async (values) => {
    const { page } = await show([pie(...values)]);
    expect(await page.locator('.slice').count()).toBe(values.length);
    const [first] = await page.locator('.legend li').allTextContents();
    expect(first).toBe(values.length === 1 ? 'day 0: 1 (100 %)' : 'day 0: 812 (95 %)');
    expect(await page.locator('.chart').innerHTML()).not.toMatch(/NaN|undefined/);
  });

  it.each([
    [1280, 800],
    [320, 640],
  ])('axe finds nothing at %i × %i, and nothing is wider than the page', async (width, height) => {
    const blocks = [chart('bar'), pie(3, 4), table()];
    const { page } = await show(blocks, { viewport: { width, height } });
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });

  it('a wide table scrolls in its box, and its caption stays whole in it', async () => {
    const wide = Array.from({ length: 9 }, (_, at) => text(`A wide column ${at}`));
    const caption = 'Credits and texts of an account whose name is long, in the last 7 days';
    const { page } = await show([table({ caption, rows: [wide, wide, wide] })], {
      viewport: { width: 640, height: 800 },
    });
    const outside = () =>
      page.evaluate<number>(`(() => {
        const box = document.querySelector('.data-rows').getBoundingClientRect();
        const words = document.querySelector('.data-rows caption > span').getBoundingClientRect();
        return Math.max(0, words.right - box.right, box.left - words.left);
      })()`);
    expect(await outside()).toBe(0);
    const scrolled = await page.evaluate<number>(`(() => {
      const box = document.querySelector('.data-rows');
      box.scrollLeft = 200;
      return box.scrollLeft;
    })()`);
    expect(scrolled).toBe(200);
    expect(await outside()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(640);
  });

  it.each([1280, 390])('at %i px a table of a week is not cut: a figure stays in one line', async (width) => {
    const head = ['Day (UTC)', 'Balance', 'Credits used', 'Topped up', 'Sent', 'Not sent', 'Unknown'].map(
      text,
    );
    const figures = [41_000, 4000, 50_000, 3800, 20, 3].map((value) => number(value));
    const { page, complaints } = await show([table({ rows: [head, [text('25 Nov'), ...figures]] })], {
      viewport: { width, height: 800 },
    });
    const cut = await page.evaluate<number>(`(() => {
      const box = document.querySelector('.data-rows');
      return box.scrollWidth - box.clientWidth;
    })()`);
    expect(cut).toBe(0);
    const lines = await page.evaluate<
      number[]
    >(`[...document.querySelectorAll('.data-rows tbody tr > *')].map((cell) => {
      const words = document.createRange();
      words.selectNodeContents(cell);
      return words.getClientRects().length;
    })`);
    expect(lines).toEqual(lines.map(() => 1));
    // On a phone each figure has its name.
    const names = await page.evaluate<string[]>(`[...document.querySelectorAll('.data-rows tbody tr > *')]
      .map((cell) => getComputedStyle(cell, '::before').content)`);
    expect(names[2]).toBe(width === 390 ? '"Credits used"' : 'none');
    // For a screen reader it is still a table.
    await page
      .getByRole('table', { name: 'Credits by person' })
      .getByRole('rowheader', { name: '25 Nov' })
      .waitFor();
    await page.getByRole('button', { name: 'Unknown' }).click();
    expect(await page.getByRole('columnheader', { name: 'Unknown' }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('people who may see its file see a picture, others its words', async () => {
    const world = await createPageWorld();
    const { slack } = world;
    const { admin, guest } = slack.people;
    const upload = await world.call('files.getUploadURLExternal', { filename: 'p.png', length: PNG.length });
    await fetch(String(upload.upload_url), { method: 'POST', body: PNG });
    const file = { id: String(upload.file_id), title: 'Balance' };
    await world.call('files.completeUploadExternal', { files: [file], channel_id: slack.channels.sales.id });
    const blocks = [{ type: 'image', alt_text: 'The balance fell', slack_file: { id: file.id } }];
    for (const { id } of [admin, guest])
      await world.call('views.publish', { user_id: id, view: { type: 'home', blocks } });

    const picture = (as: string) => fetch(`${world.url}/files/${file.id}/picture?as=${as}`);
    const answer = await picture(admin.id);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG);
    expect((await picture(guest.id)).status).toBe(404);
    slack.say({
      user: admin,
      channel: slack.channels.sales,
      text: '',
      files: [{ name: 'a.html', bytes: 'a' }],
    });
    const [page] = slack.history(slack.channels.sales.id).at(-1)?.files ?? [];
    expect((await fetch(`${world.url}/files/${page?.id}/picture?as=${admin.id}`)).status).toBe(404);

    const visit = await visits.openAt(world.url);
    await visit.page.locator('.file.with-picture img').waitFor();
    await visit.page.getByRole('button', { name: 'Playbot', exact: true }).click();
    const image = "document.querySelector('.home-blocks img')";
    await visit.page.locator('.home-blocks img').waitFor();
    expect(await visit.page.evaluate(`${image}.decode().then(() => ${image}.naturalWidth)`)).toBe(1);
    await visit.page.getByLabel('gus').check();
    await visit.page.locator('.home-blocks .no-picture', { hasText: 'The balance fell' }).waitFor();
    await visits.leave();
    await world.close();
  });
});
