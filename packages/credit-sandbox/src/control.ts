import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { SandboxError } from './books.ts';
import type { Controls } from './controls.ts';
import { Fault } from './faults.ts';
import { Instance } from './seed.ts';

/** The path of the control interface, beside the service's own path. */
export const CONTROL_PATH = '/sandbox';

const CreditsChange = z.union([
  z.strictObject({ user_id: z.number().int(), credits: z.number().int().min(0) }),
  z.strictObject({ user_id: z.number().int(), add: z.number().int() }),
]);
const NewKey = Instance.extend({ key: z.string().min(1), name: z.string().min(1) });
const KnownKey = z.strictObject({ key: z.string().min(1) });
const MovedKey = KnownKey.extend({ user_id: z.number().int() });
/** The controls check the names and values of switches. */
const AnySwitches = z.record(z.string(), z.unknown());

/**
 * Controls a running sandbox from another process: JSON over HTTP on loopback. A success answers with the
 * new state, a failure with `{ error }`: 403 for callers from elsewhere, 404 for an unknown path, 422 if the sandbox
 * cannot do it, 500 if the sandbox itself fails.
 */
export function createControl(controls: Controls & { reset(): void }): Hono {
  const app = new Hono().basePath(CONTROL_PATH);

  app.use(async (c, next) => {
    const { host, origin } = c.req.header();
    // Otherwise another site's page could reach the sandbox through the browser, or through a name that means loopback.
    const allowed = isLoopback(`http://${host}`) && (origin === undefined || isLoopback(origin));
    return allowed ? next() : c.json({ error: 'Only this machine may control the sandbox.' }, 403);
  });

  /** Adds a route that makes a change, then answers with the new state. */
  function on(method: 'POST' | 'DELETE', path: string, change: (c: Context) => void | Promise<void>): void {
    app.on(method, path, async (c) => {
      await change(c);
      return c.json(controls.state());
    });
  }
  /** The same for a POST with a body of this schema. */
  function post<T>(path: string, schema: z.ZodType<T>, change: (body: T) => void): void {
    on('POST', path, async (c) => change(schema.parse(await bodyOf(c))));
  }

  app.get('/state', (c) => c.json(controls.state()));
  post('/faults', Fault, controls.addFault);
  on('DELETE', '/faults', controls.clearFaults);
  post('/credits', CreditsChange, (change) => {
    if ('add' in change) controls.topUp(change.user_id, change.add);
    else controls.setCredits(change.user_id, change.credits);
  });
  post('/switches', AnySwitches, controls.setSwitches);
  post('/keys', NewKey, controls.addKey);
  post('/keys/revoke', KnownKey, ({ key }) => controls.revokeKey(key));
  post('/keys/move', MovedKey, ({ key, user_id }) => controls.moveKey(key, user_id));
  on('POST', '/reset', controls.reset);

  app.notFound((c) => c.json({ error: 'There is nothing at this path.' }, 404));
  app.onError((error, c) => {
    if (error instanceof SandboxError) return c.json({ error: error.message }, 422);
    if (error instanceof z.ZodError) return c.json({ error: z.prettifyError(error) }, 422);
    return c.json({ error: `The sandbox itself failed: ${error.message}` }, 500);
  });
  return app;
}

function bodyOf(c: Context): Promise<unknown> {
  return c.req.json().catch(() => {
    throw new SandboxError('The body must be JSON.');
  });
}

function isLoopback(url: string): boolean {
  const hostname = URL.parse(url)?.hostname ?? '';
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
