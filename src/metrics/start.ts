import type { Logger } from 'pino';
import type { Ledger } from '../ledger/ledger.ts';
import type { Records } from '../records/records.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { readStore } from './read-store.ts';
import { type MetricsServer, serveMetrics } from './serve.ts';

/** Metrics of this store, served at this address. @throws the system's error when the port can't be had */
export async function startMetrics(options: {
  port: number;
  host: string;
  ledger: Ledger;
  records: Records;
  log: Logger;
}): Promise<Metrics & MetricsServer> {
  const metrics = createMetrics(() => readStore(options));
  return { ...metrics, ...(await serveMetrics(metrics, options)) };
}
