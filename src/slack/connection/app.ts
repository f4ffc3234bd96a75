import { App, HTTPReceiver, SocketModeReceiver } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { Logger } from 'pino';
import type { Removals } from '../../core/workspaces/removals.ts';
import { receiveHome } from '../listeners/home.ts';
import { receiveOptions } from '../listeners/options.ts';
import { receiveClicks } from '../listeners/receive-click.ts';
import { receiveCommands } from '../listeners/receive-command.ts';
import { receiveForms } from '../listeners/receive-form.ts';
import { receiveShortcuts } from '../listeners/receive-shortcut.ts';
import { receiveRemovals } from '../listeners/removals.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { createHttpListener } from './http-listener.ts';
import { keepConnected } from './keep-connected.ts';
import { slackErrorOf } from './slack-error.ts';
import { SlackStartError } from './slack-start-error.ts';
import { type OnAck, watchAcks } from './watch-acks.ts';
import { boltLogger, clientOptions, type SlackAccess, watchedFetch } from './web-client.ts';

type Transport = { kind: 'http'; signingSecret: string } | { kind: 'socket'; appToken: string };

/** How often the first call is repeated where no answer comes: for six seconds. */
const START_RETRIES = 5;

const OF_ORGANISATION =
  'SLACK_BOT_TOKEN belongs to a whole organisation. Use the token of one workspace. To serve all of them, set SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_STATE_SECRET instead, and let the organisation install the bot.';

/** Asks Slack which workspace the token is for. @throws SlackStartError when it is refused or Slack is out of reach */
export async function findWorkspace(botToken: string, { apiUrl, log, onCall }: SlackAccess) {
  // It changes nothing, so it may be repeated.
  const options = { ...clientOptions(apiUrl, log, START_RETRIES), fetch: watchedFetch(onCall) };
  try {
    const found = await new WebClient(botToken, options).auth.test();
    const { team_id: team, team: name, user_id: botUserId } = found;
    if (found.is_enterprise_install) throw new SlackStartError(OF_ORGANISATION);
    if (!team || !botUserId) throw new Error('the answer names no workspace');
    return { team, name: name ?? team, botUserId };
  } catch (error) {
    if (error instanceof SlackStartError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SlackStartError(
      slackErrorOf(error) === undefined
        ? `Slack can't be reached at ${apiUrl} (${reason}): check the network, and SLACK_API_URL if it is set.`
        : `Slack does not take the bot token (${reason}): check SLACK_BOT_TOKEN (api.slack.com/apps → your app → OAuth & Permissions).`,
      { cause: error },
    );
  }
}

/** The bot as Slack sees it: joins Bolt and the listeners. Nothing is received before the listener is served or `connect` was called. */
export async function createSlackApp(options: {
  workspaces: Workspaces;
  transport: Transport;
  /** Base of Slack's Web API. */
  apiUrl: string;
  log: Logger;
  onAck: OnAck;
  /** Told of installations that were taken away, where they are not configured. */
  removals?: Pick<Removals, 'begin' | 'beginOf'>;
}) {
  const { workspaces, transport, log } = options;
  const logger = boltLogger(log);
  const receiver =
    transport.kind === 'http'
      ? new HTTPReceiver({
          signingSecret: transport.signingSecret,
          endpoints: '/slack/events',
          logger,
        })
      : new SocketModeReceiver({
          appToken: transport.appToken,
          logger,
          autoReconnectEnabled: false,
          installerOptions: { clientOptions: clientOptions(options.apiUrl, log, 5) },
        });
  const socket = receiver instanceof SocketModeReceiver ? receiver : undefined;
  const app = new App({
    // Listeners act by `workspaces`, after their ack: no request waits for a token.
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
  app.error(async (error) => {
    log.error({ err: error }, 'a listener failed');
  });

  receiveCommands(app, workspaces, log);
  receiveClicks(app, workspaces, log);
  receiveForms(app, workspaces, log);
  receiveShortcuts(app, workspaces, log);
  receiveHome(app, workspaces, log);
  receiveOptions(app, workspaces, log);
  if (options.removals) receiveRemovals(app, options.removals, log);

  let letGo: (() => void) | undefined;
  return {
    /** In HTTP mode: answers POST /slack/events. */
    listener: receiver instanceof HTTPReceiver ? createHttpListener(receiver, log) : undefined,
    /**
     * In Socket Mode: opens the connection, and opens it again whenever it ends. @throws SlackStartError when Slack
     * refuses it
     */
    async connect(): Promise<void> {
      if (!socket) return;
      try {
        await app.start();
        letGo = keepConnected(socket.client, log);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new SlackStartError(
          `Slack does not open the Socket Mode connection (${reason}): check SLACK_APP_TOKEN (scope connections:write) and that Socket Mode is switched on.`,
          { cause: error },
        );
      }
    },
    /** Whether Slack's requests can come in, as far as that can be seen from here. */
    isConnected: (): boolean => !socket || (socket.client.websocket?.isActive() ?? false),
    /** Takes nothing new and resolves when every listener that runs has ended. */
    async stop(): Promise<void> {
      letGo?.();
      if (socket) await app.stop();
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
