import { App, HTTPReceiver, SocketModeReceiver } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Removals } from '../../core/workspaces/removals.ts';
import { receiveHome } from '../listeners/home.ts';
import { receiveClicks } from '../listeners/receive-click.ts';
import { receiveCommands } from '../listeners/receive-command.ts';
import { receiveForms } from '../listeners/receive-form.ts';
import { receiveShortcuts } from '../listeners/receive-shortcut.ts';
import { receiveRemovals } from '../listeners/removals.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { createHttpListener } from './http-listener.ts';
import { keepConnected } from './keep-connected.ts';
import { SlackStartError } from './slack-error.ts';
import { type OnAck, watchAcks } from './watch-acks.ts';
import { boltLogger, clientOptions } from './web-client.ts';

type Transport = { kind: 'http'; signingSecret: string } | { kind: 'socket'; appToken: string };

/** Joins Bolt and the listeners. The bot receives nothing until the caller serves `listener` or calls `connect`. */
export async function createSlackApp(options: {
  workspaces: Workspaces;
  transport: Transport;
  apiUrl: string;
  log: Logger;
  onAck: OnAck;
  /** Gets news of removed installations; absent if a token is configured. */
  removals?: Pick<Removals, 'begin' | 'beginOf'>;
}) {
  const { workspaces, transport, log } = options;
  const logger = boltLogger(log);
  const receiver =
    transport.kind === 'http'
      ? new HTTPReceiver({ signingSecret: transport.signingSecret, endpoints: '/slack/events', logger })
      : new SocketModeReceiver({
          appToken: transport.appToken,
          logger,
          autoReconnectEnabled: false,
          installerOptions: { clientOptions: clientOptions(options.apiUrl, log, 5) },
        });
  const socket = receiver instanceof SocketModeReceiver ? receiver : undefined;
  const app = new App({
    // Listeners find the token by `workspaces`, after their ack: no ack waits for it.
    authorize: async () => ({}),
    receiver,
    clientOptions: clientOptions(options.apiUrl, log, 0),
    convoStore: false,
    logger,
  });

  watchAcks(app, options.onAck);
  const running = new Set<Promise<void>>();
  app.use(async ({ next }) => {
    const work = next();
    running.add(work);
    await work.finally(() => running.delete(work));
  });
  app.error(async (error) => log.error({ err: error }, 'a listener failed'));

  receiveCommands(app, workspaces);
  receiveClicks(app, workspaces);
  receiveForms(app, workspaces);
  receiveShortcuts(app, workspaces);
  receiveHome(app, workspaces);
  if (options.removals) receiveRemovals(app, options.removals, log);

  let stopReconnecting: (() => void) | undefined;
  let isStopped = false;

  /** Takes no new requests. Resolves when all running listeners have ended. */
  async function stop(): Promise<void> {
    isStopped = true;
    stopReconnecting?.();
    if (socket) await app.stop();
    while (running.size > 0) await Promise.allSettled(running);
  }

  return {
    stop,
    /** In HTTP mode: answers POST /slack/events. */
    listener: receiver instanceof HTTPReceiver ? createHttpListener(receiver, log) : undefined,
    /** In Socket Mode: opens the connection, and opens it again whenever it ends. @throws SlackStartError */
    async connect(): Promise<void> {
      if (!socket) return;
      try {
        await app.start();
        stopReconnecting = keepConnected(socket.client, log);
        if (isStopped) await stop();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new SlackStartError(
          `Slack does not open the Socket Mode connection (${reason}): check SLACK_APP_TOKEN (scope connections:write) and that Socket Mode is switched on.`,
          { cause: error },
        );
      }
    },
    /** Whether Slack's requests can come in, as far as the bot can see. */
    isConnected: (): boolean => !socket || (socket.client.websocket?.isActive() ?? false),
  };
}
