import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { App } from '@slack/bolt';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { withoutBrowser } from './helpers/browser.ts';
import { messageOn, openScreen, post, type Screen } from './helpers/page-client.ts';
import { createTabs } from './helpers/page-tabs.ts';
import { silent } from './helpers/slack-bot.ts';

const entry = new URL('../src/main.ts', import.meta.url).pathname;
const NO_MANIFEST = join(mkdtempSync(join(tmpdir(), 'manifest-')), 'manifest.yml');
writeFileSync(NO_MANIFEST, 'features: none');
afterAll(() => rmSync(dirname(NO_MANIFEST), { recursive: true }));
const running: ChildProcess[] = [];

function start(...words: string[]): ChildProcess {
  const child = spawn(process.execPath, [entry, ...words]);
  running.push(child);
  return child;
}

/** Resolves with its whole introduction. */
async function introductionOf(child: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    printed += chunk;
    if (printed.endsWith('nothing is kept.\n')) return printed;
  }
  throw new Error(`The playground stopped after: ${printed}`);
}

/** What a process says that ends with 1. */
async function refusalOf(child: ChildProcess): Promise<string> {
  const exited = once(child, 'exit');
  const said = await text(child.stderr as NonNullable<typeof child.stderr>);
  expect(await exited).toEqual([1, null]);
  return said;
}

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

describe('npx slack-playground', () => {
  it('is a workspace for any Bolt app, here in Socket Mode, and stops on SIGTERM', async () => {
    const child = start('/hello', '--port', '0', '--name', 'greeter');
    const introduction = await introductionOf(child);
    const variable = (name: string) => new RegExp(`${name}=(\\S+)`).exec(introduction)?.[1] ?? '';
    const app = new App({
      socketMode: true,
      token: variable('SLACK_BOT_TOKEN'),
      appToken: variable('SLACK_APP_TOKEN'),
      clientOptions: { slackApiUrl: variable('SLACK_API_URL') },
      logger: silent,
    });
    app.command('/hello', async ({ ack, command, say }) => {
      await ack();
      await say(`Hello ${command.user_name}!`);
    });
    await app.start();
    const url = /The playground: (\S+)/.exec(introduction)?.[1] ?? '';
    let screen: Screen | undefined;
    try {
      screen = await openScreen(url);
      const { as, home, bot, commands } = screen.state();
      expect(bot.name).toBe('Greeter');
      expect(commands.map(({ word }) => word)).toEqual(['/hello', '/invite']);
      expect(await post(url, '/act/command', { as, channel: home, text: '/hello' })).toEqual({ ok: true });
      await screen.until((state) => messageOn(state, 'sales', 'Hello olga!'));
    } finally {
      screen?.close();
      await app.stop();
    }
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  it.skipIf(withoutBrowser)('its page has no steps and no panels', async () => {
    const introduction = await introductionOf(start('/hello', '--port', '0'));
    const tabs = await createTabs();
    const { page, complaints } = await tabs.open();
    await page.goto(/The playground: (\S+)/.exec(introduction)?.[1] ?? '');
    await page.getByText('Nothing has been said here yet.').waitFor();
    expect(await page.getByRole('heading', { name: 'Try this' }).count()).toBe(0);
    expect(await page.locator('.side').isVisible()).toBe(false);
    const { width = 0 } = (await page.locator('.channel').boundingBox()) ?? {};
    expect(width).toBeGreaterThan(1000);
    expect(complaints).toEqual([]);
    await tabs.close();
  });

  it.each([
    [['--port', 'http'], /^--port must be a port number .*\.\n$/],
    [['hello'], /^A slash command begins with \/, .*\.\n$/],
    [['--events', 'here'], /^--events must be a URL\.\n$/],
    [['--manifest', 'none.yml'], /^--manifest: [^\n]*none\.yml[^\n]*\n$/],
    [['--manifest', NO_MANIFEST], /^--manifest: .*features/s],
    [['--colour', 'red'], /^Unknown option '--colour'[^\n]*\n\nUsage: slack-playground /],
  ])('says what is wrong with %j', async (words, sentence) => {
    expect(await refusalOf(start(...words))).toMatch(sentence);
  });

  it('says in one sentence that a port is taken', async () => {
    const first = start('--port', '0');
    const port = /localhost:(\d+)/.exec(await introductionOf(first))?.[1] ?? '';
    expect(await refusalOf(start('--port', port))).toMatch(
      /^Port \d+ or \d+ is in use by another program: .*--port\.\n$/,
    );
  });
});
