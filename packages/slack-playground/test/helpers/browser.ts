import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

/** The first that is installed counts. The headless shell needs three quarters of the time. */
const CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = CHROMIUMS.find((path) => existsSync(path));
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/**
 * Whether Chromium is missing, so that tests that need it are skipped. Prints why. With REQUIRE_SERVICES=1
 * nothing is skipped: a missing Chromium is an error.
 */
export const withoutBrowser = isMissing();

function isMissing(): boolean {
  if (CHROMIUM) return false;
  const said = `There is no Chromium at ${CHROMIUMS.join(' or ')}: apt-get install chromium-headless-shell.`;
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(said);
  process.stderr.write(`Skipped: ${said}\n`);
  return true;
}

/** A headless Chromium; the caller closes it. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ ...(CHROMIUM ? { executablePath: CHROMIUM } : {}), args: ARGUMENTS });
}

/** A rule of axe that the page breaks, and where. */
export interface AxeFinding {
  rule: string;
  where: string[];
  help: string;
}

/** All that axe finds on the page, best practices included. Waits until nothing moves. */
export async function axeFindings(page: Page): Promise<AxeFinding[]> {
  await page.evaluate(
    'Promise.all(document.getAnimations().filter((one) => one.effect.getTiming().iterations < 9).map((one) => one.finished))',
  );
  // As a string, so that the page's content security policy does not forbid it.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(readFileSync(AXE, 'utf8'));
  const results = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: { id: string; help: string; nodes: { target: string[]; failureSummary?: string }[] }[];
  };
  return results.violations.map(({ id, help, nodes }) => ({
    rule: id,
    help,
    where: nodes.map(({ target, failureSummary = '' }) => `${target.join(' ')} ${failureSummary}`),
  }));
}
