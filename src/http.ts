import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readiness } from './readiness.ts';

// An import of node:http would also load Node’s own undici, beside the bot’s: 4 MB more, and a slower start.
const { createServer } = process.getBuiltinModule('node:http');

/** The longest that a request may take to arrive, in ms. Slack is quick; a slow request only holds a socket. */
const ARRIVE_WITHIN_MS = 10_000;
/**
 * How long an idle connection stays open, in ms. Load balancers reuse one for a minute or more, some for ten. If the bot
 * closes it just then, the request on it is lost, and Slack repeats no command or click.
 */
const IDLE_MS = 620_000;
const CLOSE_WITHIN_MS = 1000;
const INSTALL_PATHS = ['/slack/install', '/slack/oauth_redirect'];

/**
 * Starts the bot's own HTTP server. `/healthz` says 200, `/readyz` 200 or 503 with the state of each part. In HTTP mode
 * it takes POST `/slack/events`; if workspaces install the bot, also GET of the two install paths. Once the bot takes
 * nothing new, these answer 503, so that Slack tells people at once that nothing was done.
 * @throws the system's error for a port that it can't have
 */
export async function serveHttp(options: {
  port: number;
  /** The address to listen on; undefined: all addresses. */
  host: string | undefined;
  slack: RequestListener | undefined;
  install: RequestListener | undefined;
  readiness(): Promise<Readiness>;
  takesNew(): boolean;
}) {
  const taken = new Set<ServerResponse>();

  function slackListener(method = '', path = ''): RequestListener | undefined {
    if (method === 'POST' && path === '/slack/events') return options.slack;
    return method === 'GET' && INSTALL_PATHS.includes(path) ? options.install : undefined;
  }

  const server = createServer(
    { requestTimeout: ARRIVE_WITHIN_MS, connectionsCheckingInterval: 1000, keepAliveTimeout: IDLE_MS },
    async (request, response) => {
      const [path] = (request.url ?? '').split('?');
      if (path === '/healthz') return answer(200, { ok: true });
      if (path === '/readyz') {
        const { ready, parts } = await options.readiness();
        return answer(ready ? 200 : 503, { ready, ...parts });
      }
      const listener = slackListener(request.method, path);
      if (listener) {
        if (!options.takesNew()) return answer(503, { error: 'stopping' });
        taken.add(response);
        response.once('close', () => taken.delete(response));
        return listener(request, response);
      }
      return answer(404, { error: 'not found' });

      function answer(status: number, body: object): void {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      }
    },
  );
  server.listen({ port: options.port, host: options.host });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Resolves when the listeners have answered every request that they got. */
    async answered(): Promise<void> {
      await Promise.all([...taken].map((response) => once(response, 'close')));
    },
    /** Takes no more connections. Resolves when the open ones have ended; after a second, it cuts them. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS).unref();
      }),
  };
}
