import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Books, RequestRecord } from './books.ts';
import { createContract } from './contract.ts';
import type { Endpoint, Fault, FaultQueue } from './faults.ts';
import type { RateWindows } from './rate.ts';
import { createReplies, type Replies, type Reply } from './replies.ts';
import type { Switches } from './switches.ts';
import { bodyOf, give, giveHalf, hold, holdOpen } from './wire.ts';

/** The path above every endpoint; it has the version ("Versioning"). */
export const BASE_PATH = '/api/v1';

const routes: Record<string, { endpoint: Endpoint; method: string }> = {
  [`${BASE_PATH}/user/balance`]: { endpoint: 'balance', method: 'GET' },
  [`${BASE_PATH}/messages/send`]: { endpoint: 'send', method: 'POST' },
  [`${BASE_PATH}/messages/send-bulk`]: { endpoint: 'bulk', method: 'POST' },
};

/** A request, its answer and its record. The signal aborts if the sandbox must drop the request. */
interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  record: RequestRecord;
  signal: AbortSignal;
}

/** Handles requests of the service's interface from their arrival to their end on the wire, faults included. */
export function createRequestHandler(
  books: Books,
  faults: FaultQueue,
  windows: RateWindows,
  switches: () => Switches,
) {
  const replies = createReplies(switches);
  const contract = createContract(books, replies, switches);
  let dropping = newDropping();

  /** Answers one request and records it in the books. Never rejects. */
  async function handle(
    req: IncomingMessage,
    res: ServerResponse,
    host: RequestRecord['host'],
  ): Promise<void> {
    const record = newRecord(books, req, host);
    const exchange = { req, res, record, signal: dropping.signal };
    books.noteRequest(record);
    res.on('close', () => books.noteAnswer(record));
    try {
      await serve(exchange);
    } catch (error) {
      const clientLeft = req.errored !== null || res.closed;
      if (clientLeft || exchange.signal.aborted || res.headersSent) req.socket.destroy();
      else answer(exchange, replies.failure(500, 'SERVER_ERROR', `The sandbox itself failed: ${error}`));
    }
  }

  async function serve(exchange: Exchange): Promise<void> {
    const { req, res, record, signal } = exchange;
    if (record.endpoint === null) return answerAndPart(exchange, noSuchEndpoint(replies, record.path));
    // Decide both at the arrival, before a slow body can change the order.
    const overRateMs = countForRate(record);
    const fault = faults.take(record.endpoint);
    record.fault = fault?.kind ?? null;

    const body = await bodyOf(req);
    if (body === null) {
      return answerAndPart(exchange, replies.failure(413, 'PAYLOAD_TOO_LARGE', 'The request is too large.'));
    }
    const before = fault !== null && 'when' in fault && fault.when === 'before';
    if (before) await hold(fault.ms, signal);
    signal.throwIfAborted();
    const key = keyOf(req);
    const contentType = req.headers['content-type'];
    const noCredits = fault?.kind === 'no_credits';
    const call = { endpoint: record.endpoint, key, contentType, body, overRateMs, noCredits, record };
    const unprocessed = fault && unprocessedReply(fault, before);
    const reply = unprocessed ?? contract.answer(call);
    if (fault && !before) await hold(fault.ms, signal);
    if (!res.closed) await end(exchange, fault, reply);
  }

  function countForRate({ key, monotonicMs }: RequestRecord): number | null {
    if (key === null || books.instanceOf(key)?.revoked) return null;
    // Fixed windows are aligned to the time of day, by a clock that never goes back.
    return windows.arrive(key, performance.timeOrigin + monotonicMs);
  }

  /** The answer if the fault comes before the processing; null if the contract processes the request. */
  function unprocessedReply(fault: Fault, before: boolean): Reply | null {
    if (fault.kind === 'rate_limited') return replies.tooFast(switches().rateWindowMs);
    if (fault.kind === 'key_revoked') return replies.invalidKey();
    return before && fault.kind !== 'delay' ? replies.serverError() : null;
  }

  async function end(exchange: Exchange, fault: Fault | null, reply: Reply): Promise<void> {
    const { req, res, record, signal } = exchange;
    switch (fault?.kind) {
      case 'reset':
        req.socket.resetAndDestroy();
        return;
      case 'hang':
        return holdOpen(res, signal);
      case 'truncate':
      case 'stall':
        record.status = reply.status;
        await giveHalf(reply, res);
        if (fault.kind === 'stall') return holdOpen(res, signal);
        req.socket.end();
        return;
      case 'garbage':
        return answer(exchange, { ...reply, body: '{"success": tru\u0000 <!-- not JSON' });
      case 'server_error':
        return answer(exchange, replies.serverError());
      case 'bad_gateway':
        return answer(exchange, replies.badGateway());
      case 'answer':
        return answer(exchange, fault);
      default:
        return answer(exchange, reply);
    }
  }

  function answer({ res, record }: Exchange, reply: Reply): void {
    record.status = reply.status;
    give(reply, res);
  }

  /** Closes the connection too: the body was not read to its end, so no other request can follow it. */
  function answerAndPart(exchange: Exchange, reply: Reply): void {
    answer(exchange, { ...reply, headers: { ...reply.headers, Connection: 'close' } });
  }

  return {
    handle,
    /** Cuts every request that a fault holds. None of them is processed or answered later. */
    dropHeld(): void {
      dropping.abort();
      dropping = newDropping();
    },
  };
}

/** The record of a request that has just arrived. */
function newRecord(books: Books, req: IncomingMessage, host: RequestRecord['host']): RequestRecord {
  const method = req.method ?? '';
  const path = (req.url ?? '').replace(/\?.*$/s, '');
  const route = routes[path];
  const key = keyOf(req);
  const instance = key === null ? null : books.instanceOf(key);
  return {
    id: books.countRequest(),
    at: Date.now(),
    monotonicMs: performance.now(),
    host,
    method,
    path,
    endpoint: route?.method === method ? route.endpoint : null,
    key: instance?.key ?? null,
    instance: instance?.name ?? null,
    fault: null,
    status: null,
    open: true,
    creditsCharged: 0,
    messagesSent: 0,
  };
}

function noSuchEndpoint(replies: Replies, path: string): Reply {
  const route = routes[path];
  if (!route) return replies.failure(404, 'NOT_FOUND', 'There is nothing at this path.');
  const reply = replies.failure(405, 'METHOD_NOT_ALLOWED', `This path takes ${route.method} only.`);
  return { ...reply, headers: { ...reply.headers, Allow: route.method } };
}

/** The key of `Authorization: Bearer <API_KEY>`, or null ("Authentication"). */
function keyOf(req: IncomingMessage): string | null {
  return /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? null;
}

function newDropping(): AbortController {
  const controller = new AbortController();
  // Any number of requests may hang at once.
  setMaxListeners(0, controller.signal);
  return controller;
}
