import { describe, expect, it } from 'vitest';
import { axeFindings, withoutBrowser } from '../../../packages/slack-playground/test/helpers/browser.ts';
import {
  AT,
  botSays,
  withMessages,
} from '../../../packages/slack-playground/test/helpers/page-fixture-states.ts';
import { visitsOfTests } from '../../../packages/slack-playground/test/helpers/page-visit.ts';
import { PANELS } from '../helpers/panels-folder.ts';
import { screens, withDone, withTexts } from '../helpers/product-screens.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe.skipIf(withoutBrowser)('the page on a phone', () => {
  const visits = visitsOfTests(screens, PANELS);

  const open = () => visits.visit(screens(), PHONE);
  const TALLER_THAN = (px: number, selector: string) =>
    `document.querySelector('${selector}').getBoundingClientRect().height > ${px}`;

  it('has one row of tabs and a low header, and nothing is cut off', async () => {
    const { page, fixture } = await open();
    fixture.change(withTexts([{ id: 1, phone: '+44 20 7946 0958', text: 'Hello', at: AT }]));
    await page.getByRole('button', { name: /^Phones ?1$/ }).waitFor();
    const tops = "[...document.querySelectorAll('.tabs > *')].map((one) => one.getBoundingClientRect().top)";
    expect(new Set((await page.evaluate(tops)) as number[]).size).toBe(1);
    expect(await page.evaluate(TALLER_THAN(48, '.tabs'))).toBe(false);
    expect(await page.evaluate(TALLER_THAN(40, '.channel-head'))).toBe(false);
    const beyond = `[...document.querySelectorAll('.app *')].filter((one) =>
      one.checkVisibility() && one.closest('.unseen') === null && one.getBoundingClientRect().right > innerWidth).length`;
    expect(await page.evaluate(beyond)).toBe(0);
    const scroller =
      '(({ scrollTop, scrollHeight, clientHeight }) => [scrollTop, scrollHeight - clientHeight])';
    expect(await page.evaluate(`${scroller}(document.querySelector('.scroller'))`)).toEqual([0, 0]);
  });

  it('steps to do keep their explanations; those that are done are ticks beside the title', async () => {
    const { page, fixture } = await open();
    fixture.change(withDone('link', 'send'));
    fixture.change(
      withMessages([botSays({ text: 'Linked', blocks: [] }), botSays({ text: 'Sent', blocks: [] })]),
    );
    await page.locator('.step.done').nth(1).waitFor();
    expect(await page.locator('.step-text:visible').count()).toBe(4);
    expect(await page.locator('.step.done').first().boundingBox()).toMatchObject({
      width: expect.any(Number),
    });
    const line = `['.try h2', '.step.done .tick', '.step.done + .step.done .tick'].map((one) => {
      const { top, bottom } = document.querySelector(one).getBoundingClientRect();
      return Math.round((top + bottom) / 8);
    })`;
    expect(new Set((await page.evaluate(line)) as number[]).size).toBe(1);
    await page.getByRole('button', { name: 'Step 1: Link (done)' }).waitFor();
    expect(await page.evaluate(TALLER_THAN(24, '.step.done .step-words'))).toBe(false);
    expect(await axeFindings(page)).toEqual([]);
  });

  it.each([
    [390, 844, 'stay above'],
    [320, 640, 'scroll away with'],
  ])('at %i × %i the steps %s the messages', async (width, height, what) => {
    const { page, fixture } = await open();
    await page.setViewportSize({ width, height });
    fixture.change(withDone('link'));
    fixture.change(
      withMessages(Array.from({ length: 30 }, (_, at) => botSays({ text: `No ${at}`, blocks: [] }))),
    );
    await page.getByText('No 29').waitFor();
    const { bottom = 0 } = (await page.evaluate(
      `(({ bottom }) => ({ bottom }))(document.querySelector('.try').getBoundingClientRect())`,
    )) as { bottom: number };
    expect(bottom < 0).toBe(what === 'scroll away with');
  });

  it('nothing mentions Enter', async () => {
    const { page } = await open();
    expect(await page.locator('.composer').innerText()).not.toContain('Enter');
    await page.getByRole('button', { name: 'Step 1: Link' }).tap();
    await page.locator('.composer-hint', { hasText: 'Press the arrow to run it.' }).waitFor();
    expect(await page.locator('body').innerText()).not.toContain('Enter');
  });
});
