import { setTimeout as delay } from 'node:timers/promises';
import type { ApiKey } from './api-key.ts';
import { createStartGate } from './start-gate.ts';
import type { Exchange, Transport, TransportRequest } from './transport.ts';

/** Longest wait for the first host form's connection before the other one is tried beside it, in ms. */
const HOST_PATIENCE_MS = 2000;

/** Moments of `performance.now()` in ms. */
export type RequestLimits = {
  /** Nothing starts from here on. Default: the deadline. */
  startBy?: number;
  /** The answer is not awaited beyond this. Default: now plus the client's time-out. */
  deadline?: number;
};

/** One request to the service: the path below the base URL. With a `body`, which becomes JSON, it is a POST, else a GET. */
type ServiceRequest = { path: string; body?: unknown };

/**
 * Creates the function that makes one request over either host form ("What the service does": both serve the same
 * paths). At most one request is sent: both forms share one gate. If the first form cannot connect, we try the other
 * one at once. If the first form is only slow, we also try the other one: after half of the time to start, 2 s at most.
 * `baseUrls` are in order of preference, in the form of parseBaseUrl.
 */
export function createRequester(transport: Transport, baseUrls: string[], timeoutMs: number) {
  return async (key: ApiKey, request: ServiceRequest, limits: RequestLimits = {}): Promise<Exchange> => {
    const now = performance.now();
    const deadline = limits.deadline ?? now + timeoutMs;
    const gate = createStartGate(Math.min(limits.startBy ?? deadline, deadline));
    const [baseUrl, baseUrlAlt] = baseUrls;
    if (baseUrl === undefined || now >= gate.startBy) return { outcome: 'not_started', cause: 'too_late' };

    const first = transport.exchange(toTransport(key, request, baseUrl), gate, deadline);
    if (baseUrlAlt === undefined) return first;

    await endOrAfter(first, Math.min(HOST_PATIENCE_MS, (gate.startBy - now) / 2));
    if (gate.isTaken() || performance.now() >= gate.startBy) return first;

    const second = transport.exchange(toTransport(key, request, baseUrlAlt), gate, deadline);
    return outcomeOfStarted(first, second);
  };
}

/** Resolves once the exchange has ended, or after `ms`. */
async function endOrAfter(exchange: Promise<Exchange>, ms: number): Promise<void> {
  const patience = new AbortController();
  const over = delay(ms, undefined, { signal: patience.signal }).catch(() => undefined);
  await Promise.race([exchange, over]);
  patience.abort();
}

/** The outcome of the exchange that started; if neither did, of the one that ended last. */
async function outcomeOfStarted(first: Promise<Exchange>, second: Promise<Exchange>): Promise<Exchange> {
  const [ended, other] = await Promise.race([
    first.then((end) => [end, second] as const),
    second.then((end) => [end, first] as const),
  ]);
  return ended.outcome === 'not_started' ? other : ended;
}

function toTransport(key: ApiKey, { path, body }: ServiceRequest, baseUrl: string): TransportRequest {
  const { origin, pathname } = new URL(baseUrl);
  const target = { origin, path: pathname + path };
  const authorization = `Bearer ${key.reveal()}`;
  if (body === undefined) return { ...target, method: 'GET', headers: { authorization } };
  const headers = { authorization, 'content-type': 'application/json' };
  return { ...target, method: 'POST', headers, body: JSON.stringify(body) };
}
