import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createBooks, type RequestRecord } from './books.ts';
import { CONTROL_PATH, createControl } from './control.ts';
import { createControls } from './controls.ts';
import { createFaultQueue } from './faults.ts';
import { createRateWindows } from './rate.ts';
import { BASE_PATH, createRequestHandler } from './request-handler.ts';
import { defaultSeed, type Seed } from './seed.ts';
import { SandboxSnapshot } from './snapshot.ts';
import { createSwitches, type SwitchesPatch } from './switches.ts';

/** Where a sandbox listens, and how it begins. */
export interface SandboxOptions {
  /** Ports on 127.0.0.1 of the two host forms; 0, the default, is any free one. */
  port?: number;
  altPort?: number;
  seed?: Seed;
  /** Switches that differ from the defaults. */
  switches?: SwitchesPatch;
  /** How many of the newest requests are remembered; all by default. */
  keptRequests?: number;
}

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

/**
 * Starts an imitation of the messaging credit service on 127.0.0.1, which follows the whole interface document. Switches
 * decide what the document leaves open, and callers can add faults. Both host forms serve the same accounts. Nothing
 * reaches a phone.
 * @throws the system's error if a port is taken, and a SandboxError or ZodError for impossible options
 */
export async function createSandbox(options: SandboxOptions = {}) {
  const switches = createSwitches(options.switches);
  const books = createBooks(options.seed ?? defaultSeed, options.keptRequests);
  const faults = createFaultQueue();
  const windows = createRateWindows(switches.now);
  const handler = createRequestHandler(books, faults, windows, switches.now);

  const controls = {
    ...createControls(books, faults, switches),
    /** Resets everything but listeners. Drops the requests that a fault still holds. */
    reset(): void {
      handler.dropHeld();
      faults.clear();
      windows.clear();
      books.reset();
      switches.reset();
    },
  };

  const control = getRequestListener(createControl(controls).fetch, { overrideGlobalObjects: false });

  const serverOf = (host: RequestRecord['host']): Server =>
    createServer((req, res) =>
      req.url?.startsWith(`${CONTROL_PATH}/`) ? control(req, res) : handler.handle(req, res, host),
    );

  async function close(): Promise<void> {
    handler.dropHeld();
    // `close` also calls back for a server that never listened, with an error that we ignore.
    const closed = Promise.all([main, alt].map((server) => new Promise((done) => server.close(done))));
    for (const server of [main, alt]) server.closeAllConnections();
    await closed;
  }

  const main = serverOf('main');
  const alt = serverOf('alt');
  try {
    const port = await listen(main, options.port ?? 0);
    const altPort = await listen(alt, options.altPort ?? 0);
    const origin = `http://127.0.0.1:${port}`;
    return {
      ...controls,
      /** The service's base URL, its second base URL, and the control API. */
      url: origin + BASE_PATH,
      urlAlt: `http://127.0.0.1:${altPort}${BASE_PATH}`,
      controlUrl: origin + CONTROL_PATH,
      /** Ports of the two host forms. */
      port,
      altPort,
      /** What a restart should keep, as JSON: accounts, keys, texts, pending faults. */
      snapshot: (): SandboxSnapshot => ({ books: books.snapshot(), faults: faults.list() }),
      /**
       * Continues from a snapshot, without calling listeners. Switches and requests are as after a reset.
       * If this throws, the sandbox is as after a reset.
       * @throws SandboxError if the snapshot contradicts itself, ZodError if it has the wrong shape
       */
      restore(snapshot: unknown): void {
        controls.reset();
        const { books: kept, faults: pendingFaults } = SandboxSnapshot.parse(snapshot);
        try {
          books.restore(kept);
        } catch (error) {
          books.reset();
          throw error;
        }
        for (const fault of pendingFaults) faults.add(fault);
      },
      /** Stops listening and cuts every connection, hanging ones too. */
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
