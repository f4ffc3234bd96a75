import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startBrowser } from './browser.ts';

/** A tab, and what went wrong in it, as its console says. */
export interface Tab {
  page: Page;
  complaints: string[];
}

/** One browser with a window for each kind of screen. A tab costs half of what a window costs. */
export interface Tabs {
  open(options?: BrowserContextOptions): Promise<Tab>;
  /** Closes the tabs; the windows stay. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export async function createTabs(): Promise<Tabs> {
  const browser = await startBrowser();
  const windows = new Map<string, Promise<BrowserContext>>();
  const tabs: Page[] = [];

  async function openWindow(options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
    // A window closes with its last tab.
    await context.newPage();
    return context;
  }

  return {
    async open(options = {}) {
      const kind = JSON.stringify(options);
      const context = windows.get(kind) ?? openWindow(options);
      windows.set(kind, context);
      const page = await (await context).newPage();
      tabs.push(page);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()));
      return { page, complaints };
    },
    async leave() {
      for (const page of tabs.splice(0)) await page.close();
    },
    close: () => browser.close(),
  };
}
