import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { PageState } from '../../src/page-state.ts';
import type { OpenView } from '../../src/types.ts';
import { createPageFixture, type PageFixture } from './page-fixture.ts';
import { screens, withViews } from './page-fixture-states.ts';
import { createTabs, type Tab, type Tabs } from './page-tabs.ts';

/** The page in a browser, and the fixture behind it. */
export interface Visit extends Tab {
  fixture: PageFixture;
}

/** A browser for the visits of many tests. */
export interface Visits {
  /** Opens the page with these states, by user id. Resolves when the page shows one. */
  visit(states?: { [as: string]: PageState }, options?: BrowserContextOptions): Promise<Visit>;
  /** Opens the page with these modals, and the focus in the composer before they open. */
  showing(...views: OpenView[]): Promise<Visit>;
  /** Opens the page of a running server. */
  openAt(url: string, options?: BrowserContextOptions): Promise<Tab>;
  /** Ends the visits so far, as after each test. */
  leave(): Promise<void>;
}

/**
 * Visits for the tests of a `describe`. `screensAtFirst` makes the default states; `panels`: the folder of the
 * panels' files.
 */
export function visitsOfTests(screensAtFirst = screens, panels?: string): Visits {
  let tabs: Tabs;
  const fixtures: PageFixture[] = [];
  beforeAll(async () => {
    tabs = await createTabs();
  });
  afterEach(leave);
  afterAll(() => tabs?.close());

  async function leave(): Promise<void> {
    await tabs.leave();
    for (const fixture of fixtures.splice(0)) await fixture.close();
  }

  async function openAt(url: string, options: BrowserContextOptions = {}): Promise<Tab> {
    const tab = await tabs.open(options);
    await tab.page.goto(url);
    await tab.page.locator('.place').first().waitFor({ state: 'attached' });
    return tab;
  }

  async function visit(states = screensAtFirst(), options: BrowserContextOptions = {}): Promise<Visit> {
    const fixture = await createPageFixture(states, panels);
    fixtures.push(fixture);
    return { ...(await openAt(fixture.url, options)), fixture };
  }

  return {
    visit,
    async showing(...views) {
      const visited = await visit();
      await visited.page.locator('#composer-text').focus();
      visited.fixture.change(withViews(views));
      await visited.page.getByRole('dialog').waitFor();
      return visited;
    },
    openAt,
    leave,
  };
}
