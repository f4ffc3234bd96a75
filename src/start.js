import { enableCompileCache } from 'node:module';

// The first file that runs, and the only one in JavaScript. What is cached comes without the parser that takes the types
// out of TypeScript: it costs 15 MB for as long as the bot runs, and a tenth of a start. The file that turns the cache on
// can't come from it.
enableCompileCache();
await import('./main.ts');
