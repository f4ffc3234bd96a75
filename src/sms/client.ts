import type { ApiKey } from './api-key.ts';
import { parseBaseUrl } from './base-url.ts';
import { checkedBulk, checkedMessage } from './input.ts';
import { type Endpoint, readOutcome } from './read-outcome.ts';
import { createRequester, type RequestLimits } from './request.ts';
import type { Outcome } from './request-outcome-types.ts';
import { Balance, BulkResult, MESSAGE_MAX, type Message, SendResult } from './schema.ts';
import { createTransport } from './transport.ts';

const BALANCE = { name: 'balance', path: '/user/balance', status: 200, data: Balance } as const;
const SEND = { name: 'send', path: '/messages/send', status: 201, data: SendResult } as const;
const BULK = { name: 'send_bulk', path: '/messages/send-bulk', status: 201, data: BulkResult } as const;

type SmsClientOptions = {
  /** Where the service is; ends with /api/v1. Checked by parseBaseUrl. */
  baseUrl: string;
  /** The service's other host form, for requests that can't start over the first one. */
  baseUrlAlt?: string | undefined;
  /** Longest time that a request may take, in ms, if the caller gives no deadline. */
  timeoutMs: number;
  /** Longest text in a bulk request, in characters; the service documents none. Default 1000, as for a single one. */
  maxBulkCharacters?: number;
  /** Called with the outcome of each request, and how long it took. */
  onCall?: ((call: { endpoint: string; outcome: string; seconds: number }) => void) | undefined;
};

export type SmsClient = ReturnType<typeof createSmsClient>;

/**
 * The messaging credit service. Each call makes at most one request and resolves to its outcome, whatever the network
 * or the service does. If the service's rules forbid the input, the call rejects with SmsInputError before anything is
 * sent. You may show the service's words in an outcome to the person who asked, but must not log them. Opens no
 * connection by itself.
 * @throws Error if an address can't be used
 */
export function createSmsClient(options: SmsClientOptions) {
  const { baseUrl, baseUrlAlt, timeoutMs, maxBulkCharacters = MESSAGE_MAX } = options;
  const baseUrls = baseUrlAlt === undefined ? [baseUrl] : [baseUrl, baseUrlAlt];
  const transport = createTransport(timeoutMs);
  const request = createRequester(transport, baseUrls.map(parseBaseUrl), timeoutMs);
  const inFlight = new Set<Promise<unknown>>();

  async function ask<Data>(
    key: ApiKey,
    endpoint: Endpoint<Data>,
    limits?: RequestLimits,
    body?: unknown,
  ): Promise<Outcome<Data>> {
    const begun = performance.now();
    const call = request(key, { path: endpoint.path, body }, limits);
    inFlight.add(call);
    const outcome = readOutcome(await call.finally(() => inFlight.delete(call)), endpoint, key);
    const seconds = (performance.now() - begun) / 1000;
    options.onCall?.({ endpoint: endpoint.name, outcome: outcome.outcome, seconds });
    return outcome;
  }

  return {
    /** Reads the credit balance (GET /user/balance). Callers may repeat it, but each call costs a permit. */
    balance: (key: ApiKey, limits?: RequestLimits) => ask(key, BALANCE, limits),
    /** Sends one text of 1 to 1000 characters (POST /messages/send). Never repeat after `unknown`. */
    async send(key: ApiKey, message: Message, limits?: RequestLimits) {
      return ask(key, SEND, limits, checkedMessage(message, MESSAGE_MAX));
    },
    /** Sends 1 to 100 texts in one request (POST /messages/send-bulk). Never repeat after `unknown`. */
    async sendBulk(key: ApiKey, messages: readonly Message[], limits?: RequestLimits) {
      return ask(key, BULK, limits, { messages: checkedBulk(messages, maxBulkCharacters) });
    },
    /** Waits for the calls in flight, which end at their deadlines, and frees the connections. Call nothing after. */
    async close() {
      await Promise.allSettled(inFlight);
      await transport.close();
    },
  };
}
