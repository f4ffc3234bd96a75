import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createMetrics } from './metrics.ts';
import type { Sources } from './read-store.ts';

// As in src/http.ts: an import of node:http would load Node's own undici.
const { createServer } = process.getBuiltinModule('node:http');

/**
 * Serves the metrics at GET /metrics, on an address of their own. Answers 500 if the store fails.
 * @throws the system's error for a port that it can't have
 */
export async function serveMetrics(
  sources: Sources,
  { port, host, log }: { port: number; host: string; log: Logger },
) {
  const metrics = createMetrics(sources);
  const server = createServer(async (request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/metrics' || request.method !== 'GET') return response.writeHead(404).end();
    try {
      const text = await metrics.text();
      return response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    } catch (error) {
      log.error({ err: error }, 'the bot could not read its metrics');
      return response.writeHead(500).end();
    }
  });
  await once(server.listen({ port, host }), 'listening');
  return {
    ...metrics,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
