import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withoutBrowser } from '../helpers/browser.ts';
import { type screenOf, screens } from '../helpers/page-fixture-states.ts';
import { visitsOfTests } from '../helpers/page-visit.ts';

const PANELS = join(import.meta.dirname, '../helpers/panels');
const withFigure =
  (figure: number) =>
  (state: ReturnType<typeof screenOf>): ReturnType<typeof screenOf> => ({
    ...state,
    tabs: [{ id: 'sample', name: 'Sample', icon: 'dial' }],
    panels: { sample: { figure } },
  });
const screensWithPanel = () =>
  Object.fromEntries(Object.entries(screens()).map(([as, state]) => [as, withFigure(1)(state)]));

describe.skipIf(withoutBrowser)('a panel on the page', () => {
  const visits = visitsOfTests(screensWithPanel, PANELS);

  it('shows the state of its server part, and posts actions to it', async () => {
    const { page, fixture, complaints } = await visits.visit();
    await page.getByText('The figure is 1').waitFor();
    fixture.change(withFigure(2));
    await page.getByText('The figure is 2').waitFor();
    await page.getByRole('button', { name: 'Add' }).click();
    await fixture.until((posts) => posts.length > 0);
    expect(fixture.posts).toEqual([{ path: '/panels/add', body: { by: 1 } }]);
    expect(complaints).toEqual([]);
  });

  it('on a small screen it has a tab, which counts what is new', async () => {
    const { page, fixture } = await visits.visit(undefined, { viewport: { width: 640, height: 360 } });
    expect(await page.getByText('The figure is 1').isVisible()).toBe(false);
    fixture.change(withFigure(4));
    await page.getByRole('button', { name: /^Sample ?3$/ }).click();
    await page.getByText('The figure is 4').waitFor();
    await page.getByRole('button', { name: /^Sample$/ }).waitFor();
    await page.getByRole('button', { name: 'Channel' }).click();
    await page.getByText('The figure is 4').waitFor({ state: 'hidden' });
  });

  it('that can’t be loaded says so, and the rest of the page is there', async () => {
    const { page } = await visits.visit();
    await page.route('**/panels/sample.js', (route) => route.abort());
    await page.reload();
    await page.getByText('This panel can’t be loaded').waitFor();
    await page.locator('.place').first().waitFor();
  });

  it('does not show before its style is loaded', async () => {
    const { page } = await visits.visit();
    await page.route('**/panels/panels.css', async (route) => {
      await sleep(500);
      await route.continue();
    });
    await page.reload();
    await page.locator('.place').first().waitFor();
    const styled = '[...document.styleSheets].some(({ href }) => href?.endsWith("/panels/panels.css"))';
    expect(await page.evaluate(styled)).toBe(true);
  });
});
