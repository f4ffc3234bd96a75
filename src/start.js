import { existsSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

// The first file that runs, and the only one in JavaScript. What is cached comes without the parser that takes the types
// out of TypeScript: it costs 15 MB for as long as the bot runs, and a tenth of a start. The file that turns the cache on
// can't come from it.

// Only the bot's own account can read what it writes, even in a folder that others may enter.
process.umask(0o077);
if (existsSync('.env')) process.loadEnvFile();
const dataDir = process.env.DATA_DIR?.trim() || './data';
if (existsSync(dataDir) && !process.env.NODE_COMPILE_CACHE) cacheIn(join(dataDir, 'compile-cache'));
await import('./main.ts');
// From here on V8 collects once the heap has grown by 30 %. While the files load that would cost a tenth of the start.
setFlagsFromString('--heap-growing-percent=30');

/** A cache that can't be had costs time, not the start: the store says what is wrong with the folder. */
function cacheIn(folder) {
  try {
    // Where a file system answers ENOENT to every mkdir, as /proc does, Node itself would try for ever.
    if (!existsSync(folder)) mkdirSync(folder);
  } catch {
    return;
  }
  enableCompileCache(folder);
}
