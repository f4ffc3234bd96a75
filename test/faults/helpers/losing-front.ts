import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Playground } from 'slack-playground';

/** What an app gets for a call that Slack carried out. */
export type Loss = 'cut' | 'hang' | 'internal_error' | 'server_error';

export interface LostCall {
  method: string;
  loss: Loss;
  /** The arguments, decoded. */
  words: string;
}

/** Slack's Web API, with answers that are lost on the way. */
export interface LosingFront {
  apiUrl: string;
  lost: LostCall[];
  /** Calls `decide` for each call that Slack has done. */
  lose(decide: (method: string) => Loss | undefined): void;
  close(): Promise<void>;
}

/** A front for a workspace. No answer is lost until `lose`. */
export async function createLosingFront(slack: Playground): Promise<LosingFront> {
  const lost: LostCall[] = [];
  let decide: (method: string) => Loss | undefined = () => undefined;

  const server = createServer(async (request, response) => {
    const [method = ''] = (request.url ?? '').split('/').slice(-1);
    const body = await bodyOf(request);
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(slack.apiUrl + method, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body,
    });
    const text = await answer.text();
    const retryAfter = answer.headers.get('retry-after');
    const loss = decide(method);
    if (loss) lost.push({ method, loss, words: [...new URLSearchParams(body).values()].join('\n') });
    if (loss === 'cut') request.socket.destroy();
    if (loss === 'cut' || loss === 'hang') return;
    if (loss === 'server_error') response.writeHead(500).end('<h1>Something went wrong</h1>');
    else {
      response.writeHead(answer.status, {
        'content-type': 'application/json',
        ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
      });
      response.end(loss ? JSON.stringify({ ok: false, error: loss }) : text);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    lost,
    lose(next) {
      decide = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
