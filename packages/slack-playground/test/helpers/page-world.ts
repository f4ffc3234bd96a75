import { join } from 'node:path';
import type { App } from '@slack/bolt';
import { ActionProblem } from '../../src/action-problem.ts';
import { createPageServer } from '../../src/page-server.ts';
import { openScreen, type Screen } from './page-client.ts';
import { SECRETS, startHttpBot, startPlayground } from './slack-bot.ts';

/** The page's server with its own workspace. Panel, steps and bot only record what the page asks for. */
export type PageWorld = Awaited<ReturnType<typeof createPageWorld>>;

/** `options` are those of the workspace. */
export async function createPageWorld(options: Parameters<typeof startPlayground>[0] = {}) {
  const slack = await startPlayground(options);
  const did: string[] = [];
  const closing: (() => unknown)[] = [];
  let shown: unknown = {};
  let changed = () => {};
  const { admin, member, guest, outsider } = slack.people;
  const page = await createPageServer({
    port: 0,
    slack,
    people: [admin, member, guest, outsider],
    commands: [
      { word: '/app send', hint: '<number> <text>', description: 'Send a text' },
      { word: '/app list', hint: '', description: 'See what was sent', for: 'staff' },
      { word: '/app set', hint: '', description: 'Change the settings', for: 'admins' },
    ],
    home: slack.channels.sales,
    panels: {
      folder: join(import.meta.dirname, 'panels'),
      tabs: [{ id: 'sample', name: 'Sample', icon: 'dial' }],
      state: () => ({ sample: shown }),
      subscribe(listener) {
        changed = listener;
        return () => {};
      },
      act(action, body) {
        if (action === 'none') throw new ActionProblem('There is no such action.');
        did.push(`${action} ${JSON.stringify(body)}`);
      },
    },
    bot: { state: () => 'running', subscribe: () => () => {}, restart: async () => void did.push('restart') },
    steps: {
      state: () => ({ steps: [] }),
      subscribe: () => () => {},
      start: (id) => void did.push(`step ${id}`),
    },
    onCommand: (user) => void did.push(`command by ${user.name}`),
    startOver: async () => void did.push('start over'),
  });

  return {
    slack,
    page,
    url: page.url,
    /** What the page asked panel, steps and bot for, and the commands that the app acknowledged. */
    did,
    /** Changes what the panel shows; without `next`, only announces a change. */
    panelChanged(next = shown): void {
      shown = next;
      changed();
    },
    /** Opens the page as this person. */
    async screenOf(user?: string): Promise<Screen> {
      const screen = await openScreen(page.url, user);
      closing.push(screen.close);
      return screen;
    },
    /** Starts an app for the workspace. */
    async startBot(register: (app: App) => void): Promise<void> {
      closing.push((await startHttpBot(slack, register)).stop);
    },
    /** Calls a method of the Web API as the app. */
    async call(method: string, args: object): Promise<Record<string, unknown>> {
      const response = await fetch(slack.apiUrl + method, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${SECRETS.botToken}` },
        body: JSON.stringify(args),
      });
      return (await response.json()) as Record<string, unknown>;
    },
    async close(): Promise<void> {
      for (const close of closing) await close();
      await page.close();
      await slack.close();
    },
  };
}
