import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { readPageFile } from '../../src/page-files.ts';
import type { ActionAnswer, PageState } from '../../src/page-state.ts';

/** A post of the page. */
export interface Posted {
  path: string;
  body: { [key: string]: unknown };
}

/** An imitation of the page's server: the test sets the states and reads the posts. */
export interface PageFixture {
  url: string;
  posts: Posted[];
  /** The posts to one path. */
  postsTo(path: string): Posted['body'][];
  /** Changes everybody's state, and sends it to the open pages. */
  change(how: (state: PageState) => PageState): void;
  /** Sets the answer to posts; by default, and for undefined, it is `{ ok: true }`. */
  onPost(answer: (posted: Posted) => ActionAnswer | undefined | Promise<ActionAnswer | undefined>): void;
  /** Resolves when `found` is true for the posts. */
  until(found: (posts: readonly Posted[]) => boolean): Promise<void>;
  /** Breaks every page's connection. */
  drop(): void;
  close(): Promise<void>;
}

/**
 * `screens`: each person's state, by user id; an unknown person gets the first. `panels`: the folder of
 * the panels' files.
 */
export async function createPageFixture(
  screens: { [as: string]: PageState },
  panels?: string,
): Promise<PageFixture> {
  const states = new Map(Object.entries(screens));
  const streams = new Map<ServerResponse, string>();
  const posts: Posted[] = [];
  let answer: Parameters<PageFixture['onPost']>[0] = () => undefined;
  let waiting: (() => void)[] = [];

  function tell(stream: ServerResponse, as: string): void {
    stream.write(`data: ${JSON.stringify(states.get(as))}\n\n`);
  }

  function events(request: IncomingMessage, response: ServerResponse): void {
    const wanted = new URL(request.url ?? '/', 'http://x').searchParams.get('as') ?? '';
    const as = states.has(wanted) ? wanted : ([...states.keys()][0] ?? '');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    streams.set(response, as);
    response.on('close', () => streams.delete(response));
    tell(response, as);
  }

  async function file(path: string, response: ServerResponse): Promise<void> {
    const [, of = '', name = 'index.html'] = /^\/(page|panels)\/(.*)$/.exec(path) ?? [];
    const found = await readPageFile(name, of === 'panels' ? panels : undefined);
    response.writeHead(found ? 200 : 404, { 'content-type': found?.type ?? 'text/plain' }).end(found?.body);
  }

  async function post(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const posted = { path, body: (await json(request)) as Posted['body'] };
    posts.push(posted);
    for (const wake of waiting.splice(0)) wake();
    const said = (await answer(posted)) ?? { ok: true };
    response.writeHead(said.ok ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(said));
  }

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    if (request.method === 'POST') void post(path, request, response);
    else if (path === '/events') events(request, response);
    else if (path === '/' || /^\/(?:page|panels)\//.test(path)) void file(path, response);
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    postsTo: (path) => posts.filter((one) => one.path === path).map(({ body }) => body),
    change(how) {
      for (const [as, state] of states) states.set(as, how(state));
      for (const [stream, as] of streams) tell(stream, as);
    },
    onPost(next) {
      answer = next;
    },
    async until(found) {
      while (!found(posts)) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    drop: () => server.closeAllConnections(),
    async close() {
      waiting = [];
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
