import { Agent, type Dispatcher } from 'undici';
import { answerFailure, connectFailure } from './connection-failure.ts';
import type { NotStarted, Unknown, UnknownCause } from './request-outcome-types.ts';
import type { StartGate } from './start-gate.ts';

/** Largest body that is read, in bytes. The longest documented answer, 100 messages, has about 10,000. */
const MOST_BODY_BYTES = 1_000_000;

export type TransportRequest = {
  origin: string;
  path: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
};

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What happened on the wire: a whole answer, no start at all, or a start whose answer was lost. */
export type Exchange =
  | { outcome: 'answered'; status: number; headers: ResponseHeaders; body: string }
  | NotStarted
  | Unknown;

export type Transport = ReturnType<typeof createTransport>;

/**
 * Creates the transport. Every POST has a fresh connection: on a kept-alive one a server's idle cut-off looks like a
 * request that started. A GET may be repeated, so GETs share connections. HTTP/2 is off, since there a POST
 * can be replayed below us. Time-outs of the library come late, so the deadlines are kept here.
 */
export function createTransport(connectTimeoutMs: number) {
  const options = {
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeoutMs },
  };
  const agents = { POST: new Agent({ ...options, pipelining: 0 }), GET: new Agent(options) };
  return {
    /**
     * Writes one request, a POST on a connection of its own, once the gate lets it, and never again. Never rejects. Ends
     * at `deadline` (ms of `performance.now()`) whatever the network does. The body of a 429 or a redirect is not
     * awaited.
     */
    exchange: (request: TransportRequest, gate: StartGate, deadline: number) =>
      exchange(agents[request.method], request, gate, deadline),
    /** Cuts every connection. */
    async close() {
      await Promise.all([agents.POST.destroy(), agents.GET.destroy()]);
    },
  };
}

function exchange(
  dispatcher: Dispatcher,
  request: TransportRequest,
  gate: StartGate,
  deadline: number,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const secure = request.origin.startsWith('https:');
    const chunks: Buffer[] = [];
    let bytes = 0;
    let started: Dispatcher.DispatchController | undefined;
    let answer: { status: number; headers: ResponseHeaders } | undefined;
    let settled = false;

    const settle = (result: Exchange) => {
      if (settled) return;
      settled = true;
      clearTimeout(startTimer);
      clearTimeout(deadlineTimer);
      resolve(result);
    };
    const lose = (cause: UnknownCause) =>
      settle({ outcome: 'unknown', cause, ...(answer && { status: answer.status }) });
    const drop = () => started?.abort(new Error('The bot stopped waiting for this answer.'));

    const startTimer = setTimeout(() => {
      if (started === undefined) settle({ outcome: 'not_started', cause: 'connect_timeout' });
    }, gate.startBy - performance.now());
    const deadlineTimer = setTimeout(() => {
      // On a busy event loop, the timer can fire before Node reads an answer that has arrived: one more turn reads it.
      setImmediate(() => {
        if (settled) return;
        if (started === undefined) settle({ outcome: 'not_started', cause: 'connect_timeout' });
        else lose('timeout');
        drop();
      });
    }, deadline - performance.now());

    dispatcher.dispatch(request, {
      // Called when the connection is ready, before the first byte is written; after an abort here, none is written.
      onRequestStart(controller) {
        if (settled || started !== undefined || !gate.claim()) {
          if (started === undefined) settle({ outcome: 'not_started', cause: 'too_late' });
          controller.abort(new Error('The request may no longer start.'));
          return;
        }
        started = controller;
      },
      onResponseStart(_controller, status, headers) {
        if (status < 200) return;
        answer = { status, headers };
        if (status === 429 || (status >= 300 && status < 400)) {
          settle({ outcome: 'answered', status, headers, body: '' });
          drop();
        }
      },
      onResponseData(_controller, chunk) {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > MOST_BODY_BYTES) {
          lose('unreadable');
          drop();
        }
      },
      onResponseEnd() {
        if (answer !== undefined) {
          settle({ outcome: 'answered', ...answer, body: Buffer.concat(chunks).toString('utf8') });
        }
      },
      onResponseError(_controller, error) {
        if (started === undefined) settle({ outcome: 'not_started', ...connectFailure(error, secure) });
        else lose(answerFailure(error, answer !== undefined));
      },
    });
  });
}
