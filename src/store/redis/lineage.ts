import { randomUUID } from 'node:crypto';

/** Between an epoch's lineage and its renewal. */
const BETWEEN = '/';

/** What an epoch keeps through upgrades: the name of one life of the store. */
export function lineageOf(epoch: string): string {
  return epoch.split(BETWEEN, 1)[0] ?? '';
}

/** Another epoch of the same lineage: bots that know the one before work no more. */
export function renewEpoch(epoch: string): string {
  return [lineageOf(epoch), randomUUID()].join(BETWEEN);
}
