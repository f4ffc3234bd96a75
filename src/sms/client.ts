import type { ApiKey } from './api-key.ts';
import { parseBaseUrl } from './base-url.ts';
import { checkedBulk, checkedMessage } from './input.ts';
import { readOutcome, type Success } from './read-outcome.ts';
import { createRequester, type RequestLimits } from './request.ts';
import type { Outcome } from './request-outcome-types.ts';
import {
  Balance,
  type BulkRequest,
  BulkResult,
  MAX_MESSAGE_CHARACTERS,
  type Message,
  SendResult,
  successOf,
} from './schema.ts';
import { createTransport } from './transport.ts';

const BALANCE: Success<Balance> = { status: 200, body: successOf(Balance) };
const SEND: Success<SendResult> = { status: 201, body: successOf(SendResult) };
const BULK: Success<BulkResult> = { status: 201, body: successOf(BulkResult) };

export type SmsClientOptions = {
  /** Where the service is; ends with /api/v1. Checked by parseBaseUrl, which throws BaseUrlError. */
  baseUrl: string;
  /** The service's other host form. It is tried if a request can't start over the first one. */
  baseUrlAlt?: string | undefined;
  /** Longest time that a request may take, in ms, if the caller gives no deadline. */
  timeoutMs: number;
  /** Longest text in a bulk request, in characters; the service documents none. Default 1000, as for a single one. */
  maxBulkCharacters?: number;
};

/**
 * The messaging credit service. Each call makes at most one request and resolves to its outcome, whatever the network or
 * the service does. If the service's rules forbid the input, the call rejects with SmsInputError before anything is sent.
 * The service's words in an outcome may be shown to the person who asked, but must not be logged.
 */
export type SmsClient = {
  /** Reads the credit balance (GET /user/balance). Safe to repeat, by the caller, since each costs a permit. */
  balance(key: ApiKey, limits?: RequestLimits): Promise<Outcome<Balance>>;
  /** Sends one text of 1 to 1000 characters (POST /messages/send). Never repeat after `unknown`. */
  send(key: ApiKey, message: Message, limits?: RequestLimits): Promise<Outcome<SendResult>>;
  /** Sends 1 to 100 texts in one request (POST /messages/send-bulk). Never repeat after `unknown`. */
  sendBulk(key: ApiKey, messages: readonly Message[], limits?: RequestLimits): Promise<Outcome<BulkResult>>;
  /** Waits for the calls in flight, which end at their deadlines, and frees the connections. Call nothing after. */
  close(): Promise<void>;
};

/** Creates the client. Throws BaseUrlError when an address cannot be used. Opens no connection by itself. */
export function createSmsClient(options: SmsClientOptions): SmsClient {
  const { baseUrl, baseUrlAlt, timeoutMs, maxBulkCharacters = MAX_MESSAGE_CHARACTERS } = options;
  const baseUrls = baseUrlAlt === undefined ? [baseUrl] : [baseUrl, baseUrlAlt];
  const transport = createTransport(timeoutMs);
  const request = createRequester(transport, baseUrls.map(parseBaseUrl), timeoutMs);
  const inFlight = new Set<Promise<unknown>>();

  function tracked<T>(call: Promise<T>): Promise<T> {
    inFlight.add(call);
    return call.finally(() => inFlight.delete(call));
  }

  return {
    async balance(key, limits = {}) {
      const exchange = await tracked(request(key, { method: 'GET', path: '/user/balance' }, limits));
      return readOutcome(exchange, BALANCE, key);
    },
    async send(key, message, limits = {}) {
      const body = checkedMessage(message, MAX_MESSAGE_CHARACTERS);
      const exchange = await tracked(request(key, { method: 'POST', path: '/messages/send', body }, limits));
      return readOutcome(exchange, SEND, key);
    },
    async sendBulk(key, messages, limits = {}) {
      const body: BulkRequest = { messages: checkedBulk(messages, maxBulkCharacters) };
      const exchange = await tracked(
        request(key, { method: 'POST', path: '/messages/send-bulk', body }, limits),
      );
      return readOutcome(exchange, BULK, key);
    },
    async close() {
      await Promise.allSettled(inFlight);
      await transport.close();
    },
  };
}
