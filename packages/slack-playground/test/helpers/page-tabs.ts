import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startBrowser } from './browser.ts';

/** A tab, and the errors in its console. */
export interface Tab {
  page: Page;
  complaints: string[];
}

/** A browser with a window for each kind of screen. Reuses empty tabs: a new one opens a page more slowly. */
export interface Tabs {
  open(options?: BrowserContextOptions): Promise<Tab>;
  /** Empties the open tabs, for the next `open`. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

interface Window {
  context: BrowserContext;
  empty: Tab[];
}

export async function createTabs(): Promise<Tabs> {
  const browser = await startBrowser();
  const windows = new Map<string, Promise<Window>>();
  const taken: { tab: Tab; window: Window }[] = [];

  async function openWindow(options: BrowserContextOptions): Promise<Window> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
    return { context, empty: [] };
  }

  return {
    async open(options = {}) {
      const kind = JSON.stringify(options);
      const opening = windows.get(kind) ?? openWindow(options);
      windows.set(kind, opening);
      const window = await opening;
      const tab = window.empty.pop() ?? (await newTab(window.context));
      tab.complaints.length = 0;
      taken.push({ tab, window });
      return tab;
    },
    async leave() {
      for (const { tab, window } of taken.splice(0)) {
        await tab.page.unrouteAll();
        await tab.page.goto('about:blank');
        await tab.page.mouse.move(0, 0);
        window.empty.push(tab);
      }
    },
    close: () => browser.close(),
  };
}

async function newTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()));
  return { page, complaints };
}
