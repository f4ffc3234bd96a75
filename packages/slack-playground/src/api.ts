import type { Server } from 'node:http';
import { type HttpBindings, serve } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Fault, Faults } from './faults.ts';
import type { Methods } from './methods/args.ts';
import type { Records } from './records.ts';
import { Refusal } from './refusal.ts';
import type { Json } from './types.ts';

export type Env = { Bindings: HttpBindings };

export interface ApiOptions {
  /** Methods that want the bot's token. */
  methods: Methods;
  /** Methods that want the app-level token. */
  appMethods: Methods;
  /** Takes one post to a response_url, named by its path. Throws a Refusal. */
  respond: (path: string, body: Json) => void;
  botToken: string;
  appToken: string;
  faults: Faults;
  records: Records;
}

interface Answer {
  status: 200 | 302 | 400 | 404 | 429 | 500;
  result: Json;
  /** How it is sent, where that is not `result` as JSON. */
  send?: () => Response;
}

/** Does the work, unless a fault comes before it, keeps a record and answers. */
export type Settle = (
  c: Context<Env>,
  name: string,
  args: Json,
  how: {
    work: () => Answer;
    /** The answer to a call that a fault refuses; `{ok: false, error}` by default. */
    refuse?: (error: string) => Answer;
  },
) => Response | Promise<Response>;

const refuseAsJson = (error: string): Answer => ({ status: 200, result: { ok: false, error } });

/** The arguments of a call: JSON, or a form in which objects are JSON strings. */
async function readArgs(c: Context<Env>): Promise<Json> {
  const body = await c.req.text();
  if (c.req.header('content-type')?.startsWith('application/json')) {
    try {
      const json: unknown = JSON.parse(body || '{}');
      if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Json;
    } catch {
      // Told below, together with JSON that is no object.
    }
    throw new Refusal('invalid_json');
  }
  return Object.fromEntries(new URLSearchParams(body));
}

/** The arguments as they are kept for inspection: JSON read, the token left out. */
function forRecord({ token: _, ...args }: Json): Json {
  const read = (value: unknown) => {
    if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return value;
    }
  };
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, read(value)]));
}

function refused(error: unknown): Json {
  if (!(error instanceof Refusal)) throw error;
  const { code, messages } = error;
  if (messages.length === 0) return { ok: false, error: code };
  const response_metadata = { messages: messages.map((message) => `[ERROR] ${message}`) };
  return { ok: false, error: code, errors: messages, response_metadata };
}

/** The HTTP side of the Web API and of response_urls. `hung` are the requests that are never answered. */
export function createApi({ methods, appMethods, respond, botToken, appToken, faults, records }: ApiOptions) {
  const hung = new Set<HttpBindings['incoming']>();

  function authorize(method: string, given: string | undefined): void {
    if (given === undefined || given === '') throw new Refusal('not_authed');
    const [wanted, other] = method in appMethods ? [appToken, botToken] : [botToken, appToken];
    if (given === wanted) return;
    throw new Refusal(given === other ? 'not_allowed_token_type' : 'invalid_auth');
  }

  function callMethod(name: string, args: Json, bearer: string | undefined): Json {
    const method = methods[name] ?? appMethods[name];
    if (!method) throw new Refusal('unknown_method');
    authorize(name, bearer ?? (args.token as string | undefined));
    return { ok: true, ...method(args) };
  }

  const settle: Settle = (c, name, args, { work, refuse = refuseAsJson }) => {
    const record = forRecord(args);
    const fault = faults.take(name, record);
    const { status, result, send } = fault && fault.kind !== 'lost_answer' ? faulty(fault, refuse) : work();
    records.called(name, record, status, result);
    const { incoming } = c.env;
    if (fault?.kind === 'hang') {
      hung.add(incoming);
      return new Promise(() => {});
    }
    if (fault?.kind === 'lost_answer') {
      incoming.socket.destroy();
      return RESPONSE_ALREADY_SENT;
    }
    if (fault?.kind === 'rate_limited') c.header('Retry-After', String(fault.retryAfter));
    if (fault?.kind === 'server_error') return c.html('<h1>Something went wrong</h1>', 500);
    return send ? send() : c.json(result, status);
  };

  function faulty(fault: Fault, refuse: (error: string) => Answer): Answer {
    if (fault.kind === 'refused') return refuse(fault.error);
    if (fault.kind === 'block_refused') return refuse('invalid_blocks');
    if (fault.kind === 'rate_limited') return { status: 429, result: { ok: false, error: 'ratelimited' } };
    return { status: 500, result: { fault: fault.kind } };
  }

  const app = new Hono<Env>();

  app.post('/api/:method', async (c) => {
    const name = c.req.param('method');
    const bearer = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1];
    let args: Json;
    try {
      args = await readArgs(c);
    } catch (error) {
      return c.json(refused(error));
    }
    const work = (): Answer => {
      try {
        return { status: 200, result: callMethod(name, args, bearer) };
      } catch (error) {
        return { status: 200, result: refused(error) };
      }
    };
    return settle(c, name, args, { work });
  });

  app.post('/response/:id', async (c) => {
    let args: Json;
    try {
      args = await readArgs(c);
    } catch (error) {
      return c.json(refused(error), 400);
    }
    const work = (): Answer => {
      try {
        respond(c.req.path, args);
        return { status: 200, result: { ok: true } };
      } catch (error) {
        const result = refused(error);
        return { status: /_url$/.test(String(result.error)) ? 404 : 400, result };
      }
    };
    // Blocks that Slack does not take are a bad request here, as in `work`.
    const refuse = (error: string): Answer => ({
      status: error === 'invalid_blocks' ? 400 : 200,
      result: { ok: false, error },
    });
    return settle(c, 'response_url', args, { work, refuse });
  });

  return {
    app,
    settle,
    /** Drops the requests that were left hanging. */
    release(): void {
      for (const incoming of hung) incoming.socket.destroy();
      hung.clear();
    },
  };
}

/** Serves on loopback; resolves once it listens. Port 0 takes a free one. */
export function listen(fetch: Hono<Env>['fetch'] | Hono['fetch'], port: number, hostname = '127.0.0.1') {
  return new Promise<{ server: Server; port: number }>((resolve, reject) => {
    const server = serve({ fetch, hostname, port, overrideGlobalObjects: false }, (info) =>
      resolve({ server: server as Server, port: info.port }),
    );
    server.once('error', reject);
  });
}
