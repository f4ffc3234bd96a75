import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkMessageBlocks, checkView } from '../src/blocks/check.ts';
import { inWords } from '../src/blocks/problems.ts';
import { textOf } from '../src/render.ts';
import type { Playground } from '../src/server.ts';
import { SECRETS, silent, startPlayground } from './helpers/slack-bot.ts';

const x = (length: number) => 'x'.repeat(length);
const names = (count: number, length = 3) =>
  Array.from({ length: count }, (_, i) => `${i}`.padEnd(length, 'n'));
const points = (labels: string[], value = 1) => labels.map((label) => ({ label, value }));
const block = (chart: object, fields: object = {}) => ({
  type: 'data_visualization',
  title: 'Credits',
  chart,
  ...fields,
});
const pie = (count: number, value = 1) => block({ type: 'pie', segments: points(names(count), value) });
const series = (count: number, categories: string[]) =>
  names(count).map((name) => ({ name, data: points(categories, -1) }));
const chart = (type: string, count: number, categories = names(3), axes: object = {}) =>
  block({ type, series: series(count, categories), axis_config: { categories, ...axes } });

const problems = (...blocks: object[]) => checkMessageBlocks(blocks).map(inWords);

describe('a chart', () => {
  test.each(['bar', 'area', 'line'])('%s: 1 to 12 series, 1 to 20 categories', (type) => {
    expect(problems(chart(type, 12, names(20, 20), { x_label: x(50), y_label: x(50) }))).toEqual([]);
    expect(problems(chart(type, 13))).toEqual([
      'no more than 12 items allowed [json-pointer:/blocks/0/chart/series]',
    ]);
    expect(problems(chart(type, 0))).toEqual([
      'no fewer than 1 items allowed [json-pointer:/blocks/0/chart/series]',
    ]);
    expect(problems(chart(type, 1, names(21)))).toContain(
      'no more than 20 items allowed [json-pointer:/blocks/0/chart/axis_config/categories]',
    );
  });

  test('pie: 1 to 12 segments, each above 0', () => {
    expect(problems(pie(12))).toEqual([]);
    expect(problems(pie(13))).toEqual([
      'no more than 12 items allowed [json-pointer:/blocks/0/chart/segments]',
    ]);
    expect(problems(pie(1, 0))).toEqual([
      'must be more than 0 [json-pointer:/blocks/0/chart/segments/0/value]',
    ]);
  });

  test('title and axis labels have up to 50 characters, other labels 20', () => {
    expect(problems(block(pie(1).chart, { title: x(50) }))).toEqual([]);
    expect(problems(block(pie(1).chart, { title: x(51) }))).toEqual([
      'must be less than 51 characters [json-pointer:/blocks/0/title]',
    ]);
    expect(problems(chart('bar', 1, names(2), { x_label: x(51) }))).toEqual([
      'must be less than 51 characters [json-pointer:/blocks/0/chart/axis_config/x_label]',
    ]);
    expect(problems(block({ type: 'pie', segments: points([x(21)]) }))).toEqual([
      'must be less than 21 characters [json-pointer:/blocks/0/chart/segments/0/label]',
    ]);
  });

  test('every series has one value for each category, and its own name', () => {
    const categories = ['Mon', 'Tue'];
    const axis_config = { categories };
    const of = (...all: object[]) => block({ type: 'line', series: all, axis_config });
    const whole = { name: 'a', data: points(categories) };
    expect(problems(of(whole, { ...whole, name: 'b' }))).toEqual([]);
    expect(problems(of(whole, whole))).toEqual([
      'series names must be unique [json-pointer:/blocks/0/chart/series]',
    ]);
    for (const labels of [['Mon'], ['Mon', 'Wed'], ['Mon', 'Mon']]) {
      expect(problems(of({ name: 'a', data: points(labels) }))).toEqual([
        'series must have one value for each category [json-pointer:/blocks/0/chart/series]',
      ]);
    }
  });

  test('a message may have two, a modal none', () => {
    expect(problems(pie(1), pie(1))).toEqual([]);
    expect(problems(pie(1), pie(1), pie(1))).toEqual([
      'no more than 2 data_visualization blocks allowed [json-pointer:/blocks/2]',
    ]);
    const view = { type: 'modal', title: { type: 'plain_text', text: 'a' }, blocks: [pie(1)] };
    expect(checkView(view).map(inWords)).toEqual([
      'unsupported type: data_visualization [json-pointer:/view/blocks/0/type]',
    ]);
  });

  test('textOf returns its title and figures', () => {
    const two = block({
      type: 'bar',
      series: [{ name: 'Sent', data: points(['Mon', 'Tue'], 5) }],
      axis_config: { categories: ['Mon', 'Tue'] },
    });
    expect(textOf([{ block_id: 'a', ...two }])).toBe('Credits\nSent: Mon 5 | Tue 5');
    expect(textOf([{ block_id: 'a', ...pie(2) }])).toBe('Credits\n0nn 1 | 1nn 1');
  });
});

describe('a Slack that does not know the block yet', () => {
  let slack: Playground;
  let web: WebClient;
  beforeEach(async () => {
    slack = await startPlayground();
    const options = { slackApiUrl: slack.apiUrl, logger: silent, retryConfig: { retries: 0 } };
    web = new WebClient(SECRETS.botToken, options);
  });
  afterEach(() => slack.close());

  test('refuses messages with such a block, and no others', async () => {
    const method = 'chat.postMessage';
    slack.fault({ method, fault: { kind: 'block_refused', type: 'data_visualization' }, count: Infinity });
    const channel = slack.channels.sales.id;
    await expect(
      web.chat.postMessage({ channel, text: 'as a chart', blocks: [pie(1)] as never }),
    ).rejects.toMatchObject({ data: { error: 'invalid_blocks' } });
    await web.chat.postMessage({ channel, text: 'as words', blocks: [{ type: 'divider' }] });
    expect(slack.history(channel).map(({ text }) => text)).toEqual(['as words']);
  });
});
