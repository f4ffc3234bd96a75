import { once } from 'node:events';
import { connect } from 'node:net';
import type { RedisClient } from '../../../src/store/redis/connect.ts';

/**
 * A connection to Redis without a library, since a library takes most of a short process's start. When `sendCommand`
 * returns, the kernel has the command. A lost connection is not opened again.
 * (redis.io/docs/latest/develop/reference/protocol-spec)
 */
export async function connectBare(url: string): Promise<RedisClient> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  const waiting: { asBytes: boolean; resolve(reply: unknown): void; reject(error: Error): void }[] = [];
  let unread = Buffer.alloc(0);
  socket.on('data', (data) => {
    unread = Buffer.concat([unread, data]);
    let reply = read(unread, 0, waiting[0]?.asBytes);
    while (reply) {
      unread = unread.subarray(reply.next);
      const asker = waiting.shift();
      if (reply.value instanceof Error) asker?.reject(reply.value);
      else asker?.resolve(reply.value);
      reply = read(unread, 0, waiting[0]?.asBytes);
    }
  });
  return {
    sendCommand(args, options) {
      const words = args.flatMap((arg) => [`$${Buffer.byteLength(arg)}\r\n`, arg, '\r\n']);
      const parts = [`*${args.length}\r\n`, ...words].map((part) => Buffer.from(part));
      socket.write(Buffer.concat(parts));
      return new Promise((resolve, reject) =>
        waiting.push({ asBytes: options !== undefined, resolve, reject }),
      );
    },
  };
}

/** The reply that begins at `at`, and where the next one begins; undefined if bytes are missing. */
function read(from: Buffer, at: number, asBytes = false): { value: unknown; next: number } | undefined {
  const end = from.indexOf('\r\n', at);
  if (end === -1) return undefined;
  const kind = from.toString('latin1', at, at + 1);
  const line = from.toString('utf8', at + 1, end);
  let next = end + 2;
  if (kind === '+') return { value: line, next };
  if (kind === '-') return { value: new Error(line), next };
  if (kind === ':') return { value: Number(line), next };
  const length = Number(line);
  if (length === -1) return { value: null, next };
  if (kind === '$') {
    const over = next + length;
    if (from.length < over + 2) return undefined;
    const bytes = from.subarray(next, over);
    return { value: asBytes ? bytes : bytes.toString(), next: over + 2 };
  }
  const value: unknown[] = [];
  while (value.length < length) {
    const item = read(from, next, asBytes);
    if (!item) return undefined;
    value.push(item.value);
    next = item.next;
  }
  return { value, next };
}
