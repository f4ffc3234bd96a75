import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { type RequestRecord, SandboxError, type Subscribe } from './books.ts';
import { Fault, type FaultInput } from './faults.ts';
import type { Balance } from './schema.ts';
import { Instance } from './seed.ts';
import type { InstanceRecord, SentMessage } from './snapshot.ts';
import { type Switches, SwitchesPatch } from './switches.ts';

/** The path of the control interface, beside the service's own path. */
export const CONTROL_PATH = '/sandbox';

/** Everything that a sandbox reports about itself. */
export interface SandboxState {
  accounts: Balance[];
  instances: InstanceRecord[];
  switches: Switches;
  faults: Fault[];
  messages: readonly SentMessage[];
  requests: readonly RequestRecord[];
}

/** Controls a sandbox and reads its books, in the process and over HTTP alike. */
export interface Controls {
  state(): SandboxState;
  /** Every text that was really sent, oldest first. */
  readonly messages: readonly SentMessage[];
  /** Every request of the service's interface, in the order of arrival. */
  readonly requests: readonly RequestRecord[];
  on: Subscribe;
  /** Credits of an account now. */
  credits(user_id: number): number;
  setCredits(user_id: number, credits: number): void;
  /** Adds credits; a figure below 0 takes some away, as when somebody else spends them. */
  topUp(user_id: number, credits: number): void;
  addKey(instance: Instance): void;
  /** From now on the key is answered with INVALID_API_KEY. */
  revokeKey(key: string): void;
  setSwitches(patch: SwitchesPatch): void;
  /** Adds a fault behind those that are still to come. */
  addFault(fault: FaultInput): void;
  /** Removes all faults that are still to come. Held requests stay held. */
  clearFaults(): void;
  /** Resets everything, but listeners stay. Held requests are cut and not processed. */
  reset(): void;
}

const CreditsChange = z.union([
  z.strictObject({ user_id: z.number().int(), credits: z.number().int().min(0) }),
  z.strictObject({ user_id: z.number().int(), add: z.number().int() }),
]);
const NewKey = Instance.extend({ key: z.string().min(1), name: z.string().min(1) });
const KnownKey = z.strictObject({ key: z.string().min(1) });

/**
 * Controls a running sandbox from another process: JSON over HTTP on loopback. Every answer is the state after the
 * request (`SandboxState`), or `{ error }` with 403 for callers from elsewhere and 422 for what cannot be done.
 */
export function createControl(controls: Controls): Hono {
  const app = new Hono().basePath(CONTROL_PATH);

  app.use(async (c, next) => {
    const { host, origin } = c.req.header();
    // A page of another site could otherwise reach it through the browser, or by a name that points to loopback.
    const allowed = isLoopback(`http://${host}`) && (origin === undefined || isLoopback(origin));
    return allowed ? next() : c.json({ error: 'The sandbox is steered from this machine only.' }, 403);
  });

  const state = (c: Context) => c.json(controls.state());
  /** Takes a body of this kind, and does with it what `change` does. */
  function post<T extends z.ZodType>(path: string, schema: T, change: (body: z.output<T>) => void): void {
    app.post(path, async (c) => {
      change(await read(c, schema));
      return state(c);
    });
  }

  app.get('/state', state);
  post('/faults', Fault, controls.addFault);
  app.delete('/faults', (c) => {
    controls.clearFaults();
    return state(c);
  });
  post('/credits', CreditsChange, (change) => {
    if ('add' in change) controls.topUp(change.user_id, change.add);
    else controls.setCredits(change.user_id, change.credits);
  });
  post('/switches', SwitchesPatch, controls.setSwitches);
  post('/keys', NewKey, controls.addKey);
  post('/keys/revoke', KnownKey, ({ key }) => controls.revokeKey(key));
  app.post('/reset', (c) => {
    controls.reset();
    return state(c);
  });

  app.notFound((c) => c.json({ error: 'There is nothing at this path.' }, 404));
  app.onError((error, c) => {
    if (error instanceof SandboxError) return c.json({ error: error.message }, 422);
    return c.json({ error: `The sandbox itself failed: ${error.message}` }, 500);
  });
  return app;
}

async function read<T extends z.ZodType>(c: Context, schema: T): Promise<z.output<T>> {
  const body: unknown = await c.req.json().catch(() => {
    throw new SandboxError('The body must be JSON.');
  });
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new SandboxError(z.prettifyError(parsed.error));
  return parsed.data;
}

function isLoopback(url: string): boolean {
  const hostname = URL.parse(url)?.hostname ?? '';
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
