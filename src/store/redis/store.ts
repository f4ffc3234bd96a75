import { randomBytes } from 'node:crypto';
import { type Cipher, createCipher } from '../encryption.ts';
import type { LedgerLimits } from '../ledger.ts';
import { createRecords, FINGERPRINT_SECRET } from '../records.ts';
import type { RecordsOptions, Store } from '../store.ts';
import { createRedisCommit } from './commit.ts';
import { type Connection, connect } from './connect.ts';
import { epochKey, expectEpoch, findEpoch, resetLedger } from './epoch.ts';
import { refuseHalfMoved } from './half-moved.ts';
import { createRedisKeyv, keysKey, recordKey } from './keyv.ts';
import { createRedisLedger } from './ledger.ts';
import { LEDGER_PREFIX, PREFIX } from './prefix.ts';
import { refuseVolatile } from './refuse-volatile.ts';
import { createRunner, STEP_MS } from './run.ts';
import { within } from './within.ts';

/** Where the shared store is. `dataDir` holds nothing but the name of the store that was seen before. */
export interface RedisOptions extends RecordsOptions {
  url: string;
  /** Take a Redis that may forget: a power cut can then text somebody twice. */
  allowVolatile: boolean;
  limits: LedgerLimits;
}

/**
 * Opens the shared store for one of any number of bots. Nothing is taken over: what a dead bot held is found by its
 * deadlines.
 * @throws StoreError where Redis can't be reached, may forget, was emptied, or was written by a newer version
 */
export async function openRedisStore(options: RedisOptions): Promise<Store> {
  const cipher = createCipher(options.encryptionKeys);
  const connection = await connect(options.url);
  const { client } = connection;
  try {
    if (!options.allowVolatile) await refuseVolatile(client);
    await refuseHalfMoved(client);
    const epoch = await findEpoch(client, LEDGER_PREFIX, options.dataDir);
    await makeFingerprintSecret(connection, cipher);
    const runner = createRunner({ client, prefix: LEDGER_PREFIX, epoch });
    const ledger = createRedisLedger(runner, options.limits);
    // The first step teaches the clock.
    await ledger.nextDue();
    const checkStore = () => expectEpoch(client, LEDGER_PREFIX, epoch);
    const records = createRecords({
      storeFor: (namespace) => createRedisKeyv(connection, { prefix: PREFIX, namespace, checkStore }),
      commit: createRedisCommit(client, { prefix: PREFIX, epochKey: epochKey(LEDGER_PREFIX), epoch }),
      cipher,
      onDamaged: options.onDamaged,
    });
    const { onReconnect } = connection;
    return { ledger, records, cipher, onReconnect, close: () => connection.close() };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Begins anew after the store was emptied, on an operator's word. Records stay; every bot must be started again.
 * @throws StoreError where Redis can't be reached
 */
export async function resetRedisStore({ url, dataDir }: { url: string; dataDir: string }): Promise<void> {
  const connection = await connect(url);
  try {
    await resetLedger(connection.client, LEDGER_PREFIX, dataDir);
  } finally {
    connection.close();
  }
}

/** Makes the secret that keys are fingerprinted with, once: of several bots that start together, one writes it. */
async function makeFingerprintSecret({ client }: Connection, cipher: Cipher): Promise<void> {
  const { namespace, key: name } = FINGERPRINT_SECRET;
  const sealed = cipher.seal(randomBytes(32).toString('base64'), `${namespace}/${name}`);
  const value = JSON.stringify({ value: { sealed } });
  const key = recordKey(PREFIX, namespace, name);
  await within(STEP_MS, 'start', client.sendCommand(['ZADD', keysKey(PREFIX, namespace), '0', name]));
  await within(STEP_MS, 'start', client.sendCommand(['SET', key, value, 'NX']));
}
