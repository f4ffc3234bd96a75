import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from './replies.ts';

/** Bytes; far above the largest valid request: 100 texts of 1000 characters, at twelve bytes for each escaped character. */
const MAX_BODY_BYTES = 4_000_000;

/** The whole body of a request; null if it is too large. Rejects if the client disconnects before the body ends. */
export async function bodyOf(req: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Keep the connection open: the caller still answers 413 on it.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Sends a whole answer. */
export function give({ status, headers, body }: Reply, res: ServerResponse): void {
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
}

/** Announces the length of the whole body but sends only half; resolves once that half is sent. */
export async function giveHalf({ status, headers, body }: Reply, res: ServerResponse): Promise<void> {
  const bytes = Buffer.from(body);
  res.writeHead(status, { ...headers, 'Content-Length': bytes.length });
  await new Promise((done) => res.write(bytes.subarray(0, bytes.length >> 1), done));
}

/** Waits for `ms`. Rejects when the signal aborts. */
export async function hold(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal });
}

/** Keeps the connection open and sends nothing until the client leaves. Rejects when the signal aborts. */
export async function holdOpen(res: ServerResponse, signal: AbortSignal): Promise<void> {
  if (!res.closed) await once(res, 'close', { signal });
}
