import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** `fetch` and browsers refuse port 10080, so we start above it. Outgoing connections use the ports above the end. */
const FIRST = 10_081;
const END = 32_000;

/**
 * A port of this machine that nothing listens on. The system never picks a port from this range by
 * itself, so no other program gets the port by chance, neither before a server listens there nor while it starts again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
}

/** Whether nothing listens on this port. */
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
