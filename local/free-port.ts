import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Above 10080, which `fetch` and browsers refuse, and below the ports that systems give to outgoing connections. */
const FIRST = 10_081;
const END = 32_000;

/**
 * A port of this machine that nothing listens on. Systems never choose one from this range, so no other program gets it
 * by chance before the bot listens there.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
}

/** Whether nothing listens on this port; 0 is always free. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}
