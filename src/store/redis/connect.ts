import { createClient } from '@keyv/redis';
import { StoreError, unusable } from '../store-error.ts';
import { withTimeout } from './ask.ts';
import { refusalOf } from './errors.ts';
import { createReconnectingClient, drop, type RawClient } from './reconnecting-client.ts';

/** How long a start waits for Redis, in ms. */
const CONNECT_MS = 5000;
/** The first wait before a lost connection is tried again, in ms. Each wait is longer, up to `RETRY_MOST_MS`. */
const RETRY_MS = 100;
const RETRY_MOST_MS = 1000;

/** How a connection ends that Redis accepts and cuts, as it does with one client too many. */
const IS_CUT = /ECONNRESET|closed/;
const SENTINEL =
  'REDIS_URL leads to a Sentinel, which holds no data: set it to a name that always leads to the primary.';

/** This signal never fires. Its `addEventListener` does nothing: else Node would keep the socket of each try to connect. */
const NEVER = Object.assign(new AbortController().signal, { addEventListener() {} });

/** What sends commands to Redis. */
export type RedisClient = Pick<RawClient, 'sendCommand'>;

/** One connection, for records and ledger alike. */
export type Connection = Awaited<ReturnType<typeof connect>>;

/**
 * Connects, and connects again by itself whenever the connection is lost; meanwhile commands fail at once.
 * @throws StoreError if Redis can't be reached
 */
export async function connect(url: string) {
  let reason = 'no answer';
  const first: RawClient = createClient({
    url,
    // A queued command would run after its caller has given up.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (retries) => Math.min(RETRY_MS * (retries + 1), RETRY_MOST_MS),
      // A socket with TLS may fail twice, and the client listens once: the second error would end the process. With a
      // signal, Node listens too.
      signal: NEVER,
    },
  });
  // Each call reports its own failure. Without a listener, an error event would end the process.
  first.on('error', (error) => {
    if (error instanceof Error && error.message) reason = reasonOf(error);
  });
  try {
    // With TLS, Redis may refuse a connection that the client takes for open. Without its password it refuses each command.
    const answered = first.connect().then(() => first.sendCommand(['INFO', 'server']));
    const info = await withTimeout(CONNECT_MS, 'connecting', answered);
    if (/^redis_mode:sentinel/m.test(String(info))) {
      drop(first);
      throw unusable(SENTINEL);
    }
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const refusal = refusalOf(cause);
    const needsPassword = refusal === 'NOAUTH';
    if (needsPassword || refusal === undefined) {
      drop(first);
      // A socket that is just opening can't be dropped: it must not keep the process alive.
      first.once('connect', () => first.unref());
      const more = IS_CUT.test(reason) ? ' and takes more clients (maxclients)' : '';
      const sentence = needsPassword
        ? `Redis at ${addressOf(url)} needs a password: put it into REDIS_URL.`
        : `Redis can't be reached at ${addressOf(url)} (${reason}): check REDIS_URL (rediss:// with TLS, else redis://), and that Redis runs${more}.`;
      throw unusable(sentence, { cause });
    }
  }
  const listeners: (() => void)[] = [];
  const reconnecting = createReconnectingClient(first, () => {
    for (const listener of listeners) listener();
  });
  return {
    client: reconnecting,
    /** Calls `listener` after each reconnect, before any command uses the new connection. */
    onReconnect: (listener: () => void): void => void listeners.push(listener),
    close: () => reconnecting.close(),
  };
}

/** Of OpenSSL's errors only the words: their messages also hold addresses and lines of its source. */
function reasonOf(error: Error & { reason?: unknown }): string {
  return typeof error.reason === 'string' ? error.reason : error.message;
}

/** Host and port alone: a URL may hold a password. */
function addressOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'its address';
  }
}
