import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { readSmallFile, writeDurably } from '../small-files.ts';
import { StoreError, unusable, unusableFile } from '../store-error.ts';
import { type Ask, createAsk } from './ask.ts';
import type { RedisClient } from './connect.ts';
import { lineageOf } from './lineage.ts';
import { LEDGER_PREFIX } from './prefix.ts';
import { scanKeys, unlinkKeys } from './scan-keys.ts';

/** Where the ledger's epoch is. */
export const EPOCH_KEY = `${LEDGER_PREFIX}epoch`;
/** Where its format is: a whole number, or one with a fraction while an upgrade is under way. */
export const FORMAT_KEY = `${LEDGER_PREFIX}format`;
/** Where the lineages are that an operator has given up, or begun. A bot that has seen one of them may go on. */
const GIVEN_UP_KEY = `${LEDGER_PREFIX}epochs-before`;

const NOTHING_HERE =
  'Redis holds nothing of Switchboard, so nothing was done: set REDIS_URL to the Redis of your bots, or start a bot once.';

/** This installation: its folder, and the format that this version writes. */
interface LocalInstallation {
  dataDir: string;
  format: number;
}

/**
 * The epoch names one life of the store. A bot makes it once, in an empty Redis, and every step carries it. If the
 * store's epoch is missing or another one, somebody emptied or replaced the store. Then nobody knows which texts were
 * being sent. Each installation also remembers in its data folder which lineage it has seen. So a bot that starts after
 * the loss notices it too. An upgrade renews the epoch, and the lineage stays.
 * @throws StoreError if the epoch is gone, or another than the one seen before, or a newer version wrote the store; for
 * an operator, who begins no store, also if Redis is empty
 */
export async function findEpoch(
  client: RedisClient,
  { dataDir, format: known, isOperator = false }: LocalInstallation & { isOperator?: boolean },
): Promise<{ epoch: string; format: number }> {
  const ask = createAsk(client, 'start');
  const seen = recall(dataDir);
  // At one moment: another bot may just be making both.
  const [said, epoch] = (await ask('MGET', FORMAT_KEY, EPOCH_KEY)) as (string | null)[];
  const format = Number(said ?? 0);
  if (format > known) {
    throw new StoreError(
      'newer',
      `The data in Redis was written by a newer version of Switchboard (format ${format}, this one knows ${known}): run that version.`,
    );
  }
  if (typeof epoch !== 'string') {
    // A format without an epoch was in use before, as was an installation that has seen one.
    if (seen !== undefined || format > 0) throw storeLost('Redis was emptied');
    // A command with a wrong REDIS_URL must not look done.
    if (isOperator) throw unusable(NOTHING_HERE);
    await ask('MSETNX', EPOCH_KEY, randomUUID(), FORMAT_KEY, String(known));
    return findEpoch(client, { dataDir, format: known });
  }
  const lineage = lineageOf(epoch);
  if (seen !== undefined && seen !== lineage) {
    const accepted = await ask('SISMEMBER', GIVEN_UP_KEY, seen);
    if (Number(accepted) === 0)
      throw storeLost('REDIS_URL names another store than before, or Redis was emptied');
  }
  if (seen !== lineage) await remember(dataDir, lineage);
  return { epoch, format };
}

/** Whether a bot of this folder has worked on any Redis. */
export function hasSeenAny(dataDir: string): boolean {
  return recall(dataDir) !== undefined;
}

/** Whether this installation has seen the life of the store that the epoch is of. */
export function hasSeen(dataDir: string, epoch: string): boolean {
  return recall(dataDir) === lineageOf(epoch);
}

const WHILE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return redis.error_reply('somebody else works on the store') end
return redis.call(unpack(ARGV, 2))`;

/** Commands that count only while the store has this epoch; '' if it must have none. */
export function askWhile(ask: Ask, epoch: string): Ask {
  return (...command) => ask('EVAL', WHILE, '1', EPOCH_KEY, epoch, ...command);
}

/**
 * Starts again after a loss, when an operator asks for it. Deletes the rest of the ledger and keeps the records. Start
 * every bot again: a running one refuses all work. If it is cut short, run it again, from any folder: until then no bot
 * starts. Of two at once, one is refused.
 */
export async function resetLedger(
  client: RedisClient,
  { dataDir, format }: LocalInstallation,
): Promise<void> {
  const ask = createAsk(client, 'reset');
  const epoch = randomUUID();
  const seen = [recall(dataDir), await ask('GET', EPOCH_KEY), epoch];
  const lineages = seen.flatMap((one) => (typeof one === 'string' ? [lineageOf(one)] : []));
  await ask('SADD', GIVEN_UP_KEY, ...lineages);
  // A format without an epoch is one that was lost: nobody begins here, and no step counts any more.
  await ask('SET', FORMAT_KEY, String(format));
  await ask('DEL', EPOCH_KEY);
  const whileLost = askWhile(ask, '');
  await unlinkKeys(whileLost, ledgerKeys(client));
  await whileLost('SET', EPOCH_KEY, epoch);
  await remember(dataDir, epoch);
}

/** All keys of the ledger, except its format and the given up lineages: a bot may have been away since. */
async function* ledgerKeys(client: RedisClient): AsyncIterable<string> {
  const stay = [GIVEN_UP_KEY, FORMAT_KEY];
  for await (const key of scanKeys(client, LEDGER_PREFIX)) if (!stay.includes(key)) yield key;
}

function storeLost(what: string): StoreError {
  return unusable(
    `${what}, so nobody knows which texts were being sent. Check REDIS_URL first: a reset empties the Redis that it names. If it is right, look at what went out, then start again with npm run admin -- reset-store.`,
  );
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'redis-epoch');
}

function recall(dataDir: string): string | undefined {
  return readSmallFile(fileIn(dataDir)) || undefined;
}

async function remember(dataDir: string, epoch: string): Promise<void> {
  const file = fileIn(dataDir);
  try {
    makeFolder(dataDir);
    await writeDurably(file, `${epoch}\n`);
  } catch (error) {
    throw unusableFile(file, error);
  }
}
