import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createReplies } from '../../../src/slack/answers/replies.ts';
import { message } from '../../../src/slack/ui/blocks.ts';

let server: Server;
let answer: { status: number; body: string; headers?: { 'retry-after': string } };

beforeEach(async () => {
  server = createServer((_request, response) => {
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((ready) => server.listen(0, ready));
});
afterEach(() => new Promise((closed) => server.close(closed)));

function use() {
  const { port } = server.address() as AddressInfo;
  const to = {
    user: 'U1',
    channel: 'C1',
    issuedAt: Date.now(),
    responseUrl: `http://localhost:${port}/response/1`,
  };
  return createReplies({ web: new WebClient() }).byUrl(to, message('Sent'));
}

test.each([
  [{ status: 200, body: 'ok' }, 'done'],
  [{ status: 200, body: '{"ok":true}' }, 'done'],
  [{ status: 200, body: '{"ok": false, "error": "ratelimited"}' }, { waitMs: 30_000 }],
  [{ status: 200, body: '{"ok":false,"error":"expired_url"}' }, 'gone'],
  [{ status: 200, body: '{"ok":false,"error":"invalid_blocks"}' }, 'invalid'],
  [{ status: 400, body: 'invalid_blocks' }, 'invalid'],
  [{ status: 404, body: '{"ok":false,"error":"used_url"}' }, 'gone'],
  [{ status: 429, body: 'ratelimited', headers: { 'retry-after': '7' } }, { waitMs: 7000 }],
  // Nobody waits for hours: the next try asks Slack again.
  [{ status: 429, body: 'ratelimited', headers: { 'retry-after': '86400' } }, { waitMs: 600_000 }],
  [{ status: 500, body: '{"ok":false,"error":"internal_error"}' }, 'lost'],
  [{ status: 200, body: '{"ok":false,"error":"internal_error"}' }, 'lost'],
])('a response_url that answers %j', async (said, meaning) => {
  answer = said;
  expect(await use()).toEqual(meaning);
});
