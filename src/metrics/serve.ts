import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

/** Where Prometheus fetches the figures. */
export interface MetricsServer {
  port: number;
  close(): Promise<void>;
}

/**
 * Serves GET /metrics on an address of its own; 500 where the store can't be read.
 * @throws the system's error when the port can't be had
 */
export async function serveMetrics(
  metrics: Metrics,
  { port, host, log }: { port: number; host: string; log: Logger },
): Promise<MetricsServer> {
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
