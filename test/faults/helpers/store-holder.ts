import { DatabaseSync } from 'node:sqlite';

/** A program that locks the given database, says so, and unlocks it when its input ends. */
const db = new DatabaseSync(process.argv[2] as string, { timeout: 20_000 });
db.exec('BEGIN EXCLUSIVE');
process.stdout.write('held\n');
process.stdin.resume();
process.stdin.on('end', () => {
  db.exec('ROLLBACK');
  db.close();
});
