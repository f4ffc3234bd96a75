import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/types.ts';
import { withoutBrowser } from '../helpers/browser.ts';
import { ANA, opened, withViews } from '../helpers/page-fixture-states.ts';
import { visitsOfTests } from '../helpers/page-visit.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const field = (id: string, element: Json, more: Json = {}) => ({
  type: 'input',
  block_id: id,
  label: plain(id),
  element: { action_id: id, ...element },
  ...more,
});
const small = (...blocks: Json[]) => ({
  type: 'modal',
  title: plain('Small'),
  submit: plain('Save'),
  close: plain('Cancel'),
  blocks,
});

describe.skipIf(withoutBrowser)('a modal on the page', () => {
  const { showing } = visitsOfTests();

  it('scrolls to its top if an update puts something new there', async () => {
    const fields = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'].map((id) =>
      field(id, { type: 'plain_text_input', multiline: true }),
    );
    const { page, fixture } = await showing(opened(small(...fields)));
    await page.getByLabel('Six').focus();
    const scrolled = () => page.locator('.modal-middle').evaluate((one) => one.scrollTop);
    expect(await scrolled()).toBeGreaterThan(0);
    fixture.change(withViews([opened(small(...fields, field('Seven', { type: 'plain_text_input' })))]));
    await page.getByLabel('Seven').waitFor();
    expect(await scrolled()).toBeGreaterThan(0);
    const notice = { type: 'section', text: plain('Which one is it?') };
    fixture.change(withViews([opened(small(notice, ...fields))]));
    await page.getByText('Which one is it?').waitFor();
    expect(await scrolled()).toBe(0);
  });

  it('the app gets the value of every kind of input, also of an untouched one', async () => {
    const options = [
      { value: 'a', text: plain('A') },
      { value: 'b', text: plain('B') },
    ];
    const { page, fixture } = await showing(
      opened(
        small(
          field('text', { type: 'plain_text_input', initial_value: 'x' }),
          field('lines', { type: 'plain_text_input', multiline: true }),
          field('number', { type: 'number_input', is_decimal_allowed: true, initial_value: '1.5' }),
          field('select', { type: 'static_select', options, initial_option: options[1] }),
          field('radio', { type: 'radio_buttons', options }),
          field('boxes', { type: 'checkboxes', options, initial_options: [options[0]] }),
          field('person', { type: 'users_select', initial_user: ANA }),
          field('people', { type: 'multi_users_select' }),
          field('day', { type: 'datepicker', initial_date: '2026-03-04' }),
        ),
      ),
    );
    await page.getByLabel('lines').fill('one\ntwo');
    await page.getByRole('radio', { name: 'B', exact: true }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await fixture.until((posts) => posts.length > 0);
    expect(fixture.posts[0]?.body.values).toEqual({
      text: 'x',
      lines: 'one\ntwo',
      number: '1.5',
      select: 'b',
      radio: 'b',
      boxes: ['a'],
      person: ANA,
      people: [],
      day: '2026-03-04',
    });
  });

  it('a choice can be cleared only in an optional field', async () => {
    const options = [{ value: 'a', text: plain('A') }];
    const menu = { type: 'static_select', options, initial_option: options[0], placeholder: plain('None') };
    const { page, fixture } = await showing(
      opened(small(field('free', menu, { optional: true }), field('needed', menu))),
    );
    const choices = (name: string) => page.getByLabel(name).locator('option:enabled').allTextContents();
    expect(await choices('needed')).toEqual(['A']);
    expect(await choices('free')).toEqual(['None', 'A']);
    await page.getByLabel('free').selectOption('None');
    await page.getByRole('button', { name: 'Save' }).click();
    await fixture.until((posts) => posts.length > 0);
    expect(fixture.posts[0]?.body.values).toEqual({ free: null, needed: 'a' });
  });

  it('typing goes on while the view is updated', async () => {
    const hinted = (hint: string) =>
      opened(small(field('text', { type: 'plain_text_input' }, { hint: plain(hint) })));
    const { page, fixture } = await showing(hinted('before'));
    await page.keyboard.type('Hel');
    fixture.change(withViews([hinted('after')]));
    await page.getByText('after').waitFor();
    await page.keyboard.type('lo');
    expect(await page.getByLabel('text', { exact: true }).inputValue()).toBe('Hello');
  });

  it('a choice in a menu beside the inputs stays while the view is updated, as in Slack', async () => {
    const options = ['a', 'b'].map((value) => ({ value, text: plain(value) }));
    const asking = (text: string) =>
      opened(
        small({
          type: 'section',
          block_id: 'which',
          text: plain(text),
          accessory: { type: 'static_select', action_id: 'which', options },
        }),
      );
    const { page, fixture } = await showing(asking('before'));
    await page.getByLabel('before').selectOption('b');
    await fixture.until((posts) => posts.length > 0);
    fixture.change(withViews([asking('after')]));
    expect(await page.getByLabel('after').inputValue()).toBe('b');
  });

  it('focus stays inside', async () => {
    const { page } = await showing(opened(small(field('text', { type: 'plain_text_input' }))));
    for (let press = 0; press < 8; press += 1) {
      await page.keyboard.press('Tab');
      const outside = await page.evaluate(
        'document.activeElement !== document.body && !document.querySelector("#modal").contains(document.activeElement)',
      );
      expect(outside).toBe(false);
    }
  });
});
