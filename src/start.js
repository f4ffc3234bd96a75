import { existsSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

// The first file that runs, and the only one in JavaScript. This file turns on the compile cache, so Node can't take it from
// there. Files in the cache don't need the parser that strips the types from TypeScript. That parser costs 15 MB for as
// long as the bot runs, and a tenth of a start.

// Only the bot's own account may read the files that it writes, even in a folder that others may enter.
process.umask(0o077);
try {
  if (existsSync('.env')) process.loadEnvFile();
} catch {
  // src/main.ts reads it again, and says what is wrong.
}
const dataDir = process.env.DATA_DIR?.trim() || './data';
if (existsSync(dataDir) && !process.env.NODE_COMPILE_CACHE) cacheIn(join(dataDir, 'compile-cache'));
await import('./main.ts');
// From here on, V8 collects garbage once the heap has grown by 60 %. Earlier, that would cost a tenth of the start.
setFlagsFromString('--heap-growing-percent=60');

/** Without the cache, the start only takes longer. If the folder can't be used, the store says what is wrong with it. */
function cacheIn(folder) {
  try {
    // On a file system that answers ENOENT to every mkdir, such as /proc, Node itself would try for ever.
    if (!existsSync(folder)) mkdirSync(folder);
  } catch {
    return;
  }
  enableCompileCache(folder);
}
