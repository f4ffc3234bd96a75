import { parentPort, workerData } from 'node:worker_threads';
import { openForCommand } from '../../../src/data/embedded.ts';
import { LIMITS } from '../../helpers/ledger-fixtures.ts';

/*
 * An operator's command in a thread of its own: it stands still while it waits for the database. Says that it begins,
 * then why it was refused.
 */
parentPort?.postMessage('begins');
const options = { dataDir: workerData, encryptionKeys: [Buffer.alloc(32)], limits: LIMITS, onDamaged() {} };
await openForCommand(options).then(
  (store) => {
    store.close();
    parentPort?.postMessage('not refused');
  },
  ({ message }) => parentPort?.postMessage(message),
);
