import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createMetrics } from './metrics.ts';
import type { Sources } from './read-store.ts';

/**
 * Serves the metrics of this store at GET /metrics, on an address of its own; 500 if the store can't be read.
 * @throws the system's error when the port can't be had
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
      log.error({ err: error }, 'the metrics could not be read');
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
