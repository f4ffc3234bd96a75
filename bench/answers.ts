import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Slack's side of response_urls: takes an app's answers. */
export interface Answers {
  /** A new response_url, and the answer that an app posts there, with its time of arrival (ms of the steady clock). */
  expect(): { url: string; arrival: Promise<{ at: number; body: string }> };
  close(): Promise<void>;
}

export async function receiveAnswers(): Promise<Answers> {
  const awaited = new Map<string, (arrival: { at: number; body: string }) => void>();
  let count = 0;
  const server = createServer(async (req, res) => {
    const path = req.url ?? '';
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part);
    const at = performance.now();
    res.end('ok');
    awaited.get(path)?.({ at, body: Buffer.concat(parts).toString() });
    awaited.delete(path);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    expect() {
      count += 1;
      const path = `/response/${count}`;
      const arrival = new Promise<{ at: number; body: string }>((resolve) => awaited.set(path, resolve));
      return { url: `http://127.0.0.1:${port}${path}`, arrival };
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
