import type { PageState } from 'slack-playground';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withoutBrowser } from '../../../packages/slack-playground/test/helpers/browser.ts';
import { ADMIN, AT } from '../../../packages/slack-playground/test/helpers/page-fixture-states.ts';
import { visitsOfTests } from '../../../packages/slack-playground/test/helpers/page-visit.ts';
import { PANELS } from '../helpers/panels-folder.ts';
import { screenOf, screens, shownIn, withService, withTexts } from '../helpers/product-screens.ts';

describe.skipIf(withoutBrowser)('phones, service and bot on the page', () => {
  const visits = visitsOfTests(screens, PANELS);

  describe('phones', () => {
    const text = (id: number, phone: string, words: string) => ({ id, phone, text: words, at: AT });

    it('a text arrives on its recipient’s phone, newest phone first, with one motion', async () => {
      const { page, fixture } = await visits.visit();
      await page.getByText('Nobody yet').waitFor();
      fixture.change(withTexts([text(1, '+44 20 7946 0958', 'One')]));
      await page.getByText('+44 20 7946 0958').waitFor();
      fixture.change(
        withTexts([
          text(1, '+44 20 7946 0958', 'One'),
          text(2, '+44 20 7946 0123', 'Two'),
          text(3, '+44 20 7946 0958', 'Three'),
        ]),
      );
      await page.getByText('Three', { exact: true }).waitFor();
      expect(await page.locator('.phone-list .phone').allInnerTexts()).toEqual([
        expect.stringMatching(/^\+44 20 7946 0958\s+One\s+14:02\s+Three\s+14:02$/),
        expect.stringMatching(/^\+44 20 7946 0123\s+Two\s+14:02$/),
      ]);
      await page
        .locator('#announcer', { hasText: 'A text arrives on +44 20 7946 0958: Three' })
        .waitFor({ state: 'attached' });
      expect(
        await page.evaluate(
          'getComputedStyle([...document.querySelectorAll(".bubble")].find((one) => one.textContent.startsWith("Three"))).animationName',
        ),
      ).toBe('arrive');
    });

    it('of a whole list, the page says how many arrive, and how many there are', async () => {
      const { page, fixture } = await visits.visit();
      const texts = Array.from({ length: 100 }, (_, at) => text(at, `44207946${1000 + at}`, `No ${at}`));
      fixture.change(withTexts(texts, 4213));
      await page.getByText('4,213 texts, the latest 100 below').waitFor();
      const announcer = page.locator('#announcer', { hasText: '100 texts arrive.' });
      await announcer.waitFor({ state: 'attached' });
      expect(await announcer.textContent()).not.toContain('No 99');
    });

    it('two of them are whole at 1280 × 720', async () => {
      const { page, fixture } = await visits.visit();
      const texts = [
        text(1, '+44 20 7946 0958', 'Hello'),
        text(2, '+44 20 7946 0123', 'Did this one arrive?'),
      ];
      fixture.change(withTexts(texts));
      await page.getByText('Did this one arrive?').waitFor();
      const cut = await page.evaluate(
        '[".phone:last-child", ".phones .panel-scroll"].map((one) => document.querySelector(one).getBoundingClientRect().bottom)',
      );
      const [phone = 0, end = 0] = cut as number[];
      expect(phone).toBeLessThanOrEqual(end);
    });

    it('nothing moves if the person wants less motion', async () => {
      const { page, fixture } = await visits.visit(undefined, { reducedMotion: 'reduce' });
      fixture.change(withTexts([text(1, '+44 20 7946 0958', 'One')]));
      await page.locator('.bubble.arriving').waitFor();
      expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    });
  });

  it('the service’s names are text, never HTML', async () => {
    const hostile = '<img src=x onerror="window.hacked = true">';
    const { page, fixture, complaints } = await visits.visit();
    fixture.change(withTexts([{ id: 1, phone: hostile, text: hostile, at: AT }]));
    fixture.change(
      withService({
        faults: [{ id: hostile, sentence: hostile, active: true }],
        refusedLists: { chosen: hostile, choices: [{ id: hostile, sentence: hostile }], number: hostile },
        accounts: [{ id: 1, name: hostile, credits: 1 }],
      }),
    );
    await page.locator('.bubble', { hasText: hostile }).waitFor();
    await page.locator('.fault', { hasText: hostile }).waitFor();
    expect(await page.locator('img:not(.mark)').count()).toBe(0);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(complaints).toEqual([]);
  });

  describe('the service and the bot', () => {
    it('credits can be set, and show the service’s figure', async () => {
      const { page, fixture } = await visits.visit();
      const field = page.getByLabel('Acme Ltd');
      await field.fill('7');
      await page.keyboard.press('Enter');
      await fixture.until((posts) => posts.length > 0);
      expect(fixture.posts).toEqual([{ path: '/panels/credits', body: { account: 1, credits: 7 } }]);
      fixture.change(withService({ accounts: [{ id: 1, name: 'Acme Ltd', credits: 6 }] }));
      await expect.poll(() => field.inputValue()).toBe('6');
      await field.fill('123');
      fixture.change(withService({ accounts: [{ id: 1, name: 'Acme Ltd', credits: 5 }] }));
      expect(await field.inputValue()).toBe('123');
    });

    it('credits that the service refuses go back to its figure', async () => {
      const { page, fixture } = await visits.visit();
      fixture.onPost(() => ({ ok: false, problem: 'That is too much.' }));
      const field = page.getByLabel('Acme Ltd');
      await field.fill('99999999999');
      await page.keyboard.press('Enter');
      await page.getByText('That is too much.').waitFor();
      expect(await field.inputValue()).toBe('1000');
    });

    it('a fault is a sentence with a switch, which goes back if the change fails', async () => {
      const { page, fixture } = await visits.visit();
      const hangs = page.getByRole('switch', { name: 'The service hangs' });
      await hangs.check();
      await fixture.until((posts) => posts.length > 0);
      expect(fixture.posts).toEqual([{ path: '/panels/fault', body: { id: 'hangs', on: true } }]);
      fixture.onPost(() => ({ ok: false, problem: 'There is no such fault.' }));
      await page.getByRole('switch', { name: 'The key is refused' }).click();
      await page.getByText('There is no such fault.').waitFor();
      expect(await page.getByRole('switch', { name: 'The key is refused' }).isChecked()).toBe(false);
      await page.getByRole('button', { name: 'Dismiss' }).click();
      expect(await page.locator('.toast').count()).toBe(0);
    });

    it.each([
      [1280, 720],
      [1280, 800],
      [1440, 900],
    ])('all of the service fits beside two phones at %i × %i', async (width, height) => {
      const { page, fixture } = await visits.visit(undefined, { viewport: { width, height } });
      fixture.change(
        withTexts([
          { id: 1, phone: '+44 20 7946 0958', text: 'Hello', at: AT },
          { id: 2, phone: '+44 20 7946 0123', text: 'Did this one arrive?', at: AT },
        ]),
      );
      await page.locator('.phone', { hasText: 'Did this one arrive?' }).waitFor();
      const hidden = await page.evaluate(
        '(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector(".service .panel-scroll"))',
      );
      expect(hidden).toBe(0);
    });

    it('what refused lists do is a menu, which goes back if the change fails', async () => {
      const { page, fixture } = await visits.visit();
      const menu = page.getByLabel(/^A list with .* is refused$/);
      expect(await menu.inputValue()).toBe('whole');
      await page.getByText('A list with +44 7700 900404 is refused').waitFor();
      await menu.selectOption('First part sent and charged');
      await fixture.until((posts) => posts.length > 0);
      expect(fixture.posts).toEqual([{ path: '/panels/refused-lists', body: { id: 'charges' } }]);
      const { choices, number } = shownIn(screenOf(ADMIN)).service.refusedLists;
      fixture.change(withService({ refusedLists: { chosen: 'charges', choices, number } }));
      fixture.onPost(() => ({ ok: false, problem: 'There is no such choice.' }));
      await page.getByLabel(/^A list with .* is refused$/).selectOption('Nothing sent');
      await page.getByText('There is no such choice.').waitFor();
      expect(await page.getByLabel(/^A list with .* is refused$/).inputValue()).toBe('charges');
    });

    it('one press kills the bot and starts it again; meanwhile a line says so', async () => {
      const { page, fixture } = await visits.visit();
      await page.getByRole('button', { name: 'Kill and restart the bot' }).click();
      await fixture.until((posts) => posts.length > 0);
      expect(fixture.posts).toEqual([{ path: '/bot/restart', body: {} }]);
      const be = (state: PageState['bot']['state']) =>
        fixture.change((now) => ({ ...now, bot: { ...now.bot, state } }));
      be('down');
      await page.getByText('Switchboard is down.').waitFor();
      be('starting');
      await page.getByText('Switchboard is restarting …').waitFor();
      be('running');
      await page.getByText('Switchboard is restarting …').waitFor({ state: 'hidden' });
    });

    it('on a phone that line shows, too, though it is in another part of the page', async () => {
      const { page, fixture } = await visits.visit(screens(), { viewport: { width: 390, height: 844 } });
      await page.locator('.tabs').getByRole('button', { name: 'Service' }).click();
      await page.getByRole('button', { name: 'Kill and restart the bot' }).click();
      fixture.change((now) => ({ ...now, bot: { ...now.bot, state: 'down' } }));
      await page.getByText('Switchboard is down.').waitFor();
    });

    it('Start over asks first, and shows the first channel again', async () => {
      const { page, fixture } = await visits.visit();
      await page.getByRole('button', { name: 'support' }).click();
      const over = page.getByRole('button', { name: 'Start over …' });
      await over.click();
      await page.keyboard.press('Escape');
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Start over …');
      await over.click();
      await page.getByRole('button', { name: 'Keep everything' }).click();
      expect(fixture.posts).toEqual([]);
      await over.click();
      await page.getByRole('button', { name: 'Start over', exact: true }).click();
      await fixture.until((posts) => posts.length > 0);
      expect(fixture.posts).toEqual([{ path: '/start-over', body: {} }]);
      await page.getByRole('heading', { name: 'sales', exact: true }).waitFor();
    });

    it('the page says that its server is gone', async () => {
      const { page } = await visits.visit();
      onTestFinished(() => page.context().setOffline(false));
      await page.context().setOffline(true);
      await page.locator('#composer-text').fill('/sms');
      await page.keyboard.press('Enter');
      await page.getByText('The playground does not answer. Is it still running').waitFor();
    });
  });
});
