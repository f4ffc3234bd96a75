import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { StoreError, unusable } from '../store-error.ts';
import type { RedisClient } from './connect.ts';
import { emptied } from './errors.ts';
import { STEP_MS } from './run.ts';
import { within } from './within.ts';

/** The format that this version writes. */
const FORMAT = 1;

/** Where the epoch is. */
export function epochKey(prefix: string): string {
  return `${prefix}epoch`;
}

/**
 * The epoch names one life of the store: made once, in an empty Redis, and carried by every step. Where it is missing
 * or another, the store was emptied or exchanged, and what was being sent is not known any more. Each installation also
 * remembers in its data folder which epoch it has seen, so that a bot that starts after the loss notices it too.
 * @throws StoreError where the epoch is gone, or is not the one that was seen before, or a newer version wrote the store
 */
export async function findEpoch(client: RedisClient, prefix: string, dataDir: string): Promise<string> {
  const ask = asker(client);
  const seen = recall(dataDir);
  const format = Number((await ask('GET', `${prefix}format`)) ?? 0);
  if (format > FORMAT) {
    throw new StoreError(
      'newer',
      `What is in Redis was written by a newer version of Switchboard (format ${format}, this one knows ${FORMAT}): run that version.`,
    );
  }
  let epoch = await ask('GET', epochKey(prefix));
  if (epoch === null) {
    // A format without an epoch was in use before, as was an installation that has seen one.
    if (seen !== undefined || format > 0) throw lost('Redis was emptied');
    await ask('SET', epochKey(prefix), randomUUID(), 'NX');
    await ask('SET', `${prefix}format`, String(FORMAT));
    epoch = await ask('GET', epochKey(prefix));
  }
  if (epoch === null) throw lost('Redis was emptied');
  if (seen !== undefined && seen !== epoch) {
    const accepted = await ask('SISMEMBER', `${prefix}epochs-before`, seen);
    if (Number(accepted) === 0) throw lost('REDIS_URL names another store than before, or Redis was emptied');
  }
  if (seen !== epoch) remember(dataDir, epoch);
  return epoch;
}

/** Makes sure that the store is still in the same life. @throws RedisStepError `emptied` where it is not */
export async function expectEpoch(client: RedisClient, prefix: string, epoch: string): Promise<void> {
  if ((await client.sendCommand(['GET', epochKey(prefix)])) !== epoch) throw emptied();
}

/**
 * Begins anew after a loss, on an operator's word: what is left of the ledger is deleted, records stay. Every bot must
 * be started again: a running one refuses all work.
 */
export async function resetLedger(client: RedisClient, prefix: string, dataDir: string): Promise<void> {
  const ask = asker(client);
  const seen = recall(dataDir);
  const stands = await ask('GET', epochKey(prefix));
  // First of all: no step counts any more.
  await ask('DEL', epochKey(prefix));
  for (let cursor = '0'; ; ) {
    const page = await within(
      STEP_MS,
      'reset',
      client.sendCommand(['SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', '1000']),
    );
    const [next, keys] = page as [string, string[]];
    if (keys.length > 0) await ask('UNLINK', ...keys);
    cursor = next;
    if (cursor === '0') break;
  }
  const before = [seen, stands].filter((epoch) => typeof epoch === 'string');
  if (before.length > 0) await ask('SADD', `${prefix}epochs-before`, ...before);
  const epoch = randomUUID();
  await ask('SET', `${prefix}format`, String(FORMAT));
  await ask('SET', epochKey(prefix), epoch);
  remember(dataDir, epoch);
}

function asker(client: RedisClient): (...command: string[]) => Promise<string | null> {
  return async (...command) => (await within(STEP_MS, 'start', client.sendCommand(command))) as string | null;
}

function lost(what: string): StoreError {
  return new StoreError(
    'unusable',
    `${what}, so what was being sent is not known any more: look at what went out, then begin anew with npm run admin -- reset-store.`,
  );
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'redis-epoch');
}

function recall(dataDir: string): string | undefined {
  const file = fileIn(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

function remember(dataDir: string, epoch: string): void {
  const file = fileIn(dataDir);
  try {
    makeFolder(dataDir);
    writeFileSync(`${file}.new`, `${epoch}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw unusable(file, error);
  }
}
