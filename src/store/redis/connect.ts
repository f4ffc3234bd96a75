import { createClient } from '@keyv/redis';
import { StoreError } from '../store-error.ts';
import { withTimeout } from './ask.ts';
import { createReconnectingClient, drop, type RawClient } from './reconnecting-client.ts';

/** How long a start waits for Redis, in ms. */
const CONNECT_MS = 5000;
/** The first wait before a lost connection is tried again, in ms. Each wait is longer, up to `RETRY_MOST_MS`. */
const RETRY_MS = 100;
const RETRY_MOST_MS = 1000;

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
    },
  });
  // Each call reports its own failure. Without a listener, an error event would end the process.
  first.on('error', (error) => {
    if (error instanceof Error && error.message) reason = error.message;
  });
  try {
    await withTimeout(CONNECT_MS, 'connecting', first.connect());
  } catch (cause) {
    drop(first);
    // A socket that is just opening can't be dropped: it must not keep the process alive.
    first.once('connect', () => first.unref());
    throw new StoreError(
      'unusable',
      `Redis can't be reached at ${addressOf(url)} (${reason}): check REDIS_URL, and that Redis runs.`,
      { cause },
    );
  }
  const asked = first.sendCommand(['PING']).catch((error: unknown) => error);
  // Without its password, Redis takes the connection and refuses each command.
  if (/NOAUTH/.test(String(await withTimeout(CONNECT_MS, 'connecting', asked).catch(() => '')))) {
    drop(first);
    throw new StoreError('unusable', `Redis at ${addressOf(url)} needs a password: put it into REDIS_URL.`);
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

/** Host and port alone: a URL may hold a password. */
function addressOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'its address';
  }
}
