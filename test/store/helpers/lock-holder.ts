import { lockDataDir } from '../../../src/store/sqlite/lock.ts';

/**
 * A process that holds the lock of the data folder it is given, says so, and stays until it is killed. It keeps no
 * reference to the lock and collects its garbage first (run it with --expose-gc): the lock must not depend on that.
 */
lockDataDir(process.argv[2] as string, 0);
for (let i = 0; i < 3; i += 1) {
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
}
process.stdout.write('held\n');
setInterval(() => {}, 60_000);
