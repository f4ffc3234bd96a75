import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Ledger } from '../ledger/ledger.ts';
import type { Records } from '../records/records.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { readStore } from './read-store.ts';

/**
 * Serves the metrics of this store at GET /metrics, on an address of its own; 500 if the store can't be read.
 * @throws the system's error when the port can't be had
 */
export async function serveMetrics({
  port,
  host,
  ledger,
  records,
  log,
}: {
  port: number;
  host: string;
  ledger: Ledger;
  records: Records;
  log: Logger;
}): Promise<Metrics & { port: number; close(): Promise<void> }> {
  const metrics = createMetrics(() => readStore({ ledger, records }));
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
    ...metrics,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
