import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The bot's own HTTP server. */
export interface HttpServer {
  port: number;
  /** Stops taking connections and resolves when the open ones are done. */
  close(): Promise<void>;
}

/** Longest that a request may take to arrive, in ms: Slack is quick, slow ones only hold sockets. */
const ARRIVE_WITHIN_MS = 10_000;

/**
 * Serves `/healthz` (200 as soon as it serves), `/readyz` (200, or 503 with the reasons) and, in HTTP mode,
 * POST /slack/events.
 * @throws the system's error when the port can't be had
 */
export async function serveHttp(options: {
  port: number;
  /** The address to listen on; all of them without it. */
  host?: string;
  slack?: RequestListener;
  /** Reasons why the bot is not ready; none when it is. */
  notReady(): string[];
}): Promise<HttpServer> {
  const server = createServer({ requestTimeout: ARRIVE_WITHIN_MS }, (request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path === '/healthz') return answer(200, { ok: true });
    if (path === '/readyz') {
      const reasons = options.notReady();
      return answer(reasons.length === 0 ? 200 : 503, { ready: reasons.length === 0, reasons });
    }
    if (path === '/slack/events' && request.method === 'POST' && options.slack) {
      return options.slack(request, response);
    }
    return answer(404, { error: 'not found' });

    function answer(status: number, body: object): void {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(
      { port: options.port, ...(options.host === undefined ? {} : { host: options.host }) },
      () => {
        server.off('error', reject);
        resolve();
      },
    );
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}
