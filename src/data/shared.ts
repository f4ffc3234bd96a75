import { setTimeout as sleep } from 'node:timers/promises';
import { createLedger } from '../ledger/create-ledger.ts';
import { createCipher } from '../records/encryption.ts';
import { createRecords } from '../records/records.ts';
import { createRedisRecords } from '../records/redis/record-store.ts';
import { createPreparedSteps } from '../store/prepared-steps.ts';
import { type Ask, createAsk, STEP_MS } from '../store/redis/ask.ts';
import { connect, type RedisClient } from '../store/redis/connect.ts';
import { createRedisEngine } from '../store/redis/engine.ts';
import { resetLedger } from '../store/redis/epoch.ts';
import { refusalOf } from '../store/redis/errors.ts';
import { openMark } from '../store/redis/mark.ts';
import { LEDGER_PREFIX } from '../store/redis/prefix.ts';
import { refuseMissingRights } from '../store/redis/refuse-missing-rights.ts';
import { refuseVolatile } from '../store/redis/refuse-volatile.ts';
import { createServerWatch, type FoundServer, findServer } from '../store/redis/same-server.ts';
import { createSteps } from '../store/steps.ts';
import { StoreError, unusable } from '../store/store-error.ts';
import type { DataOptions, OpenStore, Scrub } from './data.ts';
import { refuseHalfMoved, refuseUnmoved } from './move/refuse-moved.ts';
import { createPresumption } from './presume-forgotten.ts';
import { REDIS_FORMAT } from './upgrade/formats.ts';
import { findUpgradedEpoch } from './upgrade/upgrade-redis.ts';

/** How to reach the shared store. `dataDir` holds only which store this bot used last, and this bot's mark. */
export interface RedisOptions extends DataOptions {
  url: string;
  /** Accept a Redis that may forget writes. After a power cut, the bot can then text somebody twice. */
  allowVolatile: boolean;
  /** How many replicas must confirm a write before it counts. */
  replicas?: number;
  /** Refuse a store of an older format: an upgrade would stop the bots that still use it. */
  refuseOld?: boolean;
  /**
   * The process sends nothing by itself, so it need not know which texts Redis may have forgotten. In an empty Redis it
   * begins nothing.
   */
  isOperator?: boolean;
}

/**
 * Opens the shared store for one of any number of bots. A start takes nothing over: if a bot dies, the others take over
 * its work after its deadlines.
 * @throws StoreError if Redis is out of reach, may forget writes or was emptied, if a newer version wrote it or is
 * upgrading it, or if the folder has a database that was not moved
 */
export async function openRedisStore(options: RedisOptions): Promise<OpenStore> {
  const { allowVolatile } = options;
  const cipher = createCipher(options.encryptionKeys);
  refuseUnmoved(options.dataDir);
  using opening = new DisposableStack();
  const { client, onReconnect, close } = await connect(options.url);
  opening.defer(close);
  if (!allowVolatile) await refuseVolatile(client);
  await refuseMissingRights(client);
  await refuseHalfMoved(client);
  const epoch = await findUpgradedEpoch(client, options);
  const server = await findServer(client);
  const sameServerForMs = server.forMs;
  const replicas = options.replicas ?? 0;
  const tellIfTooFew = ({ replicas: all }: FoundServer) =>
    replicas > 0 && all > replicas && options.onVolatile?.(tooFewConfirm(all, replicas));
  tellIfTooFew(server);
  const isOtherServer = createServerWatch(client, server.name, tellIfTooFew);
  const mark = await openMark(client, {
    dataDir: options.dataDir,
    epoch,
    replicas,
    mayForget: replicas === 0 && server.wasReplica,
  });
  const engine = createRedisEngine({
    client,
    prefix: LEDGER_PREFIX,
    epoch,
    replicas,
    beforeSynced: mark.noteChange,
  });
  const ownSteps = createSteps(engine, STEP_MS, options.onDamaged);
  const ownLedger = createLedger(ownSteps, options.limits);
  // Any step learns Redis's time.
  await ownLedger.nextDueAt();
  const presume = createPresumption(ownLedger, client, allowVolatile);
  // If replicas confirm each write, the one that takes over knows which texts were taken.
  const mayForget = replicas === 0 && !options.isOperator;
  if (mayForget) await presume(server);
  const steps = createPreparedSteps(ownSteps, mayForget ? presume : async () => {});
  // The new connection may lead to an older copy of the data, or to a replica without the latest commits.
  onReconnect(steps.forget);
  const { takeOver: _others, ...ledger } = createLedger(steps, options.limits);
  const store = createRedisRecords(client, { epoch, replicas });
  const { teamsWithOptOuts } = ledger;
  const records = createRecords({ store, cipher, teamsWithOptOuts, onDamaged: options.onDamaged });
  const tellVolatile = (error: unknown) => error instanceof StoreError && options.onVolatile?.(error);
  // If the check itself fails, the next reconnect checks again.
  if (!allowVolatile) onReconnect(() => void refuseVolatile(client).catch(tellVolatile));
  const scrub = redisScrub(client, options.onScrubRefused);
  opening.move();
  return {
    ledger,
    records,
    cipher,
    onReconnect,
    isOtherServer,
    sameServerForMs,
    isOldCopy: mark.isOldCopy,
    renewMark: mark.renew,
    scrub,
    close,
  };
}

/** Another replica than those that confirm a write may take over. It then does not know what was sent. */
function tooFewConfirm(all: number, confirm: number): StoreError {
  return unusable(
    `Redis has ${all} replicas, and only ${confirm} must have a write (REDIS_REPLICAS): if another one takes over, somebody may be texted twice.`,
  );
}

/**
 * Begins an empty ledger after Redis was emptied, on an operator's word. Records stay; every bot needs a new start.
 * @throws StoreError if Redis is out of reach
 */
export async function resetRedisStore({ url, dataDir }: { url: string; dataDir: string }): Promise<void> {
  using closing = new DisposableStack();
  const { client, close } = await connect(url);
  closing.defer(close);
  await resetLedger(client, { dataDir, format: REDIS_FORMAT });
}

/** How long Redis may take to begin a rewrite, in ms. Redis forks first, and a fork with much memory takes a while. */
const REWRITE_BEGINS_MS = 5000;
/** How long the bot looks for the end of a rewrite, in ms. If one takes longer, nobody hears whether it fails. */
const REWRITE_TAKES_MS = 300_000;
const LOOK_EVERY_MS = 500;
/** The least time between rewrites, in ms: Redis writes its whole file again, and copies every change meanwhile. */
const REWRITE_EVERY_MS = 86_400_000;

/** Makes Redis write its file again, without deleted data. A hosted Redis may refuse, since its host does that. */
function redisScrub(client: RedisClient, onRefused?: (error: unknown) => void): Scrub {
  let wasTold = false;
  function tell(error: unknown): void {
    if (!wasTold) onRefused?.(error);
    wasTold = true;
  }
  return {
    everyMs: REWRITE_EVERY_MS,
    async run(signal) {
      const ask = createAsk(client, 'rewrite', REWRITE_BEGINS_MS);
      try {
        await ask('BGREWRITEAOF');
      } catch (error) {
        const isUnderWay = error instanceof Error && /in progress/.test(error.message);
        if (isUnderWay || refusalOf(error) === undefined) return false;
        tell(error);
        return true;
      }
      if (!(await hasFailed(ask, signal))) return true;
      tell(new Error('Redis began to rewrite its file, and could not end it: its log says why.'));
      return false;
    },
  };
}

/** Whether the rewrite that has just begun fails, as on a full disk. */
async function hasFailed(ask: Ask, signal?: AbortSignal): Promise<boolean> {
  for (const until = performance.now() + REWRITE_TAKES_MS; performance.now() < until && !signal?.aborted; ) {
    const info = String(await ask('INFO', 'persistence').catch(() => ''));
    if (!/^aof_rewrite_(in_progress|scheduled):1/m.test(info))
      return /^aof_last_bgrewrite_status:err/m.test(info);
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
