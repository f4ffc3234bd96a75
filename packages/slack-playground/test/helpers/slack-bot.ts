import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, type Logger, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { createPlayground, type Playground, type PlaygroundOptions } from '../../src/server.ts';

/** The secrets that the playground and its bot share. */
export const SECRETS = {
  signingSecret: 'a signing secret',
  botToken: 'xoxb-playground',
  appToken: 'xapp-playground',
};

/** Prints nothing: these tests cause refusals and failures. */
export const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};

/** A playground with the usual secrets, on a free port. */
export function startPlayground(options: Partial<PlaygroundOptions> = {}): Promise<Playground> {
  return createPlayground({ ...SECRETS, ...options });
}

/** The bot's client for the playground's Web API. Each call is made once, as the bot does. */
export function webClientOf({ apiUrl }: Pick<Playground, 'apiUrl'>): WebClient {
  return new WebClient(SECRETS.botToken, {
    slackApiUrl: apiUrl,
    logger: silent,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  });
}

/** A clock that only `forward` moves, ms. */
export function createClock(start = Date.now()) {
  let time = start;
  return {
    now: () => time,
    forward(ms: number): void {
      time += ms;
    },
  };
}

/** Starts a small Bolt app that takes signed HTTP, and gives the playground its address. */
export async function startHttpBot(playground: Playground, register: (app: App) => void) {
  const { signingSecret, botToken } = SECRETS;
  const receiver = new HTTPReceiver({ signingSecret, bodyLimit: 1024 * 1024, logger: silent });
  const app = new App({
    receiver,
    token: botToken,
    deferInitialization: true,
    convoStore: false,
    logger: silent,
    clientOptions: { slackApiUrl: playground.apiUrl, logger: silent, retryConfig: { retries: 0 } },
  });
  await app.init();
  register(app);
  const server = (await app.start({ port: 0, host: '127.0.0.1' } as unknown as number)) as Server;
  const { port } = server.address() as AddressInfo;
  playground.setEventsUrl(`http://127.0.0.1:${port}/slack/events`);
  return { app, port, stop: () => app.stop() };
}

/** The same in Socket Mode; resolves once it is connected. */
export async function startSocketBot(playground: Playground, register: (app: App) => void) {
  const { botToken, appToken } = SECRETS;
  const clientOptions = { slackApiUrl: playground.apiUrl, logger: silent, retryConfig: { retries: 0 } };
  const receiver = new SocketModeReceiver({
    appToken,
    logger: silent,
    installerOptions: { clientOptions },
    clientPingTimeout: 200,
  } as ConstructorParameters<typeof SocketModeReceiver>[0]);
  const app = new App({
    receiver,
    token: botToken,
    deferInitialization: true,
    convoStore: false,
    logger: silent,
    clientOptions,
  });
  await app.init();
  register(app);
  await app.start();
  return { app, stop: () => app.stop() };
}
