import { Agent, request } from 'undici';

/** What the sandbox answered; `json` is null if the body is not JSON. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies that have no type.
  json: any;
}

export const ACME = 'sandbox-key-acme-0001';
export const BIRCH = 'sandbox-key-birch-0002';

/** Each request gets its own connection, so that no test uses another test's. */
const agent = new Agent({ pipelining: 0, allowH2: false });

interface CallOptions {
  key?: string | null;
  headers?: Record<string, string>;
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown;
  signal?: AbortSignal;
}

/** Makes one request with a key (Acme's by default; null: none) and reads the whole answer. */
export async function call(method: string, url: string, options: CallOptions = {}): Promise<Answer> {
  const { key = ACME, headers = {}, body, signal } = options;
  const {
    statusCode,
    headers: received,
    body: stream,
  } = await request(url, {
    dispatcher: agent,
    method: method as 'GET',
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  const text = await stream.text();
  return { status: statusCode, headers: received, text, json: jsonOrNull(text) };
}

/** A text to a number. */
export function aMessage(overrides: { phone?: unknown; message?: unknown } = {}): object {
  return { phone: '442079460958', message: 'Hello', ...overrides };
}

/** A bulk body of `count` messages, each to another number. */
export function aBulk(count: number): { messages: object[] } {
  const messages = Array.from({ length: count }, (_, n) => aMessage({ phone: String(442079460000 + n) }));
  return { messages };
}

/** The calls that most tests make. */
export function callsTo({ url }: { url: string }) {
  return {
    balance: (options?: CallOptions) => call('GET', `${url}/user/balance`, options),
    send: (options?: CallOptions) => call('POST', `${url}/messages/send`, { body: aMessage(), ...options }),
    bulk: (options?: CallOptions) =>
      call('POST', `${url}/messages/send-bulk`, { body: aBulk(2), ...options }),
  };
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
