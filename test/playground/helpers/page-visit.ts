import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { PageState } from '../../../src/playground/page-state.ts';
import { startBrowser } from '../../helpers/browser.ts';
import { createPageFixture, type PageFixture } from './page-fixture.ts';
import { screens } from './page-fixture-states.ts';

/** A visit to the page: the page in a browser, and the fixture behind it. */
export interface Visit {
  page: Page;
  fixture: PageFixture;
  /** What went wrong in the browser, as it says in its console. */
  complaints: string[];
}

/** One browser for many visits. */
export interface Visits {
  /** `states`: everybody's screen, by user id. Resolves when the page shows it. */
  visit(states?: { [as: string]: PageState }, options?: BrowserContextOptions): Promise<Visit>;
  /** Ends the visits so far; the browser stays. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export async function createVisits(): Promise<Visits> {
  const browser: Browser = await startBrowser();
  const open: (() => Promise<void>)[] = [];

  async function leave(): Promise<void> {
    for (const end of open.splice(0)) await end();
  }

  return {
    async visit(states = screens(), options = {}) {
      const fixture = await createPageFixture(states);
      const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
      open.push(async () => {
        await context.close();
        await fixture.close();
      });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()));
      await page.goto(fixture.url);
      await page.locator('.place').first().waitFor({ state: 'attached' });
      return { page, fixture, complaints };
    },
    leave,
    async close() {
      await leave();
      await browser.close();
    },
  };
}
