import fs from 'node:fs';
import { type DestinationStream, destination, type Logger, pino } from 'pino';

const HIDDEN = '[hidden]';
/** The most characters that wait to be written. Lines beyond that are dropped. */
const MOST_WAITING = 1_000_000;

/** Names under which a secret, a number or somebody's text might be handed to the log by mistake. */
const PRIVATE = [
  'key',
  'apiKey',
  'api_key',
  'sealedKey',
  'secret',
  'signingSecret',
  'token',
  'botToken',
  'appToken',
  'authorization',
  'password',
  'phone',
  'recipient',
  'text',
  'messages',
  'body',
  'response_url',
];

const SLACK_TOKEN = /\b(?:xox[a-z](?:\.xox[a-z])?|xapp|xwfp)-[\w-]+/gi;
const BEARER = /\bBearer\s+[^\s"',;]+/gi;
/** Seven digits or more, in any script, as people group them. */
const PHONE = /\+?\p{Nd}(?:[\p{Zs}().\-–/]{0,2}\p{Nd}){6,}/gu;
const IP_ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * A log of JSON lines from `level` up, to `to` (default: standard output). The log hides values under the names of
 * `PRIVATE`, at the top of a line or one level down; of a child's fields, only at the top. Of `err` it writes name, code,
 * message and stack. In these and in `msg`, it hides what `withoutSecrets` does. The log writes other fields as they
 * are: give it ids and figures, never texts, keys or numbers.
 */
export function createLog(level: string, to: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: PRIVATE, censor: HIDDEN },
    // Not as paths such as `*.key`: pino parses each of them again for each field of a line.
    formatters: { log: withoutNestedPrivate },
    serializers: { err: describeError, msg: withoutSecrets },
  };
  return pino(options, to);
}

/** Standard output may be a file on a full disk, or a pipe that nobody reads. Then lines may be lost, but the bot goes on. */
function standardOutput(): DestinationStream {
  const output = destination({ dest: 1, sync: false, maxLength: MOST_WAITING });
  const { flushSync } = output;
  output.on('error', () => undefined);
  output.flushSync = () => withLossyWrites(() => flushSync.call(output));
  return output;
}

/** At the end of the process, pino would try a failed write for ever. During `work`, such a write counts as done. */
function withLossyWrites(work: () => void): void {
  const { writeSync } = fs;
  function writeOrDrop(fd: number, text: string): number {
    try {
      return writeSync(fd, text, null, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') throw error;
      return Buffer.byteLength(text);
    }
  }
  Object.assign(fs, { writeSync: writeOrDrop });
  try {
    work();
  } finally {
    Object.assign(fs, { writeSync });
  }
}

/** The fields of a line, without values under private names one level down. */
function withoutNestedPrivate(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, withoutPrivate(value)]));
}

function withoutPrivate(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  // `describeError` hides what an error holds. A time has no fields.
  if (value instanceof Error || value instanceof Date) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, inner]) => [name, PRIVATE.includes(name) ? HIDDEN : inner]));
}

/** The text without anything that looks like a Slack token, a bearer value, or a telephone number (7 digits or more). */
export function withoutSecrets(text: string): string {
  return text
    .replace(SLACK_TOKEN, HIDDEN)
    .replace(BEARER, `Bearer ${HIDDEN}`)
    .replace(PHONE, (found) => (IP_ADDRESS.test(found) ? found : HIDDEN));
}

/** Leaves out all other fields, in each of several errors too: a request, response or cause may hold keys. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return withoutSecrets(String(error));
  const { name } = error;
  const [message, stack] = [error.message, error.stack ?? ''].map(withoutSecrets);
  const code = 'code' in error && ['string', 'number'].includes(typeof error.code) ? error.code : undefined;
  const errors = severalIn(error)?.map(describeError);
  return { name, code, message, stack, ...(errors && { errors }) };
}

/** The errors that this one stands for, if it stands for several. */
function severalIn(error: Error): unknown[] | undefined {
  if (error instanceof AggregateError) return error.errors;
  return error instanceof SuppressedError ? [error.error, error.suppressed] : undefined;
}
