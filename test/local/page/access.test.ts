import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings, withoutBrowser } from '../../../packages/slack-playground/test/helpers/browser.ts';
import {
  ADMIN,
  AT,
  botSays,
  opened,
  personSays,
  SALES,
  withMessages,
  withViews,
} from '../../../packages/slack-playground/test/helpers/page-fixture-states.ts';
import { visitsOfTests } from '../../../packages/slack-playground/test/helpers/page-visit.ts';
import { notLinked } from '../../../src/slack/ui/access-refusals.ts';
import { helpMessage } from '../../../src/slack/ui/help.ts';
import { lowCreditMessage } from '../../../src/slack/ui/reports/notices.ts';
import { statusMessage } from '../../../src/slack/ui/reports/status.ts';
import { linkForm } from '../../../src/slack/ui/setup/link-form.ts';
import { draftMessage } from '../../../src/slack/ui/texts/draft.ts';
import { receiptMessage } from '../../../src/slack/ui/texts/receipt.ts';
import { aLink, anInstance, NO_BUDGETS, unknownFacts } from '../../slack/ui/samples.ts';
import { PANELS } from '../helpers/panels-folder.ts';
import { aText, LINKED, SETTINGS } from '../helpers/product-samples.ts';
import { screens, withDone, withTexts } from '../helpers/product-screens.ts';

/** A message of each kind that people see. */
const conversation = () => {
  const unknown = aText({
    state: 'finished',
    outcome: 'unknown',
    decidedBy: ADMIN,
    decidedAt: AT,
    result: { cause: 'no_answer' },
    evidence: { verdict: 'probably_sent', before: 999, after: 998, messages: 1 },
  });
  const draft = aText();
  const costly = { ...draft, details: { ...draft.details, balance: 100 } };
  const low = {
    team: 'T1',
    channel: SALES,
    instanceName: 'Acme',
    spentCredits: 2,
    spentMessages: 2,
    toppedUp: false,
  };
  return [
    personSays(ADMIN, 'Good morning'),
    botSays(helpMessage({ notLinked: notLinked({ isAdmin: true, admins: [] }), isAdmin: true }), {
      to: ADMIN,
    }),
    botSays(draftMessage({ view: costly, linked: LINKED, budgets: NO_BUDGETS }), {
      to: ADMIN,
    }),
    botSays(receiptMessage(unknown), { to: ADMIN }),
    botSays(lowCreditMessage({ ...low, threshold: 100, level: 'low', credits: 42 })),
    botSays(
      statusMessage({
        askedBy: ADMIN,
        link: aLink({ channel: SALES, linkedBy: ADMIN }),
        instance: anInstance({ name: 'Acme', keyHint: '…0001', userName: 'Acme Ltd' }),
        balance: { credits: 42, at: AT },
        isServiceSilent: false,
        unknown: unknownFacts([unknown]),
        jobs: [],
        rules: '',
        heldBack: 3,
        refusals: undefined,
      }),
      { to: ADMIN },
    ),
  ];
};
const form = (errors = {}) =>
  opened(linkForm({ instances: [], settings: SETTINGS, metadata: '{}', channel: SALES }), { errors });

/** How much wider the page is than the screen, px. */
const overflow = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth');

describe.skipIf(withoutBrowser)('the page for everybody', () => {
  const visits = visitsOfTests(screens, PANELS);

  describe.each([
    ['light', 1280, 720],
    ['dark', 1280, 720],
    ['light', 640, 360],
    ['dark', 640, 360],
    ['light', 320, 640],
  ] as const)('in %s at %i × %i', (colorScheme, width, height) => {
    const open = () => visits.visit(screens(), { colorScheme, viewport: { width, height } });

    it('axe finds nothing at first, with a conversation, with suggested commands and with a toast', async () => {
      const { page, fixture } = await open();
      expect(await axeFindings(page)).toEqual([]);
      fixture.change(withMessages(conversation()));
      fixture.change(withTexts([{ id: 1, phone: '+44 20 7946 0958', text: 'Hello', at: AT }]));
      fixture.change((state) => ({ ...withDone('link')(state), bot: { ...state.bot, state: 'starting' } }));
      await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      fixture.onPost(() => ({ ok: false, problem: 'That did not work.' }));
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await page.locator('.toast').waitFor();
      await page.locator('#composer-text').fill('/sms s');
      await page.keyboard.press('ArrowDown');
      expect(await axeFindings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
    });

    it('axe finds nothing with a form, with errors in it and with a question', async () => {
      const { page, fixture } = await open();
      fixture.change(withViews([form()]));
      await page.getByRole('dialog').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      fixture.change(withViews([form({ api_key: 'The service does not know this key.' })]));
      await page.getByText('The service does not know this key.').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      const inside = 'document.querySelector("#modal").getBoundingClientRect()';
      expect(await page.evaluate(`${inside}.width <= innerWidth && ${inside}.height <= innerHeight`)).toBe(
        true,
      );
      fixture.change(withViews([]));
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      if (width < 960) await page.getByRole('button', { name: 'Service' }).click();
      await page.getByRole('button', { name: 'Start over …' }).click();
      expect(await axeFindings(page)).toEqual([]);
    });
  });

  it('on a small screen each part is one press away, and nothing is cut off', async () => {
    const { page, fixture } = await visits.visit(screens(), { viewport: { width: 640, height: 360 } });
    const text = { id: 1, phone: '+44 20 7946 0958', text: 'Hello there', at: AT };
    fixture.change(withTexts([text]));
    await page.getByRole('button', { name: /^Phones ?1$/ }).waitFor();
    fixture.change(withTexts([]));
    await page.getByRole('button', { name: /^Phones$/ }).waitFor();
    fixture.change(withTexts([text]));
    await page.getByRole('button', { name: /^Phones ?1$/ }).click();
    await page.getByText('Hello there', { exact: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Service' }).click();
    await page.getByRole('switch', { name: 'The key is refused' }).check();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'You are adam, admin' }).click();
    await page.getByRole('radio', { name: 'ana' }).check();
    await page.getByRole('button', { name: 'You are ana, member' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.getByRole('button', { name: 'support' }).click();
    await page.getByRole('heading', { name: 'support', exact: true }).waitFor();
  });

  it('by keyboard alone: a step, Enter, the form, Esc, a draft’s button', async () => {
    const { page, fixture } = await visits.visit();
    const focused = () => page.evaluate('document.activeElement.textContent.trim()');
    const tabTo = async (words: RegExp) => {
      for (let press = 0; press < 60; press += 1) {
        await page.keyboard.press('Tab');
        if (words.test(String(await focused()))) return;
      }
      throw new Error(`Tab never came to ${words}.`);
    };
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the composer');
    await tabTo(/^1Step 1: Link/);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await fixture.until((posts) => posts.some(({ path }) => path === '/act/command'));
    fixture.change(withViews([form()]));
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('a-key');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Acme');
    await page.keyboard.press('Enter');
    await fixture.until((posts) => posts.some(({ path }) => path === '/act/submit'));
    expect(fixture.postsTo('/act/submit')[0]?.values).toMatchObject({
      instance_name: 'Acme',
      api_key: 'a-key',
    });
    await page.keyboard.press('Escape');
    await fixture.until((posts) => posts.some(({ path }) => path === '/act/close'));
    fixture.change(withViews([]));
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    fixture.change(withMessages(conversation()));
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await page.keyboard.press('Shift+Tab');
    for (let press = 0; press < 20 && (await focused()) !== 'Send'; press += 1)
      await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await fixture.until((posts) => posts.some(({ path }) => path === '/act/click'));
    expect(fixture.postsTo('/act/click')[0]).toMatchObject({ action_id: 'confirm_send' });
  });

  it('the element with the focus has an outline', async () => {
    const { page } = await visits.visit();
    for (let press = 0; press < 25; press += 1) {
      await page.keyboard.press('Tab');
      const seen = await page.evaluate(`(() => {
        const { activeElement: one } = document;
        if (one === document.body) return true;
        const { outlineStyle, outlineWidth } = getComputedStyle(one);
        return (outlineStyle !== 'none' && outlineWidth !== '0px') || one.closest('.composer-box') !== null;
      })()`);
      expect(seen).toBe(true);
    }
  });
});
