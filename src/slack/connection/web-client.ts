import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import { type FetchFunction, WebClient, type WebClientOptions } from '@slack/web-api';
import type { Logger } from 'pino';
import { Response, request } from 'undici';

/** Where Slack is, and what to call after each request to it. */
export interface SlackAccess {
  apiUrl: string;
  log: Logger;
  onCall(call: SlackCall): void;
}

/** Ends each try within 10 s. `retries`: how often the client repeats a call that gets no answer. */
export function clientOptions(apiUrl: string, log: Logger, retries: number): WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    timeout: 10_000,
    retryConfig: { retries, minTimeout: 200, factor: 2 },
    rejectRateLimitedCalls: true,
    logger: boltLogger(log),
  };
}

/** A client that makes each call once: posting twice would mislead. `team`: needed with an organisation's token. */
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

export interface SlackCall {
  /** The Web API's method, or `response_url`. */
  method: string;
  outcome: 'ok' | 'refused' | 'rate_limited' | 'no_answer';
  word?: string;
  seconds: number;
}

/**
 * The `fetch` of Slack's own client; reports every call to the Web API. Reads each answer as a whole: Node's `fetch`
 * streams it, which costs twice the CPU, and loads a second undici.
 */
export function watchedFetch(onCall: (call: SlackCall) => void): FetchFunction {
  return async (url, { method: verb = 'GET', headers = {}, body = null, signal = null } = {}) => {
    const begun = performance.now();
    const [method = ''] = new URL(url).pathname.split('/').slice(-1);
    const tell = (end: Pick<SlackCall, 'outcome' | 'word'>) =>
      onCall({ method, ...end, seconds: (performance.now() - begun) / 1000 });
    try {
      // Never a FormData: files go up without this client.
      const answer = await request(url, { method: verb, headers, body: body as string | null, signal });
      const text = await answer.body.text();
      tell(endOf(answer.statusCode, text));
      const said = answer.headers as Record<string, string>;
      return new Response(text, { status: answer.statusCode, headers: said });
    } catch (error) {
      tell({ outcome: 'no_answer' });
      throw error;
    }
  };
}

/** Slack answers 200 even when it refuses: the body says so (docs.slack.dev/apis/web-api). */
function endOf(status: number, text: string): Pick<SlackCall, 'outcome' | 'word'> {
  if (status === 429) return { outcome: 'rate_limited' };
  if (status !== 200) return { outcome: 'no_answer' };
  const { ok, error } = JSON.parse(text) as { ok?: unknown; error?: unknown };
  if (ok === true) return { outcome: 'ok' };
  return { outcome: 'refused', ...(typeof error === 'string' ? { word: error } : {}) };
}

/** Writes Bolt's log lines to ours. Drops debug lines at any level: they hold whole payloads, with keys in them. */
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
