import type { Server } from 'node:http';
import { type HttpBindings, serve } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Fault, Faults } from './faults.ts';
import { jsonOf } from './json-of.ts';
import type { Methods } from './methods/args.ts';
import type { Records } from './records.ts';
import { Refusal } from './refusal.ts';
import type { Json } from './types.ts';

export type Env = { Bindings: HttpBindings };

export interface ApiOptions {
  /** Methods that need the bot's token. */
  methods: Methods;
  /** Methods that need the app-level token. */
  appMethods: Methods;
  /** Handles a post to the response_url with this path. Throws a Refusal. */
  respond: (path: string, body: Json) => void;
  botToken: string;
  appToken: string;
  faults: Faults;
  records: Records;
}

interface Answer {
  status: 200 | 302 | 400 | 404 | 429 | 500;
  result: Json;
  /** Builds the response, for answers that are not JSON. */
  send?: () => Response;
}

type Refuse = (refusal: Refusal) => Answer;

/** Runs `work` unless a fault prevents that. Records the call, and answers it. */
export type Settle = (
  c: Context<Env>,
  name: string,
  args: Json,
  /** `work` may throw a Refusal. `faulted` builds the answer if a fault refuses the call; by default `refuse` does. */
  how: { work: () => Answer; refuse: Refuse; faulted?: Refuse },
) => Response | Promise<Response>;

/** The arguments of a call: a JSON object, or a form whose objects are JSON strings. Undefined for any other JSON. */
async function readArgs(c: Context<Env>): Promise<Json | undefined> {
  const body = await c.req.text();
  if (!c.req.header('content-type')?.startsWith('application/json'))
    return Object.fromEntries(new URLSearchParams(body));
  const json = jsonOf(body || '{}');
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Json) : undefined;
}

/** The arguments for the record: without the token, and with JSON strings parsed. */
function forRecord({ token: _, ...args }: Json): Json {
  const read = (value: unknown) =>
    typeof value === 'string' && /^[[{]/.test(value) ? (jsonOf(value) ?? value) : value;
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, read(value)]));
}

/** The Web API answers a refusal with the status 200. */
function refused({ code, messages }: Refusal): Answer {
  if (messages.length === 0) return { status: 200, result: { ok: false, error: code } };
  const response_metadata = { messages: messages.map((message) => `[ERROR] ${message}`) };
  return { status: 200, result: { ok: false, error: code, errors: messages, response_metadata } };
}

/** A response_url or upload_url answers a refusal with 404 if the URL itself is wrong, else with 400. */
export const failed: Refuse = (refusal) => ({
  ...refused(refusal),
  status: refusal.code.endsWith('_url') ? 404 : 400,
});

/** The HTTP side of the Web API and of response_urls. */
export function createApi({ methods, appMethods, respond, botToken, appToken, faults, records }: ApiOptions) {
  /** Requests that a `hang` fault never answers. */
  const hung = new Set<HttpBindings['incoming']>();
  const allMethods = new Map(Object.entries({ ...methods, ...appMethods }));

  function authorize(method: string, given: string | undefined): void {
    if (given === undefined || given === '') throw new Refusal('not_authed');
    const [wanted, other] = method in appMethods ? [appToken, botToken] : [botToken, appToken];
    if (given === wanted) return;
    throw new Refusal(given === other ? 'not_allowed_token_type' : 'invalid_auth');
  }

  function callMethod(name: string, args: Json, bearer: string | undefined): Json {
    const method = allMethods.get(name);
    if (!method) throw new Refusal('unknown_method');
    authorize(name, bearer ?? (args.token as string | undefined));
    return { ok: true, ...method(args) };
  }

  const settle: Settle = (c, name, args, { work, refuse, faulted = refuse }) => {
    const record = forRecord(args);
    const fault = faults.take(name, record);
    const failing = fault && fault.kind !== 'lost_answer' ? fault : undefined;
    const { status, result, send } = failing ? faulty(failing, faulted) : tried(work, refuse);
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

  function tried(work: () => Answer, refuse: Refuse): Answer {
    try {
      return work();
    } catch (error) {
      if (error instanceof Refusal) return refuse(error);
      throw error;
    }
  }

  function faulty(fault: Fault, refuse: Refuse): Answer {
    if (fault.kind === 'refused') return refuse(new Refusal(fault.error));
    if (fault.kind === 'block_refused') return refuse(new Refusal('invalid_blocks'));
    if (fault.kind === 'rate_limited') return { status: 429, result: { ok: false, error: 'ratelimited' } };
    return { status: 500, result: { fault: fault.kind } };
  }

  async function take(
    c: Context<Env>,
    name: string,
    work: (args: Json) => Json,
    how: { refuse: Refuse; faulted?: Refuse },
  ): Promise<Response> {
    const args = await readArgs(c);
    if (args) return settle(c, name, args, { ...how, work: () => ({ status: 200, result: work(args) }) });
    const { result, status } = how.refuse(new Refusal('invalid_json'));
    return c.json(result, status);
  }

  const app = new Hono<Env>();

  app.post('/api/:method', (c) => {
    const name = c.req.param('method');
    const bearer = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1];
    return take(c, name, (args) => callMethod(name, args, bearer), { refuse: refused });
  });

  app.post('/response/:id', (c) => {
    const work = (args: Json) => {
      respond(c.req.path, args);
      return { ok: true };
    };
    // For invalid blocks, a response_url answers 400. The Web API would answer 200.
    const faulted: Refuse = (refusal) => (refusal.code === 'invalid_blocks' ? failed : refused)(refusal);
    return take(c, 'response_url', work, { refuse: failed, faulted });
  });

  return {
    app,
    settle,
    /** Drops the requests that a fault left without an answer. */
    release(): void {
      for (const incoming of hung) incoming.socket.destroy();
      hung.clear();
    },
  };
}

/** Serves on loopback; resolves once it listens. With port 0, the system picks a free port. */
export function listen(fetch: Hono<Env>['fetch'] | Hono['fetch'], port: number, hostname = '127.0.0.1') {
  return new Promise<{ server: Server; port: number }>((resolve, reject) => {
    const server = serve({ fetch, hostname, port, overrideGlobalObjects: false }, (info) =>
      resolve({ server: server as Server, port: info.port }),
    );
    server.once('error', reject);
  });
}
