import type { Server } from 'node:http';
import { listen } from './api.ts';
import { createPageRoutes } from './page-routes.ts';
import type { PageState, PanelTab, TryThis } from './page-state.ts';
import type { Playground } from './server.ts';
import type { Change, Channel, User } from './types.ts';

/** Calls `listener` after each change, until the returned function is called. */
export type Subscribe = (listener: () => void) => () => void;

/** Panels beside the channel, from the program that serves the page. */
export interface PlaygroundPanels {
  /** Their files: each panel's module is `ID.js` and exports `createPanel`; `panels.css` is for all of them. */
  folder: string;
  tabs: readonly PanelTab[];
  /** What each panel shows, by its id. */
  state(): { [id: string]: unknown };
  subscribe: Subscribe;
  /** Does what a panel asks for. Throws an ActionProblem if it can't. */
  act(action: string, body: unknown): void | Promise<void>;
}

/** The steps of **Try this**. */
export interface PlaygroundSteps {
  state(): TryThis;
  subscribe: Subscribe;
  /** Prepares the step. Throws an ActionProblem if there is no such step, or it has to wait. */
  start(id: string): void;
}

/** The process of the bot, if the program that serves the page runs it. */
export interface PlaygroundBot {
  state(): PageState['bot']['state'];
  subscribe: Subscribe;
  /** Ends the bot with kill -9 and starts a new one at once; resolves once the old one is gone. */
  restart(): Promise<void>;
}

export interface PageOptions {
  /** 0 is any free port. */
  port: number;
  slack: Playground;
  /** The people that you can act as, in the page's order. */
  people: readonly User[];
  commands: PageState['commands'];
  /** The channel that opens first. */
  home: Channel;
  /** The command that an empty channel recommends; none by default. */
  help?: string;
  /** Without it, the bot counts as running. */
  bot?: PlaygroundBot;
  steps?: PlaygroundSteps;
  panels?: PlaygroundPanels;
  /** Called after each command that somebody typed and the app acknowledged. */
  onCommand?(user: User): void;
  /** Resets everything to the start; by default, only the workspace. */
  startOver?(): Promise<void>;
}

export interface PageServer {
  port: number;
  url: string;
  /** Stops serving, and cuts open streams. */
  close(): Promise<void>;
}

/** Changes that no screen shows. */
const UNSEEN: readonly Change['kind'][] = ['call', 'failure', 'warning', 'socket'];

/**
 * Serves the page on both loopback addresses, since a browser may try either for `localhost`. Resolves once it serves.
 * @throws the system's error if the port is taken
 */
export async function createPageServer(options: PageOptions): Promise<PageServer> {
  const { slack, panels, bot, steps } = options;
  const changes: Subscribe = (listener) => {
    const stops = [
      slack.subscribe((change) => UNSEEN.includes(change.kind) || listener()),
      ...[panels, bot, steps].flatMap((part) => part?.subscribe(listener) ?? []),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  };
  const app = createPageRoutes(options, changes);

  const { server, port } = await listen(app.fetch, options.port);
  const servers = [server];
  try {
    servers.push((await listen(app.fetch, port, '::1')).server);
  } catch (error) {
    if (!isWithoutIpv6(error)) {
      await closeAll(servers);
      throw error;
    }
  }
  return { port, url: `http://localhost:${port}`, close: () => closeAll(servers) };
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
  for (const server of servers) server.closeAllConnections();
  await Promise.all(closed);
}

function isWithoutIpv6(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^(?:EADDRNOTAVAIL|EAFNOSUPPORT)$/.test(`${error.code}`)
  );
}
