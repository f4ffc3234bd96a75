import { parentPort, workerData } from 'node:worker_threads';
import { parse } from 'csv-parse/sync';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** The least that reading a list takes: its CSV, and each of its numbers. In a thread, as in the bot. */
const rows = parse(Buffer.from(workerData as Uint8Array), { from: 2 }) as string[][];
const valid = rows.filter(([phone = '']) => parsePhoneNumberFromString(phone)?.isValid());
parentPort?.postMessage(valid.length);
