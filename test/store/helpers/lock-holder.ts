import { lockDataDir } from '../../../src/store/sqlite/lock.ts';

/**
 * A process that locks the given data folder, says so, and stays until a test kills it. No variable refers to the lock,
 * and garbage is collected first (run with --expose-gc): the lock must hold all the same.
 */
lockDataDir(process.argv[2] as string, 0);
for (let i = 0; i < 3; i += 1) {
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
}
process.stdout.write('held\n');
setInterval(() => {}, 60_000);
