import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { countThings } from './counting.ts';

/** A process that counts in the data folder it is given, and says each number, until it is killed. */
const db = openDatabase(process.argv[2] as string);
await countThings(createSqliteEngine(db), (count) => process.stdout.write(`${count}\n`));
