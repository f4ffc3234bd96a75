import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a Redis that delays each message by `ms`, so the moments between two steps are as long. */
export async function createSlowLine(to: string, ms: number): Promise<{ url: string; close(): void }> {
  const { hostname, port } = new URL(to);
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    const onward = connect(Number(port), hostname);
    for (const [from, into] of [
      [incoming, onward],
      [onward, incoming],
    ] as const) {
      open.add(from);
      from.on('error', () => undefined);
      // If its sender is killed, a sent message still arrives, as on any connection.
      from.on('data', (data) => setTimeout(() => into.write(data), ms));
      from.on('close', () => setTimeout(() => into.destroy(), ms + 1));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
