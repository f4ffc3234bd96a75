import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import type { Changes } from './changes.ts';
import { ACK_TIMEOUT_MS, type Ack, type DeliveryOptions } from './http-delivery.ts';
import { jsonOf } from './json-of.ts';
import type { Envelope } from './payloads.ts';
import type { Json } from './types.ts';

/** The code of the WebSocket protocol for a server that stops. */
const GOING_AWAY = 1001;

const Acknowledgement = z.object({ envelope_id: z.string(), payload: z.unknown().optional() });

/** Why Slack asks the app to disconnect; `link_disabled`: Socket Mode is turned off. */
export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled';

/** Socket Mode. Source: docs.slack.dev/apis/events-api/using-socket-mode. */
export type SocketHub = ReturnType<typeof createSocketHub>;

export function createSocketHub(appId: string, changes: Changes) {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const open = new Set<WebSocket>();
  const waiting = new Map<string, (payload: unknown) => void>();
  let turn = 0;

  const debug = { host: 'playground', started: new Date().toISOString(), build_number: 1 };
  const say = (socket: WebSocket, message: Json) => socket.send(JSON.stringify(message));

  function hear(raw: string): void {
    const { data } = Acknowledgement.safeParse(jsonOf(raw));
    if (!data) return;
    waiting.get(data.envelope_id)?.(data.payload);
    waiting.delete(data.envelope_id);
  }

  function welcome(socket: WebSocket): void {
    open.add(socket);
    socket.on('message', (data) => hear(String(data)));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      open.delete(socket);
      changes.emit({ kind: 'socket', connections: open.size });
    });
    const connection_info = { app_id: appId };
    say(socket, { type: 'hello', num_connections: open.size, connection_info, debug_info: debug });
    changes.emit({ kind: 'socket', connections: open.size });
  }

  /** The connection for the next envelope. Like Slack, takes all of them in turn. */
  function next(): WebSocket | undefined {
    const live = [...open].filter((socket) => socket.readyState === socket.OPEN);
    turn += 1;
    return live[turn % live.length];
  }

  return {
    /** Makes a ticket for one connection; the address has it in its query. */
    ticket(): string {
      const ticket = randomBytes(16).toString('hex');
      tickets.add(ticket);
      return ticket;
    },

    /** Handles an upgrade request to /link. An unknown or used ticket, or any other path, gets 401. */
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      const url = URL.parse(request.url ?? '/', 'http://localhost');
      if (url?.pathname !== '/link' || !tickets.delete(url.searchParams.get('ticket') ?? '')) {
        socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, welcome);
    },

    connections: () => open.size,

    /** Sends an envelope and waits for its acknowledgement, 3 s at most. Never rejects. */
    async deliver({ type, payload }: Envelope, options: DeliveryOptions = {}): Promise<Ack> {
      const socket = next();
      if (!socket) return { status: null, body: '', ms: 0, toast: 'dispatch_failed' };
      const envelope_id = randomUUID();
      const { promise, resolve } = Promise.withResolvers<Omit<Ack, 'ms'>>();
      const start = performance.now();
      waiting.set(envelope_id, (body) => {
        const empty =
          body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);
        resolve({ status: 200, body: empty ? '' : body, toast: null });
      });
      const timer = setTimeout(() => {
        waiting.delete(envelope_id);
        resolve({ status: null, body: '', toast: 'operation_timeout' });
      }, ACK_TIMEOUT_MS);
      const retry = options.retry
        ? { retry_attempt: options.retry.num, retry_reason: options.retry.reason }
        : type === 'events_api'
          ? { retry_attempt: 0, retry_reason: '' }
          : {};
      say(socket, { envelope_id, type, payload, accepts_response_payload: type !== 'events_api', ...retry });
      const ack = await promise;
      clearTimeout(timer);
      return { ...ack, ms: performance.now() - start };
    },

    /** Asks the app to close every connection, as Slack does to renew them; `drop` cuts them instead. */
    disconnect(reason: DisconnectReason | 'drop'): void {
      for (const socket of open) {
        if (reason === 'drop') socket.terminate();
        else say(socket, { type: 'disconnect', reason, debug_info: debug });
      }
    },

    /** Closes every connection in order: an app that has just stopped would wait long for a connection that is cut. */
    close(): void {
      for (const socket of open) socket.close(GOING_AWAY);
      server.close();
    },
  };
}
