import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Logger } from 'pino';
import { type SlackCall, watchedFetch } from './web-calls.ts';

/** Where Slack is, and what to call after each request to it. */
export interface SlackAccess {
  /** Base of Slack's Web API. */
  apiUrl: string;
  log: Logger;
  onCall(call: SlackCall): void;
}

/** Calls to Slack end within 10 s, and what may be repeated is repeated twice: the outbox is there for the rest. */
export function clientOptions(apiUrl: string, log: Logger, retries: number): WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    timeout: 10_000,
    retryConfig: { retries, minTimeout: 200, factor: 2 },
    rejectRateLimitedCalls: true,
    logger: boltLogger(log),
  };
}

/**
 * A client whose calls are made once: posting twice would mislead. `team` is named in each call where the token is one
 * of a whole organisation.
 */
export function createWebClient(
  botToken: string | undefined,
  { apiUrl, log, onCall }: SlackAccess,
  team?: string,
): WebClient {
  return new WebClient(botToken, {
    ...clientOptions(apiUrl, log, 0),
    fetch: watchedFetch(onCall),
    ...(team === undefined ? {} : { teamId: team }),
  });
}

/** Bolt's log on ours. Debug is left out whatever our level: it would hold payloads whole, and keys with them. */
export function boltLogger(log: Logger): BoltLogger {
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
