import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/types.ts';
import { withoutBrowser } from '../helpers/browser.ts';
import { ADMIN, ANA, BOT_ID, blocksSaid, botSays, SALES, screens } from '../helpers/page-fixture-states.ts';
import { type Visit, visitsOfTests } from '../helpers/page-visit.ts';

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const option = (value: string, text = value) => ({ value, text: plain(text) });
const section = (text: string) => ({ type: 'section', text: mrkdwn(text) });
const HOSTILE = '<img src=x onerror="window.hacked = true">';
const ESCAPED = HOSTILE.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

describe.skipIf(withoutBrowser)('blocks on the page', () => {
  const visits = visitsOfTests();

  const show = (...blocks: Json[]) =>
    visits.visit(screens({ messages: [blocksSaid(blocks, { ts: '1.000001' })] }));
  const bodyOf = (page: Page) => page.locator('.message-body');

  /** The HTML of mrkdwn texts, each in its own message. */
  async function htmlOf(
    texts: string[],
    options: Parameters<typeof visits.visit>[1] = {},
  ): Promise<string[]> {
    const messages = texts.map((text) => blocksSaid([section(text)]));
    const { page } = await visits.visit(screens({ messages }), options);
    const shown = page.locator('.message-body .text');
    await shown.nth(texts.length - 1).waitFor();
    return Promise.all((await shown.all()).map((text) => text.innerHTML()));
  }

  describe('mrkdwn', () => {
    it('becomes HTML only by its marks', async () => {
      const texts: [mrkdwn: string, html: string][] = [
        ['*bold* _italic_ ~gone~', '<strong>bold</strong> <em>italic</em> <s>gone</s>'],
        ['*bold with _italic_ in it*', '<strong>bold with <em>italic</em> in it</strong>'],
        ['2*3*4 and a_b_c stay', '2*3*4 and a_b_c stay'],
        ['`/app send &lt;number&gt;` *x*', '<code>/app send &lt;number&gt;</code> <strong>x</strong>'],
        ['before\n```\n*a*\n  b\n```\nafter', 'before<pre>*a*\n  b</pre>after'],
        ['one\n&gt; two\n> three\nfour', 'one<blockquote>two<br>three</blockquote>four'],
        ['a &amp;lt; b', 'a &amp;lt; b'],
        [
          '<!here> <!subteam^S1|@team>',
          '<span class="mention">@here</span> <span class="mention">@team</span>',
        ],
        [`<@${ANA}> <@U0NOBODY>`, '<span class="mention">@ana</span> <span class="mention">@somebody</span>'],
        ['<javascript:alert(1)|click>', '&lt;javascript:alert(1)|click&gt;'],
      ];
      expect(await htmlOf(texts.map(([text]) => text))).toEqual(texts.map(([, html]) => html));
    });

    it('links open outside, with their label', async () => {
      const { page } = await show(
        section('<https://example.com/a?b=1&amp;c=2|the page> <mailto:a@example.com>'),
      );
      const link = page.getByRole('link', { name: 'the page' });
      expect(await link.getAttribute('href')).toBe('https://example.com/a?b=1&c=2');
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
      expect(await page.getByRole('link', { name: 'a@example.com' }).getAttribute('href')).toBe(
        'mailto:a@example.com',
      );
    });

    it('a press on a channel opens it; an unknown channel is only a name', async () => {
      const { page } = await show(section('<#C0SUPPORT1> <#C0HIDDEN01|secret>'));
      expect(await bodyOf(page).innerText()).toBe('#support #secret');
      await page.getByRole('button', { name: '#support' }).click();
      await page.getByRole('heading', { name: 'support', exact: true }).waitFor();
    });

    it('dates are in the reader’s time zone, in words if there are any', async () => {
      const noon = Date.UTC(2026, 2, 4, 14, 2) / 1000;
      const now = Math.floor(Date.now() / 1000);
      const tokyo = { timezoneId: 'Asia/Tokyo' };
      const html = await htmlOf(
        [
          `<!date^${noon}^{date_short} at {time}|never>`,
          `<!date^${now}^{date_short_pretty}|never>`,
          `<!date^${noon}^{nonsense}|Wednesday>`,
          `<!date^${noon}^{date_num}^https://example.com|never>`,
        ],
        tokyo,
      );
      const times = html.map((each) => /<time[^>]*>(.*)<\/time>/.exec(each)?.[1]);
      expect(times).toEqual(['4 Mar 2026 at 23:02', 'today', 'Wednesday', '2026-03-04']);
      expect(html[3]).toContain('>2026-03-04</time></a>');
    });

    it('the few emoji of messages are icons, others stay as written', async () => {
      const { page } = await show(section(':warning: careful :tada:'));
      await page.getByRole('img', { name: 'Warning' }).waitFor();
      expect(await bodyOf(page).innerText()).toContain('careful :tada:');
    });
  });

  it('nothing that people write becomes HTML', async () => {
    const rich = {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_section',
          elements: [
            { type: 'text', text: HOSTILE },
            { type: 'link', url: 'javascript:window.hacked=true', text: 'link' },
          ],
        },
      ],
    };
    const { page, fixture, complaints } = await show(
      section(HOSTILE),
      section(ESCAPED),
      { type: 'section', text: plain(HOSTILE), fields: [plain(HOSTILE), mrkdwn(ESCAPED)] },
      { type: 'header', text: plain(HOSTILE) },
      { type: 'context', elements: [mrkdwn(ESCAPED), plain(HOSTILE)] },
      rich,
      {
        type: 'actions',
        elements: [
          { type: 'button', action_id: 'b', text: plain(HOSTILE) },
          { type: 'button', action_id: 'c', text: plain('go'), url: 'javascript:window.hacked=true' },
        ],
      },
      { type: 'image', image_url: 'javascript:window.hacked=true', alt_text: HOSTILE },
    );
    fixture.change((state) => ({
      ...state,
      people: state.people.map((one) => ({ ...one, name: HOSTILE })),
      team: { id: 'T', name: HOSTILE },
    }));
    fixture.change((state) => ({
      ...state,
      help: HOSTILE,
      tryThis: {
        steps: [
          {
            id: HOSTILE,
            name: HOSTILE,
            text: HOSTILE,
            done: false,
            by: 'staff',
            types: '/x',
            after: HOSTILE,
          },
        ],
        key: { label: HOSTILE, name: HOSTILE, key: HOSTILE },
      },
    }));
    await page.locator('.try .key', { hasText: HOSTILE }).waitFor();
    expect(await page.locator('img:not(.mark)').count()).toBe(0);
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await page.getByText(HOSTILE).count()).toBeGreaterThan(8);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(complaints).toEqual([]);
  });

  it('rich text: sections, styles, lists, quotes, preformatted', async () => {
    const text = (words: string, style?: object) => ({ type: 'text', text: words, ...(style && { style }) });
    const line = (...elements: object[]) => ({ type: 'rich_text_section', elements });
    const { page } = await show({
      type: 'rich_text',
      elements: [
        line(
          text('plain '),
          text('both', { bold: true, italic: true }),
          text(' old', { strike: true }),
          { type: 'user', user_id: ADMIN },
          { type: 'emoji', name: 'wave', unicode: '1f44b' },
        ),
        { type: 'rich_text_list', style: 'ordered', elements: [line(text('one')), line(text('two'))] },
        { type: 'rich_text_list', style: 'bullet', indent: 3, elements: [line(text('dot'))] },
        { type: 'rich_text_quote', elements: [text('said')] },
        { type: 'rich_text_preformatted', elements: [text('*as* <it> is')] },
      ],
    });
    expect(await page.locator('.rich').innerHTML()).toBe(
      '<p class="rich-line">plain <strong><em>both</em></strong><s> old</s><span class="mention">@adam</span>👋</p>' +
        '<ol><li>one</li><li>two</li></ol><ul style="--indent: 3;"><li>dot</li></ul>' +
        '<blockquote class="rich-line">said</blockquote><pre>*as* &lt;it&gt; is</pre>',
    );
  });

  it('fields, context, header, divider, image and table are shown', async () => {
    const cell = (text: string) => ({ type: 'raw_text', text });
    const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
    const { page } = await show(
      { type: 'header', text: plain('Title') },
      {
        type: 'section',
        fields: [mrkdwn('*A*'), plain('B')],
        accessory: { type: 'image', image_url: pixel, alt_text: 'a flag' },
      },
      { type: 'divider' },
      { type: 'context', elements: [mrkdwn('small')] },
      { type: 'image', image_url: pixel, alt_text: 'a map', title: plain('Map') },
      {
        type: 'table',
        rows: [
          [cell('Name'), cell('City')],
          [cell('Ana'), cell('Rome')],
        ],
      },
    );
    await page.getByRole('heading', { name: 'Title' }).waitFor();
    await page.getByRole('img', { name: 'a flag' }).waitFor();
    await page.getByRole('img', { name: 'a map' }).waitFor();
    await page.getByRole('separator').waitFor();
    expect(await page.getByRole('cell').allTextContents()).toEqual(['Ana', 'Rome']);
    // A wide table scrolls, so the keyboard can reach it.
    expect(await page.getByRole('group', { name: 'Table' }).getAttribute('tabindex')).toBe('0');
  });

  it('the page names what it cannot show', async () => {
    const { page, complaints } = await show(
      { type: 'video', title: plain('Film') },
      { type: 'actions', elements: [{ type: 'file_input', action_id: 'f' }] },
    );
    await page.getByText('This page has no way to show this block (“video”).').waitFor();
    await page.getByText('This page has no way to show this element (“file_input”).').waitFor();
    expect(complaints).toEqual([]);
  });

  describe('elements of a message', () => {
    /** The posts after `use` on a message with `element` beside its text. */
    async function posted(element: Json, use: (visit: Visit) => Promise<unknown>) {
      const visit = await show({
        ...section('Choose'),
        block_id: 'b',
        accessory: { action_id: 'a', ...element },
      });
      await use(visit);
      await visit.fixture.until((posts) => posts.length > 0);
      return visit.fixture.postsTo('/act/click');
    }
    const click = (value?: unknown) => [
      {
        as: ADMIN,
        channel: SALES,
        ts: '1.000001',
        block_id: 'b',
        action_id: 'a',
        ...(value !== undefined && { value }),
      },
    ];

    it('button', async () => {
      expect(
        await posted({ type: 'button', text: plain('Go') }, ({ page }) =>
          page.getByRole('button', { name: 'Go', exact: true }).click(),
        ),
      ).toEqual(click());
    });

    it('button with a question: no and Esc do nothing, yes does it', async () => {
      const confirm = {
        title: plain('Really?'),
        text: mrkdwn('It is *gone* then.'),
        confirm: plain('Do it'),
        deny: plain('No'),
        style: 'danger',
      };
      const ask = async ({ page, fixture }: Visit) => {
        const button = page.getByRole('button', { name: 'Go', exact: true });
        await button.click();
        await page.getByRole('dialog', { name: 'Really?' }).getByText('It is gone then.').waitFor();
        await page.getByRole('button', { name: 'No', exact: true }).click();
        await button.click();
        await page.keyboard.press('Escape');
        expect(fixture.posts).toEqual([]);
        await button.click();
        await page.getByRole('button', { name: 'Do it' }).click();
      };
      expect(await posted({ type: 'button', text: plain('Go'), confirm }, ask)).toEqual(click());
    });

    it('static_select with groups', async () => {
      const groups = [{ label: plain('A – B'), options: [option('at', 'Austria'), option('be', 'Belgium')] }];
      const pick = ({ page }: Visit) =>
        page.getByRole('combobox', { name: 'Choose' }).selectOption('Belgium');
      expect(await posted({ type: 'static_select', option_groups: groups }, pick)).toEqual(click('be'));
    });

    it('users_select', async () => {
      const pick = ({ page }: Visit) => page.locator('.message').getByRole('combobox').selectOption('ben');
      expect(await posted({ type: 'users_select' }, pick)).toEqual(click('U0MEMBER02'));
    });

    it('checkboxes', async () => {
      const options = [option('x'), option('y'), option('z')];
      const tick = ({ page }: Visit) => page.getByRole('checkbox', { name: 'z' }).check();
      expect(await posted({ type: 'checkboxes', options, initial_options: [option('x')] }, tick)).toEqual(
        click(['x', 'z']),
      );
    });

    it('radio_buttons', async () => {
      const tick = ({ page }: Visit) => page.getByRole('radio', { name: 'two' }).check();
      expect(await posted({ type: 'radio_buttons', options: [option('one'), option('two')] }, tick)).toEqual(
        click('two'),
      );
    });

    it('multi_users_select', async () => {
      const tick = ({ page }: Visit) => page.getByRole('checkbox', { name: 'ana' }).check();
      expect(await posted({ type: 'multi_users_select' }, tick)).toEqual(click([ANA]));
    });

    it('overflow, by keyboard', async () => {
      const choose = async ({ page }: Visit) => {
        await page.getByRole('button', { name: 'More' }).focus();
        for (const key of ['Enter', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
      };
      expect(
        await posted({ type: 'overflow', options: [option('1', 'One'), option('2', 'Two')] }, choose),
      ).toEqual(click('2'));
    });

    it('the page says that a click was refused', async () => {
      const { page, fixture } = await show({
        type: 'actions',
        elements: [{ type: 'button', action_id: 'a', text: plain('Go') }],
      });
      fixture.onPost(() => ({ ok: false, problem: 'This message is gone.' }));
      await page.getByRole('button', { name: 'Go', exact: true }).click();
      await page.getByRole('alert').getByText('This message is gone.').waitFor();
      expect(
        await page.getByRole('button', { name: 'Go', exact: true }).getAttribute('aria-busy'),
      ).toBeNull();
    });
  });

  it('a message without blocks is its text', async () => {
    const { page } = await visits.visit(
      screens({ messages: [botSays({ text: '*Welcome*\nto <#C0SALES001>', blocks: [] })] }),
    );
    expect(await bodyOf(page).innerText()).toBe('Welcome\nto #sales');
    expect(await page.locator('.message .badge').textContent()).toBe('App');
    expect(BOT_ID).toMatch(/^U/);
  });
});
