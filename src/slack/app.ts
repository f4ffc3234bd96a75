import type { RequestListener } from 'node:http';
import { App, type Logger as BoltLogger, HTTPReceiver, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Logger } from 'pino';
import type { Core } from '../core/core.ts';
import { createAccess } from './access.ts';
import { createConversations } from './conversations.ts';
import type { SlackDeps } from './deps.ts';
import { createDownload } from './download-file.ts';
import { registerActions } from './listeners/actions/index.ts';
import { registerCommands } from './listeners/commands/index.ts';
import { registerRest } from './listeners/rest.ts';
import { registerViews } from './listeners/views/index.ts';
import { createReplies } from './replies.ts';
import { SlackStartError } from './slack-start-error.ts';
import { createUpload } from './upload-file.ts';

/** How Slack's requests come in. */
export type Transport = { kind: 'http'; signingSecret: string } | { kind: 'socket'; appToken: string };

/** The workspace that the bot's token belongs to. */
export interface Workspace {
  team: string;
  name: string;
  botUserId: string;
}

/** Largest request that Slack may make of us, in bytes. */
const BODY_LIMIT = 1024 * 1024;

/** Calls to Slack end within 10 s, and what may be repeated is repeated twice: the outbox is there for the rest. */
function clientOptions(apiUrl: string, log: Logger, retries: number): WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    timeout: 10_000,
    retryConfig: { retries, minTimeout: 200, factor: 2 },
    rejectRateLimitedCalls: true,
    logger: boltLogger(log),
  };
}

/** A client whose calls are made once: posting twice would mislead. */
export function createWebClient(botToken: string, apiUrl: string, log: Logger): WebClient {
  return new WebClient(botToken, clientOptions(apiUrl, log, 0));
}

/** Asks Slack which workspace the token is for. @throws SlackStartError when it is refused or Slack is out of reach */
export async function findWorkspace(web: WebClient): Promise<Workspace> {
  try {
    const { team_id: team, team: name, user_id: botUserId } = await web.auth.test();
    if (!team || !botUserId) throw new Error('the answer names no workspace');
    return { team, name: name ?? team, botUserId };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SlackStartError(
      `Slack does not take the bot token (${reason}): check SLACK_BOT_TOKEN (api.slack.com/apps → your app → OAuth & Permissions) and that Slack can be reached.`,
      { cause: error },
    );
  }
}

/** The bot as Slack sees it. */
export interface SlackApp {
  deps: SlackDeps;
  /** In HTTP mode: answers POST /slack/events. */
  listener?: RequestListener;
  /** In Socket Mode: opens the connection. @throws SlackStartError when Slack refuses it */
  connect(): Promise<void>;
  /** Takes nothing new and resolves when every listener that runs has ended. */
  stop(): Promise<void>;
}

/** Joins Bolt, the listeners and core. Nothing is received before the listener is served or `connect` was called. */
export async function createSlackApp(options: {
  core: Core;
  web: WebClient;
  workspace: Workspace;
  transport: Transport;
  botToken: string;
  apiUrl: string;
  admins: readonly string[];
  log: Logger;
}): Promise<SlackApp> {
  const { core, web, workspace, transport, log } = options;
  const logger = boltLogger(log);
  const http =
    transport.kind === 'http'
      ? new HTTPReceiver({
          signingSecret: transport.signingSecret,
          endpoints: '/slack/events',
          bodyLimit: BODY_LIMIT,
          logger,
        })
      : undefined;
  const socket =
    transport.kind === 'socket'
      ? new SocketModeReceiver({
          appToken: transport.appToken,
          logger,
          installerOptions: { clientOptions: clientOptions(options.apiUrl, log, 5) },
        })
      : undefined;
  const receiver = http ?? socket;
  const app = new App({
    // One workspace: who we are was asked before, so no request waits for it.
    authorize: async () => ({
      botToken: options.botToken,
      botUserId: workspace.botUserId,
      teamId: workspace.team,
    }),
    ...(receiver ? { receiver } : {}),
    clientOptions: clientOptions(options.apiUrl, log, 0),
    convoStore: false,
    logger,
  });

  const running = new Set<Promise<void>>();
  app.use(async ({ next }) => {
    const work = next();
    running.add(work);
    await work.finally(() => running.delete(work));
  });
  app.error(async (error) => {
    log.error({ err: error }, 'a listener failed');
  });

  const access = createAccess({
    web,
    team: workspace.team,
    admins: options.admins,
    now: () => performance.now(),
  });
  const replies = createReplies({ web, now: () => Date.now() });
  const conversations = createConversations({ web, core });
  const files = { download: createDownload({ ...options, web, log }), toPerson: createUpload(web) };
  const deps: SlackDeps = { core, access, conversations, replies, files, web, log };
  registerCommands(app, deps);
  registerActions(app, deps);
  registerViews(app, deps);
  registerRest(app, deps);

  return {
    deps,
    ...(http ? { listener: http.requestListener } : {}),
    async connect() {
      if (!socket) return;
      try {
        await app.start();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new SlackStartError(
          `Slack does not open the Socket Mode connection (${reason}): check SLACK_APP_TOKEN (scope connections:write) and that Socket Mode is switched on.`,
          { cause: error },
        );
      }
    },
    async stop() {
      if (socket) await app.stop();
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** Bolt's log on ours. Debug is left out whatever our level: it would hold payloads whole, and keys with them. */
function boltLogger(log: Logger): BoltLogger {
  const words = (parts: unknown[]) =>
    parts.map((part) => (part instanceof Error ? part.message : String(part))).join(' ');
  return {
    debug: () => undefined,
    info: (...parts) => log.debug({ from: 'slack' }, words(parts)),
    warn: (...parts) => log.warn({ from: 'slack' }, words(parts)),
    error: (...parts) => log.error({ from: 'slack' }, words(parts)),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
