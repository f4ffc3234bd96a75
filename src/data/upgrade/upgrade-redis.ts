import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, createAsk, STEP_MS } from '../../store/redis/ask.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { createRedisEngine } from '../../store/redis/engine.ts';
import { askWhile, EPOCH_KEY, FORMAT_KEY, findEpoch } from '../../store/redis/epoch.ts';
import { renewEpoch } from '../../store/redis/lineage.ts';
import { LEDGER_PREFIX } from '../../store/redis/prefix.ts';
import { scanKeys, unlinkKeys } from '../../store/redis/scan-keys.ts';
import { StoreError, StoreTroubleError, unusable } from '../../store/store-error.ts';
import { FIRST_IN_REDIS, REDIS_FORMAT } from './formats.ts';
import { readOldHashes } from './old-redis.ts';
import { rewriteDocuments } from './rewrite-documents.ts';
import { writeFromOld } from './write-from-old.ts';

/** How long one step of an upgrade may take, in ms. */
const UPGRADE_STEP_MS = 10_000;
/** A bot that upgrades counts as gone if it has not renewed its mark for this long, in ms. */
const MARK_MS = 30_000;

/** The format while the upgrade writes hashes as documents. No bot of any version starts with it. */
const WRITING = FIRST_IN_REDIS - 0.5;
/** The format while the upgrade removes the hashes: documents have all of their data. */
const REMOVING = FIRST_IN_REDIS - 0.1;

/** Keys that format 1 did not have. */
const OF_TODAY = /^(d:|i:|epoch$|epochs-before$|format$|upgrading$)/;

/**
 * Upgrades a store of an older format, and resolves to the store's epoch. An upgrade renews the epoch, so bots of the
 * version before stop working. Run it again if it is cut short.
 * @throws StoreError if the format is older and `refuseOld`, if another bot is upgrading the store, or if the upgrade
 * failed; also as `findEpoch` does
 */
export async function findUpgradedEpoch(
  client: RedisClient,
  { dataDir, refuseOld, isOperator = false }: { dataDir: string; refuseOld?: boolean; isOperator?: boolean },
): Promise<string> {
  const known = { dataDir, format: REDIS_FORMAT, isOperator };
  const { epoch, format } = await findEpoch(client, known);
  if (format === REDIS_FORMAT) return epoch;
  if (refuseOld) {
    throw unusable(
      'The data in Redis is of an older version of Switchboard: stop its bots, start one of this version, and try again.',
    );
  }
  const ask = createAsk(client, 'upgrade', UPGRADE_STEP_MS);
  const mark = `${LEDGER_PREFIX}upgrading`;
  if ((await ask('SET', mark, '1', 'NX', 'PX', String(MARK_MS))) === null) {
    throw new StoreError(
      'locked',
      'Another bot is upgrading the data in Redis, or was stopped while it did: start this one again in half a minute.',
    );
  }
  // The mark only keeps other bots from trying. The epoch makes two upgrades at once harmless.
  const renewing = setInterval(() => ask('PEXPIRE', mark, String(MARK_MS)).catch(() => {}), MARK_MS / 3);
  try {
    return await upgrade(client, ask, await findEpoch(client, known));
  } catch (error) {
    if (!(error instanceof StoreTroubleError)) throw error;
    throw unusable(
      `The upgrade of the data in Redis was cut short, and nothing is lost (${error.message}): start this bot again.`,
      { cause: error },
    );
  } finally {
    clearInterval(renewing);
    // If Redis does not remove the mark, the mark soon expires.
    await ask('DEL', mark).catch(() => {});
  }
}

async function upgrade(
  client: RedisClient,
  ask: Ask,
  { epoch: before, format: from }: { epoch: string; format: number },
): Promise<string> {
  // Another bot has upgraded it meanwhile.
  if (from === REDIS_FORMAT) return before;
  const epoch = renewEpoch(before);

  // Commands that do nothing once another bot has begun an upgrade.
  const whileBefore = askWhile(ask, before);
  const whileMine = askWhile(ask, epoch);
  const setFormat = (fenced: Ask, format: number) => fenced('SET', FORMAT_KEY, String(format));

  const underWay = from < FIRST_IN_REDIS ? WRITING : REDIS_FORMAT - 0.5;
  await setFormat(whileBefore, Math.max(from, underWay));
  // A bot that read the format just before reads the epoch within one step's time.
  if (from < underWay) await sleep(2 * STEP_MS);
  await whileBefore('SET', EPOCH_KEY, epoch);

  const engine = createRedisEngine({ client, prefix: LEDGER_PREFIX, epoch, stepMs: UPGRADE_STEP_MS });
  if (from < REMOVING) {
    await writeFromOld(await readOldHashes(client), engine);
    await setFormat(whileMine, REMOVING);
  }
  if (from < FIRST_IN_REDIS) await unlinkKeys(whileMine, oldKeys(client));
  await rewriteDocuments(engine, () => unlinkKeys(whileMine, scanKeys(client, `${LEDGER_PREFIX}i:`)));
  // A replica that takes over may be half rewritten. Then it has the epoch of the rewriting, with which no bot works.
  const done = renewEpoch(before);
  await whileMine('MSET', FORMAT_KEY, String(REDIS_FORMAT), EPOCH_KEY, done);
  return done;
}

async function* oldKeys(client: RedisClient): AsyncIterable<string> {
  for await (const key of scanKeys(client, LEDGER_PREFIX)) {
    if (!OF_TODAY.test(key.slice(LEDGER_PREFIX.length))) yield key;
  }
}
