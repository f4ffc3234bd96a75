import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { startBrowser } from '../../packages/slack-playground/test/helpers/browser.ts';
import { type LocalProcess, startLocalProcess } from './local-process.ts';

/** The playground as a process, with its page in a real browser. */
export interface LocalPage {
  local: LocalProcess;
  browser: Browser;
  page: Page;
  /** The folder of the playground's data. */
  dataDir: string;
  /** The errors of the page's scripts. */
  complaints: string[];
}

/** What shows soon may take long on a busy machine. */
const SHOWS_WITHIN_MS = 40_000;

/**
 * Returns a function that starts the playground and opens its page. Both close after the last test of a `describe`.
 */
export function localPageOfTests(): (viewport?: { width: number; height: number }) => Promise<LocalPage> {
  const closing: (() => unknown)[] = [];
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });
  return async (viewport = { width: 1280, height: 720 }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-page-'));
    closing.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const local = await startLocalProcess(dataDir);
    closing.push(() => local.end('SIGTERM'));
    const browser = await startBrowser();
    closing.push(() => browser.close());
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(SHOWS_WITHIN_MS);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(local.url);
    return { local, browser, page, dataDir, complaints };
  };
}
