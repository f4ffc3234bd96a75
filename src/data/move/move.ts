import { existsSync, renameSync } from 'node:fs';
import { type Ask, createAsk } from '../../store/redis/ask.ts';
import { connect, type RedisClient } from '../../store/redis/connect.ts';
import { createRedisEngine } from '../../store/redis/engine.ts';
import { askWhile, findEpoch, hasSeen, resetLedger } from '../../store/redis/epoch.ts';
import { LEDGER_PREFIX, PREFIX } from '../../store/redis/prefix.ts';
import { refuseVolatile } from '../../store/redis/refuse-volatile.ts';
import { scanKeys, unlinkKeys } from '../../store/redis/scan-keys.ts';
import { createSqliteEngine } from '../../store/sqlite/engine.ts';
import { botRuns, lockDataDir } from '../../store/sqlite/lock.ts';
import { refuseMark } from '../../store/sqlite/mark.ts';
import type { Database } from '../../store/sqlite/open.ts';
import { BUSY, resultCodeOf, StoreError, unusable } from '../../store/store-error.ts';
import type { RedisOptions } from '../shared.ts';
import { REDIS_FORMAT } from '../upgrade/formats.ts';
import { openUpgraded } from '../upgrade/open-sqlite.ts';
import { copyDocuments, copyRecords, countSending, MOVE_STEP_MS, type StoreCounts } from './copy-store.ts';
import { databaseNames, MOVE_MARK_KEY } from './refuse-moved.ts';

/** How far this machine's clock and Redis's may differ, in ms. Beyond that, permits and waits could end too early. */
const CLOCKS_AGREE_MS = 1000;

/** Keys that a bot whose start failed, or a reset, leaves in an empty Redis. They don't stop a move. */
const KEYS_OF_A_START =
  /^(ledger:(epoch|epochs-before|format|mark|server|seen:.*|d:seen:.*|i:seen\..*)|secrets::fingerprint|keys-of:secrets)$/;

/** `replicas`: how many Redis replicas must have everything before the move renames the database. */
type MoveOptions = Pick<RedisOptions, 'dataDir' | 'url' | 'allowVolatile' | 'replicas'>;

/**
 * Moves the database of a stopped bot to a Redis that holds nothing of the product. Renames the database to
 * `switchboard-moved.db`, because two stores in use would text people twice. If a move is interrupted, run it again.
 * Until you do, no bot starts with this Redis. After the rename, no bot starts without Redis.
 * `counts` is missing if an earlier move had copied everything; `aside` is the database's new path.
 * @throws StoreError with the reason, and with what was changed, if anything
 */
export async function moveToRedis(options: MoveOptions): Promise<{ counts?: StoreCounts; aside: string }> {
  const { dataDir, replicas = 0 } = options;
  const { file, aside } = databaseNames(dataDir);
  const nothingToMove = unusable(`There is no ${file}, so there is nothing to move.`);
  if (!existsSync(file) && !existsSync(aside)) throw nothingToMove;
  using closing = new DisposableStack();
  closing.defer(lockDataDir(dataDir, 0, botRuns(dataDir)).release);
  const { client, close } = await connect(options.url);
  closing.defer(close);
  const ask = createAsk(client, 'move', MOVE_STEP_MS);
  if (!existsSync(file)) {
    // An earlier move was interrupted after the rename, if the mark is its own.
    const mark = await ask('GET', MOVE_MARK_KEY);
    if (typeof mark !== 'string' || !hasSeen(dataDir, mark)) throw nothingToMove;
    await takeMarkAway(ask, dataDir);
    return { aside };
  }
  const db = await openUpgraded(dataDir);
  closing.defer(() => db.close());
  if (!options.allowVolatile) await refuseVolatile(client);
  const counts = await carryOver(client, ask, db, dataDir);
  await untilReplicasHaveAll(ask, replicas);
  // Rename before the mark goes: at no moment can both stores be used. A waiting command gets the lock only after that.
  renameSync(file, aside);
  await takeMarkAway(ask, dataDir);
  return { counts, aside };
}

/** After the renaming only Redis has the data, so a failover must lose nothing. */
async function untilReplicasHaveAll(ask: Ask, replicas: number): Promise<void> {
  if (replicas === 0) return;
  const confirmed = Number(await ask('WAIT', String(replicas), String(MOVE_STEP_MS / 2)));
  if (confirmed >= replicas) return;
  throw unusable(
    `${confirmed} of ${replicas} Redis replicas (REDIS_REPLICAS) confirmed the data. The database is unchanged; run this again.`,
  );
}

/** Lets bots start with Redis. */
async function takeMarkAway(ask: Ask, dataDir: string): Promise<void> {
  // If somebody puts the database back, it is an old copy. This syncs the folder, so that a power cut does not undo the
  // renaming.
  await refuseMark(databaseNames(dataDir).mark);
  await ask('DEL', MOVE_MARK_KEY);
}

async function carryOver(client: RedisClient, ask: Ask, db: Database, dataDir: string): Promise<StoreCounts> {
  const from = createSqliteEngine(db);
  const sending = await countSending(from);
  if (sending > 0) {
    throw unusable(
      `The bot stopped while requests were in flight (${sending}). Start it once without REDIS_URL, so that it records their outcomes. Then stop it and run the move again. Nothing was moved.`,
    );
  }
  const [seconds] = (await ask('TIME')) as [string];
  const apart = Math.abs(Number(seconds) * 1000 - Math.floor(Date.now() / 1000) * 1000);
  if (apart > CLOCKS_AGREE_MS) {
    throw unusable(
      `The clocks of this machine and of Redis differ by ${apart / 1000} s: correct them first. Nothing was moved.`,
    );
  }
  holdAlone(db, dataDir);
  await clear(client, ask);
  const known = { dataDir, format: REDIS_FORMAT };
  await resetLedger(client, known);
  const { epoch } = await findEpoch(client, known);
  const to = createRedisEngine({ client, prefix: LEDGER_PREFIX, epoch, stepMs: MOVE_STEP_MS });
  const counts = await copyDocuments(from, to);
  // If another move or a reset starts a new epoch, these commands fail, and this move stops.
  const askInEpoch = askWhile(ask, epoch);
  const records = await copyRecords(db, client, askInEpoch);
  // From now on the mark says that everything is there, and in which epoch.
  await askInEpoch('SET', MOVE_MARK_KEY, epoch);
  return { records, ...counts };
}

/**
 * From now on until the database is closed, no operator's command opens it: Redis would lack what it writes.
 * @throws StoreError if one has it open: SQLite leaves WAL only for the last one that uses a database
 */
function holdAlone({ raw }: Database, dataDir: string): void {
  try {
    raw.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    if (resultCodeOf(error) !== BUSY) throw error;
    const { file } = databaseNames(dataDir);
    throw new StoreError(
      'locked',
      `Another command or program is using ${file}: wait for it or end it, then run this again. Nothing was moved.`,
      { cause: error },
    );
  }
}

/** Removes what a move that was cut short left behind. @throws StoreError if the Redis is in use */
async function clear(client: RedisClient, ask: Ask): Promise<void> {
  const wasMoving = Number(await ask('EXISTS', MOVE_MARK_KEY)) > 0;
  const keys: string[] = [];
  for await (const key of scanKeys(client, PREFIX)) {
    if (!wasMoving && !KEYS_OF_A_START.test(key.slice(PREFIX.length))) {
      throw unusable(
        'This Redis holds an installation of Switchboard already: move to an empty one. Nothing was moved.',
      );
    }
    if (key !== MOVE_MARK_KEY) keys.push(key);
  }
  await ask('SET', MOVE_MARK_KEY, '1');
  await unlinkKeys(ask, keys);
}
