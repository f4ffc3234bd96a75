import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Told } from './payloads.ts';
import { sign } from './signing.ts';

/** Slack waits this long for an acknowledgement, ms. Source: docs.slack.dev/interactivity/handling-user-interaction. */
export const ACK_TIMEOUT_MS = 3000;

/** Ways to send a payload other than the right one. Over Socket Mode only `retry` has a meaning. */
export interface DeliveryOptions {
  /** `wrong` signs with another secret, `missing` leaves the header out. */
  signature?: 'wrong' | 'missing';
  /** The request says that it is this many seconds old, and is signed so. */
  ageSeconds?: number;
  /** Changes the body after it was signed. */
  tamper?: (body: string) => string;
  /** Makes the signed body longer by this many bytes. */
  padBytes?: number;
  /** Marks the request as one of Slack's retries. */
  retry?: { num: number; reason: 'http_timeout' | 'http_error' | 'timeout' };
}

/** What came back from the app. */
export interface Ack {
  /** The HTTP status; 200 for an acknowledged envelope; null when there was none. */
  status: number | null;
  /** The body: JSON when it is, else text; '' when empty. */
  body: unknown;
  /** From the first byte sent to the answer, ms. */
  ms: number;
  /** The error that Slack shows the person: operation_timeout, dispatch_failed, or what is wrong with the body. */
  toast: string | null;
}

function parse(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}

function encode({ type, payload }: Told, padBytes: number): { body: string; contentType: string } {
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

/** Posts a payload to the app as Slack does. Never rejects: what goes wrong is in the answer. */
export async function deliverByHttp(
  url: string,
  secret: string,
  told: Told,
  options: DeliveryOptions = {},
): Promise<Ack> {
  const { body: signed, contentType } = encode(told, options.padBytes ?? 0);
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
  // No kept-alive connection: an app that has just been restarted must not look as if it had failed.
  const sent = request(url, { method: 'POST', headers, agent: false, signal });
  sent.on('error', () => {});
  sent.end(body);
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const status = response.statusCode ?? null;
    const answer = parse(await text(response));
    const toast = status === 200 ? null : 'dispatch_failed';
    return { status, body: answer, toast, ms: performance.now() - start };
  } catch {
    const toast = signal.aborted ? 'operation_timeout' : 'dispatch_failed';
    return { status: null, body: '', toast, ms: performance.now() - start };
  }
}
