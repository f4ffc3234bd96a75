/** The client replaces a connection that has not answered for this long, in ms: a cut cable or a lost host says nothing. */
const SILENT_MS = 3000;
/** The least time before the client looks the server's name up again, in ms: each new connection makes all jobs wait. */
const RENEW_AGAIN_MS = 1000;
/** The answers of a server that has become a replica. It may keep its connections, so the client looks the name up again. */
const IS_REPLICA = /^(READONLY|MASTERDOWN) /;

/** What a type of answer becomes, by the character that begins it in Redis's protocol. */
export interface CommandOptions {
  typeMapping: { [type: number]: typeof Buffer };
}

/** Stored values come as bytes. */
export const AS_BYTES: CommandOptions = { typeMapping: { ['$'.charCodeAt(0)]: Buffer } };

/** The part of node-redis's client that the bot uses. */
export interface RawClient {
  sendCommand(args: (string | Buffer)[], options?: CommandOptions): Promise<unknown>;
  connect(): Promise<unknown>;
  duplicate(): RawClient;
  destroy(): void;
  unref(): void;
  readonly isOpen: boolean;
  /** Whether commands reach Redis. Until then the client refuses them by itself. */
  readonly isReady: boolean;
  on(event: 'error' | 'ready', listener: (error?: unknown) => void): unknown;
  /** `connect`: the socket is open, and nobody has answered on it yet. */
  once(event: 'connect', listener: () => void): unknown;
}

/**
 * Commands over `client`, which is connected. A connection that has fallen silent, or leads to a replica, is replaced
 * by a new one. `onReconnect` is called for each connection after the first, before any command goes over it. Every
 * command goes over one connection only: commands that the old one still carried fail.
 */
export function createReconnectingClient(client: RawClient, onReconnect: () => void) {
  let current = client;
  let isRenewing = false;
  // Since when Redis has answered none of our commands.
  let silentSince: number | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  // Why there is no connection, for the log: the client itself says only that it is offline.
  let lastTrouble: unknown;
  follow(client);

  function follow(one: RawClient): void {
    one.on('ready', () => {
      if (one === current) onReconnect();
    });
    // An attempt to connect that fails is no silence: the client tries again by itself.
    one.on('error', (error) => {
      if (one !== current) return drop(one);
      silentSince = undefined;
      lastTrouble = error;
    });
  }

  /** @param isNeeded asked once the new connection is there */
  async function renew(isNeeded: () => boolean): Promise<void> {
    if (isRenewing || performance.now() - renewedAt < RENEW_AGAIN_MS) return;
    const next = current.duplicate();
    isRenewing = true;
    follow(next);
    let timer: NodeJS.Timeout | undefined;
    // Not sooner: a client that is dropped while its socket opens never closes the socket. Until then its own time-out counts.
    next.once('connect', () => {
      timer = setTimeout(drop, SILENT_MS, next);
    });
    try {
      await next.connect();
      // `connect` also resolves if the client was dropped while it connected.
      if (!next.isOpen || isClosed || !isNeeded()) return drop(next);
      const old = current;
      current = next;
      silentSince = undefined;
      renewedAt = performance.now();
      onReconnect();
      drop(old);
    } catch {
      drop(next);
    } finally {
      clearTimeout(timer);
      isRenewing = false;
    }
  }

  /** A check that holds while the connection stays as it is now. A frozen Redis may come back meanwhile. */
  function whileUnchanged(): () => boolean {
    const [silence, wasReady] = [silentSince, current.isReady];
    return () => silentSince === silence && current.isReady === wasReady;
  }

  return {
    async sendCommand(args: (string | Buffer)[], options?: CommandOptions): Promise<unknown> {
      const now = performance.now();
      silentSince ??= now;
      if (now - silentSince > SILENT_MS) void renew(whileUnchanged());
      const used = current;
      const reachesRedis = used.isReady;
      try {
        return await used.sendCommand(args, options);
      } catch (error) {
        const isReplica = error instanceof Error && IS_REPLICA.test(error.message);
        if (used === current && isReplica) void renew(() => true);
        throw reachesRedis ? error : (lastTrouble ?? error);
      } finally {
        if (used === current && reachesRedis) silentSince = undefined;
      }
    },
    close(): void {
      isClosed = true;
      // `renew` drops a new connection once it is there. If dropped while it opens, it would stay, and so would the process.
      drop(current);
    },
  };
}

export function drop(client: RawClient): void {
  if (client.isOpen) client.destroy();
}
