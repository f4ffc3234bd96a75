import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { jsonOf } from './json-of.ts';
import type { Envelope } from './payloads.ts';
import { sign } from './signing.ts';

/** How long Slack waits for an acknowledgement, ms. Source: docs.slack.dev/interactivity/handling-user-interaction. */
export const ACK_TIMEOUT_MS = 3000;

/** Unusual ways to send a payload. Over Socket Mode, only `retry` has an effect. */
export interface DeliveryOptions {
  /** `wrong` signs with another secret, `missing` leaves the header out. */
  signature?: 'wrong' | 'missing';
  /** The request's signed timestamp says that it is this old, in seconds. */
  ageSeconds?: number;
  /** Changes the signed body. */
  tamper?: (body: string) => string;
  /** Makes the body longer by this many bytes, before signing. */
  padBytes?: number;
  /** Marks the request as one of Slack's retries. */
  retry?: { num: number; reason: 'http_timeout' | 'http_error' | 'timeout' };
}

/** The app's answer to a payload. */
export interface Ack {
  /** The HTTP status, or 200 for an acknowledged envelope; null if no answer came. */
  status: number | null;
  /** The body: JSON if it can be parsed, else text; '' if it is empty. */
  body: unknown;
  /** From the first byte sent to the answer, ms. */
  ms: number;
  /** The error that Slack shows the person: operation_timeout, dispatch_failed, or the fault in the body; else null. */
  toast: string | null;
}

function encode({ type, payload }: Envelope, padBytes: number): { body: string; contentType: string } {
  const padding = 'x'.repeat(padBytes);
  if (type === 'events_api') {
    const padded = padBytes > 0 ? { ...payload, padding } : payload;
    return { body: JSON.stringify(padded), contentType: 'application/json' };
  }
  const fields =
    type === 'slash_commands' ? (payload as Record<string, string>) : { payload: JSON.stringify(payload) };
  const body = new URLSearchParams(padBytes > 0 ? { ...fields, padding } : fields).toString();
  return { body, contentType: 'application/x-www-form-urlencoded' };
}

/** Posts a payload to the app as Slack does. Never rejects: `toast` says what went wrong. */
export async function deliverByHttp(
  url: string,
  secret: string,
  envelope: Envelope,
  options: DeliveryOptions = {},
): Promise<Ack> {
  const { body: signed, contentType } = encode(envelope, options.padBytes ?? 0);
  const timestamp = Math.floor(Date.now() / 1000) - (options.ageSeconds ?? 0);
  const key = options.signature === 'wrong' ? `not ${secret}` : secret;
  const body = Buffer.from(options.tamper ? options.tamper(signed) : signed);
  const headers: Record<string, string | number> = {
    'content-type': contentType,
    'content-length': body.length,
    accept: 'application/json,*/*',
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    'x-slack-request-timestamp': timestamp,
  };
  if (options.signature !== 'missing') headers['x-slack-signature'] = sign(key, timestamp, signed);
  if (options.retry) {
    headers['x-slack-retry-num'] = options.retry.num;
    headers['x-slack-retry-reason'] = options.retry.reason;
  }

  const start = performance.now();
  const signal = AbortSignal.timeout(ACK_TIMEOUT_MS);
  // A new connection each time: a kept-alive one to an app that has just restarted would fail.
  const sent = request(url, { method: 'POST', headers, agent: false, signal });
  sent.on('error', () => {});
  sent.end(body);
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const status = response.statusCode ?? null;
    const answer = await text(response);
    const json = jsonOf(answer);
    const toast = status === 200 ? null : 'dispatch_failed';
    return { status, body: json === undefined ? answer : json, toast, ms: performance.now() - start };
  } catch {
    const toast = signal.aborted ? 'operation_timeout' : 'dispatch_failed';
    return { status: null, body: '', toast, ms: performance.now() - start };
  }
}
