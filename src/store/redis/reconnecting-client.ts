/**
 * A connection that has not answered for this long, in ms, is replaced: a cut cable or a lost host says nothing.
 */
const SILENT_MS = 3000;

/** Which types of an answer come as what, by the character that begins them in Redis's protocol. */
export interface CommandOptions {
  typeMapping: { [type: number]: typeof Buffer };
}

/** Every answer that is no number comes as bytes. */
export const AS_BYTES: CommandOptions = { typeMapping: { ['$'.charCodeAt(0)]: Buffer } };

/** What is used of node-redis's client. */
export interface RawClient {
  sendCommand(args: (string | Buffer)[], options?: CommandOptions): Promise<unknown>;
  connect(): Promise<unknown>;
  duplicate(): RawClient;
  destroy(): void;
  readonly isOpen: boolean;
  on(event: 'error' | 'ready', listener: () => void): unknown;
}

/**
 * Commands over `client`, whose connection is replaced when it has fallen silent. `onRenewed` is told of each client that
 * takes its place. Every command goes over one connection only: what the old one still carried fails.
 */
export function createReconnectingClient(client: RawClient, onRenewed: (client: RawClient) => void) {
  let current = client;
  let fresh: RawClient | undefined;
  // Since when nothing was heard though something was asked.
  let silentSince: number | undefined;
  let isClosed = false;

  async function renew(): Promise<void> {
    const silence = silentSince;
    const next = current.duplicate();
    fresh = next;
    next.on('error', () => {});
    const timer = setTimeout(() => drop(next), SILENT_MS);
    try {
      await next.connect();
      // It resolves for one that was dropped while it connected, too. And the old connection may have come back meanwhile, as
      // from a Redis that was frozen, and carry something new.
      if (!next.isOpen || silentSince !== silence || isClosed) return drop(next);
      const old = current;
      current = next;
      silentSince = undefined;
      onRenewed(next);
      drop(old);
    } catch {
      drop(next);
    } finally {
      clearTimeout(timer);
      fresh = undefined;
    }
  }

  return {
    async sendCommand(args: (string | Buffer)[], options?: CommandOptions): Promise<unknown> {
      const now = performance.now();
      silentSince ??= now;
      if (now - silentSince > SILENT_MS && !fresh) void renew();
      const used = current;
      try {
        return await used.sendCommand(args, options);
      } finally {
        if (used === current) silentSince = undefined;
      }
    },
    close(): void {
      isClosed = true;
      drop(current);
      if (fresh) drop(fresh);
    },
  };
}

function drop(client: RawClient): void {
  if (client.isOpen) client.destroy();
}
