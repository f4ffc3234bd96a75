import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** A server that records each byte and each connection. */
export type RawServer = {
  url: string;
  port: number;
  /** Connections accepted so far. */
  connections: number;
  /** Whole requests, head and body, in order of arrival. */
  requests: string[];
  /** All that arrived, also of incomplete requests. */
  received: string;
  close(): Promise<void>;
};

type Handlers = {
  /** Called with each whole request. */
  onRequest?: (socket: Socket, request: string) => void;
  onConnection?: (socket: Socket) => void;
};

/** Starts the server on a free loopback port. The server itself answers nothing. */
export async function startRawServer(handlers: Handlers = {}): Promise<RawServer> {
  const server = createServer();
  const state = { connections: 0, requests: [] as string[], received: '' };
  const closeAll = watch(server, 'connection', state, handlers);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return Object.assign(state, {
    url: `http://127.0.0.1:${address.port}/api/v1`,
    port: address.port,
    close: closeAll,
  });
}

/** Records what arrives on a server's sockets; returns a function that closes the server and its sockets. */
export function watch(
  server: Server,
  event: 'connection' | 'secureConnection',
  state: { connections: number; requests: string[]; received: string },
  handlers: Handlers,
): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on(event, (socket: Socket) => {
    state.connections += 1;
    socket.on('error', () => {});
    handlers.onConnection?.(socket);
    let pending = '';
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      state.received += text;
      pending += text;
      const end = wholeRequest(pending);
      if (end === undefined) return;
      const request = pending.slice(0, end);
      pending = pending.slice(end);
      state.requests.push(request);
      handlers.onRequest?.(socket, request);
    });
  });
  return async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
}

function wholeRequest(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = /content-length: (\d+)/i.exec(text.slice(0, head));
  const end = head + 4 + Number(length?.[1] ?? 0);
  return text.length >= end ? end : undefined;
}
