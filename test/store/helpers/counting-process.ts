import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { countThings } from './counting.ts';

/** A process that counts in the given data folder, and prints each number, until a test kills it. */
const db = openDatabase(process.argv[2] as string);
await countThings(createSqliteEngine(db), (count) => process.stdout.write(`${count}\n`));
