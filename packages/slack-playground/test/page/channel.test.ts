import { describe, expect, it } from 'vitest';
import { withoutBrowser } from '../helpers/browser.ts';
import {
  ADMIN,
  ANA,
  blocksSaid,
  botSays,
  personSays,
  SALES,
  screenOf,
  screens,
  withMessages,
} from '../helpers/page-fixture-states.ts';
import { visitsOfTests } from '../helpers/page-visit.ts';

describe.skipIf(withoutBrowser)('a channel on the page', () => {
  const visits = visitsOfTests();

  it('a list that a person scrolled back stays there, and a button goes to the newest', async () => {
    const many = Array.from({ length: 40 }, (_, index) => personSays(ANA, `Line ${index}`));
    const { page, fixture } = await visits.visit(screens({ messages: many }));
    await page.getByText('Line 39').waitFor();
    const top = () => page.evaluate('document.querySelector(".scroller").scrollTop');
    await page.evaluate('document.querySelector(".scroller").scrollTo(0, 300)');
    await page.getByRole('button', { name: 'Newest' }).waitFor();
    fixture.change(withMessages([...many, personSays(ANA, 'Line 40')]));
    await page.getByText('Line 40').waitFor({ state: 'attached' });
    expect(await top()).toBe(300);
    await page.getByRole('button', { name: 'Newest' }).click();
    await expect.poll(top).toBeGreaterThan(1000);
  });

  it('a picture that loads late leaves a list at its end there', async () => {
    const { page, fixture } = await visits.visit();
    const { promise: isHeld, resolve: letGo } = Promise.withResolvers<void>();
    const body = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="400"/>';
    await page.route('https://pictures.example/**', (route) =>
      isHeld.then(() => route.fulfill({ contentType: 'image/svg+xml', body })),
    );
    const many = Array.from({ length: 40 }, (_, index) => personSays(ANA, `Line ${index}`));
    const image = { type: 'image', image_url: 'https://pictures.example/late.svg', alt_text: 'late' };
    fixture.change(withMessages([...many, blocksSaid([image])]));
    await page.getByText('Line 39').waitFor();
    const height = () => page.locator('.picture').evaluate((picture) => picture.clientHeight);
    letGo();
    await expect.poll(height).toBe(400);
    const left =
      '(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector(".scroller"))';
    await expect.poll(() => page.evaluate(left)).toBeLessThan(2);
  });

  it('on a phone, the menu of an edited message is beside its author', async () => {
    const shortcut = { name: 'Note this', type: 'message' as const, callback_id: 'note', description: '' };
    const message = { ...botSays({ text: 'Topped up', blocks: [] }), edited: true };
    const { page, fixture } = await visits.visit(undefined, { viewport: { width: 360, height: 740 } });
    fixture.change((now) => ({
      ...withMessages([message])(now),
      bot: { ...now.bot, name: 'A longer name' },
      shortcuts: [shortcut],
    }));
    const middleOf = async (selector: string) => {
      const box = await page.locator(`.message-head ${selector}`).boundingBox();
      return box ? box.y + box.height / 2 : Number.NaN;
    };
    await page.getByText('edited').waitFor();
    expect(Math.abs((await middleOf('.author')) - (await middleOf('.overflow')))).toBeLessThan(6);
  });

  it('a menu that replaces another is empty, even if it has the id of an earlier one', async () => {
    const menu = (block_id: string) => {
      const options = [{ text: { type: 'plain_text', text: 'One' }, value: 'one' }];
      const placeholder = { type: 'plain_text', text: 'Which?' };
      const element = { type: 'static_select', action_id: 'pick', options, placeholder };
      return withMessages([
        blocksSaid([{ type: 'actions', block_id, elements: [element] }], { ts: '1.000001' }),
      ]);
    };
    const { page, fixture } = await visits.visit();
    const picked = page.locator('.message select');
    const showMenu = async (block_id: string) => {
      fixture.change(menu(block_id));
      await page.locator(`.block[data-block=${block_id}]`).waitFor();
    };
    await showMenu('first');
    await picked.selectOption('One');
    expect(await picked.inputValue()).toBe('one');
    for (const id of ['second', 'first']) {
      await showMenu(id);
      expect(await picked.inputValue()).toBe('');
    }
  });

  it('a button that is pressed again is busy until its second answer', async () => {
    const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } };
    const message = blocksSaid([{ type: 'actions', block_id: 'b', elements: [button] }], { ts: '1.000001' });
    // The clock below stays in its window: no other test has one of this kind.
    const { page, fixture } = await visits.visit(screens({ messages: [message] }), { locale: 'en-GB' });
    await page.clock.install();
    const control = page.getByRole('button', { name: 'Go', exact: true });
    const isBusy = () => control.getAttribute('aria-busy');
    await control.click();
    fixture.change(withMessages([message, personSays(ANA, 'News')]));
    await expect.poll(isBusy).toBeNull();
    const { promise: isHeld, resolve: letGo } = Promise.withResolvers<void>();
    fixture.onPost(() => isHeld.then(() => undefined));
    await control.click();
    await page.clock.fastForward(3000);
    expect(await isBusy()).toBe('true');
    letGo();
  });

  it('a line about the bot’s state is in every place, also on its Home', async () => {
    const { page, fixture } = await visits.visit();
    fixture.change((now) => ({ ...now, app: { ...now.app, tabs: ['home', 'messages'] } }));
    await page.getByRole('list', { name: 'Apps' }).getByRole('button').click();
    await page.getByText('has not put anything here yet').waitFor();
    fixture.change((now) => ({ ...now, bot: { ...now.bot, state: 'down' } }));
    await page.getByText('is down. Commands and buttons get no answer.').waitFor();
    await page.getByRole('button', { name: 'sales' }).click();
    await page.getByText('is down. Commands and buttons get no answer.').waitFor();
    fixture.change((now) => ({ ...now, bot: { ...now.bot, state: 'running' } }));
    await page.getByText('is down.').waitFor({ state: 'hidden' });
  });

  it('complaints about a missing server go away once it is back', async () => {
    const { page, fixture } = await visits.visit();
    await page.context().setOffline(true);
    fixture.drop();
    await page.getByText('This page goes on as soon as it is back.').waitFor();
    await page.locator('#composer-text').fill('Hello');
    await page.keyboard.press('Enter');
    await page.getByText('Is it still running in your terminal?').waitFor();
    await page.context().setOffline(false);
    await page.getByText('This page goes on as soon as it is back.').waitFor({ state: 'hidden' });
    await page.getByText('Is it still running in your terminal?').waitFor({ state: 'hidden' });
    expect(await page.locator('#composer-text').inputValue()).toBe('Hello');
  });

  it('the page shows a person’s text as typed', async () => {
    const { page } = await visits.visit(screens({ messages: [personSays(ANA, 'a <b> & <@U1> *bold*')] }));
    expect(await page.locator('.message .text').textContent()).toBe('a <b> & <@U1> bold');
  });

  describe('the composer', () => {
    it('offers commands: arrows, Tab, Enter, Esc', async () => {
      const { page, fixture } = await visits.visit();
      const field = page.locator('#composer-text');
      await field.pressSequentially('/poll ');
      expect(await page.getByRole('listbox').getByRole('option').allTextContents()).toEqual([
        '/poll ask <question>Ask everybody here',
        '/poll closeEnd the poll of this channel',
        '/poll helpSee what there is',
      ]);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      expect(await page.getByRole('listbox').getByRole('option', { selected: true }).textContent()).toContain(
        '/poll close',
      );
      await page.keyboard.press('Enter');
      expect(await field.inputValue()).toBe('/poll close');
      expect(fixture.posts).toEqual([]);
      await field.fill('/poll as');
      await page.keyboard.press('Tab');
      expect(await field.inputValue()).toBe('/poll ask ');
      await page.getByText('/poll ask <question> Ask everybody here').waitFor();
      await field.fill('/poll');
      await page.keyboard.press('Escape');
      expect(await page.getByRole('listbox').count()).toBe(0);
      await page.keyboard.press('Enter');
      await fixture.until((posts) => posts.length > 0);
      expect(fixture.posts[0]?.body.text).toBe('/poll');
    });

    it('Shift + Enter makes a new line, a text without / is a message', async () => {
      const { page, fixture } = await visits.visit();
      await page.locator('#composer-text').pressSequentially('one');
      await page.keyboard.press('Shift+Enter');
      await page.keyboard.type('two');
      await page.keyboard.press('Enter');
      await fixture.until((posts) => posts.length > 0);
      expect(fixture.posts).toEqual([
        { path: '/act/say', body: { as: ADMIN, channel: SALES, text: 'one\ntwo' } },
      ]);
    });

    it('Up brings back earlier texts', async () => {
      const { page, fixture } = await visits.visit();
      const field = page.locator('#composer-text');
      for (const text of ['first', 'second']) {
        await field.fill(text);
        await page.keyboard.press('Enter');
      }
      await fixture.until((posts) => posts.length === 2);
      for (const [key, text] of [
        ['ArrowUp', 'second'],
        ['ArrowUp', 'first'],
        ['ArrowUp', 'first'],
        ['ArrowDown', 'second'],
        ['ArrowDown', ''],
      ]) {
        await page.keyboard.press(key ?? '');
        expect(await field.inputValue()).toBe(text);
      }
    });

    it('keeps an unsent text for its person and its channel', async () => {
      const { page } = await visits.visit();
      const field = page.locator('#composer-text');
      await field.fill('half a text');
      await page.getByRole('radio', { name: 'ana' }).check();
      await page.getByText('Message #sales as ana').waitFor({ state: 'attached' });
      expect(await field.inputValue()).toBe('');
      await field.fill('another half');
      await page.getByRole('radio', { name: 'adam' }).check();
      await page.getByText('Message #sales as adam').waitFor({ state: 'attached' });
      expect(await field.inputValue()).toBe('half a text');
    });

    it('says what went wrong, and gives the text back', async () => {
      const { page, fixture } = await visits.visit();
      fixture.onPost(() => ({ ok: false, problem: '/poll failed because the app did not respond.' }));
      const field = page.locator('#composer-text');
      await field.fill('/poll close');
      await page.keyboard.press('Enter');
      await page.getByText('/poll failed because the app did not respond.').waitFor();
      expect(await field.inputValue()).toBe('/poll close');
    });
  });

  it('empty places say so', async () => {
    const quiet = { ...screenOf(ANA), channels: [] };
    const { page } = await visits.visit({ [ADMIN]: screenOf(ADMIN), [ANA]: quiet });
    await page.getByText('Nothing has been said here yet.').waitFor();
    await page.getByRole('radio', { name: 'ana' }).check();
    await page.getByText('This person is in no channel.').waitFor();
  });
});
