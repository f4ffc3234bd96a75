import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../../local/free-port.ts';
import { createSmsClient, type SmsClient } from '../../src/sms/client.ts';
import { bulkBody, errorBody, key, message, sendBody, wire } from '../helpers/sms-samples.ts';
import { type RawServer, startRawServer } from './helpers/sms-raw-server.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

function clientOf(baseUrl: string, baseUrlAlt?: string, timeoutMs = 10_000): SmsClient {
  const client = createSmsClient({ baseUrl, timeoutMs, ...(baseUrlAlt === undefined ? {} : { baseUrlAlt }) });
  open.unshift(client);
  return client;
}

async function serverThat(onRequest?: (socket: Socket, request: string) => void): Promise<RawServer> {
  const server = await startRawServer(onRequest === undefined ? {} : { onRequest });
  open.push(server);
  return server;
}

const answers = () => serverThat((socket) => socket.end(wire(201, sendBody)));
/** Late enough for a busy machine to start the request. */
const soon = () => ({ deadline: performance.now() + 2000 });

describe('never started', () => {
  test('a refused port', async () => {
    const client = clientOf(`http://127.0.0.1:${await freePort()}/api/v1`);
    const refused = { outcome: 'not_started', cause: 'refused', detail: 'ECONNREFUSED' };
    expect(await client.send(key(), message)).toEqual(refused);
    expect(await client.balance(key())).toEqual(refused);
    expect(await client.sendBulk(key(), [message])).toEqual(refused);
  });

  test('a host name that does not exist', async () => {
    const client = clientOf('https://nobody.invalid/api/v1');
    expect(await client.send(key(), message)).toMatchObject({ outcome: 'not_started', cause: 'dns' });
  });

  test('a start that is allowed no more', async () => {
    const server = await answers();
    const client = clientOf(server.url, server.url);
    const late = { outcome: 'not_started', cause: 'too_late' };
    expect(await client.send(key(), message, { startBy: performance.now() })).toEqual(late);
    expect(await client.send(key(), message, { deadline: performance.now() - 1 })).toEqual(late);
    expect(server.connections).toBe(0);
  });

  test('a loop that is blocked while connecting, beyond startBy', async () => {
    const server = await answers();
    const call = clientOf(server.url).send(key(), message, { startBy: performance.now() + 60 });
    const until = performance.now() + 150;
    while (performance.now() < until);
    expect(await call).toMatchObject({ outcome: 'not_started' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(server.received).toBe('');
  });
});

describe('the other host form', () => {
  test('is used when the first refuses, with one request in all', async () => {
    const server = await answers();
    const client = clientOf(`http://127.0.0.1:${await freePort()}/api/v1`, server.url);
    expect(await client.send(key(), message)).toMatchObject({ outcome: 'accepted' });
    expect(server.requests).toHaveLength(1);
  });

  test('is used when the first does not exist', async () => {
    const server = await answers();
    expect(await clientOf('https://nobody.invalid/api/v1', server.url).send(key(), message)).toMatchObject({
      outcome: 'accepted',
    });
  });

  test('is not used when startBy has passed', async () => {
    const server = await answers();
    const client = clientOf('https://nobody.invalid/api/v1', server.url);
    const call = client.send(key(), message, { startBy: performance.now() + 60 });
    const until = performance.now() + 150;
    while (performance.now() < until);
    expect(await call).toMatchObject({ outcome: 'not_started' });
    expect(server.connections).toBe(0);
  });

  test('is not used once the first has started, however that ended', async () => {
    const other = await answers();
    const mute = await serverThat();
    const reset = await serverThat((socket) => socket.resetAndDestroy());
    const failing = await serverThat((socket) => socket.end(wire(503, 'no')));
    const full = await serverThat((socket) => socket.end(wire(429, 'no')));
    expect(await clientOf(mute.url, other.url).send(key(), message, soon())).toMatchObject({
      cause: 'timeout',
    });
    expect(await clientOf(reset.url, other.url).send(key(), message)).toMatchObject({ cause: 'reset' });
    expect(await clientOf(failing.url, other.url).send(key(), message)).toMatchObject({
      cause: 'server_error',
    });
    expect(await clientOf(full.url, other.url).send(key(), message)).toEqual({ outcome: 'rate_limited' });
    expect(other.connections).toBe(0);
  });

  test('fails too: the answer still says that nothing started', async () => {
    const client = clientOf(`http://127.0.0.1:${await freePort()}/api/v1`, 'https://nobody.invalid/api/v1');
    expect(await client.send(key(), message)).toMatchObject({ outcome: 'not_started' });
  });
});

describe('started, then lost', () => {
  const unknown = (cause: string, status?: number) => ({
    outcome: 'unknown',
    cause,
    ...(status === undefined ? {} : { status }),
  });

  test('reset before the request is read', async () => {
    const server = await startRawServer({ onConnection: (socket) => socket.resetAndDestroy() });
    open.push(server);
    // The kernel reports the reset while connecting or after the write: each report is true.
    const outcome = await clientOf(server.url).send(key(), message);
    expect(['unknown', 'not_started']).toContain(outcome.outcome);
    expect(server.received).toBe('');
  });

  test('reset or closed after the request was read', async () => {
    const reset = await serverThat((socket) => socket.resetAndDestroy());
    const closed = await serverThat((socket) => socket.end());
    expect(await clientOf(reset.url).send(key(), message)).toEqual(unknown('reset'));
    expect(await clientOf(closed.url).send(key(), message)).toEqual(unknown('reset'));
    expect([reset.requests.length, closed.requests.length]).toEqual([1, 1]);
  });

  test('a body that ends early', async () => {
    const server = await serverThat((socket) => socket.end(wire(201, sendBody).slice(0, -5)));
    expect(await clientOf(server.url).send(key(), message)).toEqual(unknown('truncated', 201));
  });

  test('a chunked body that ends early', async () => {
    const server = await serverThat((socket) =>
      socket.end(`HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"suc\r\n`),
    );
    expect(await clientOf(server.url).send(key(), message)).toEqual(unknown('truncated', 201));
  });

  test('an answer that is no HTTP', async () => {
    const server = await serverThat((socket) => socket.end('\u0000\u0001 what is this\r\n\r\n'));
    expect(await clientOf(server.url).send(key(), message)).toEqual(unknown('unreadable'));
  });

  test('a garbage body', async () => {
    const server = await serverThat((socket) => socket.end(wire(201, '\u0000{garbage')));
    expect(await clientOf(server.url).send(key(), message)).toEqual(unknown('unreadable', 201));
  });

  test('a body over 1 MB', async () => {
    const server = await serverThat((socket) => socket.end(wire(201, 'x'.repeat(1_100_000))));
    expect(await clientOf(server.url).send(key(), message)).toEqual(unknown('unreadable', 201));
  });

  test('a body nested deeper than the stack', async () => {
    const server = await serverThat((socket) =>
      socket.end(wire(201, '['.repeat(400_000) + ']'.repeat(400_000))),
    );
    expect(await clientOf(server.url).send(key(), message)).toEqual(unknown('unreadable', 201));
  });

  test('a head without end', async () => {
    const server = await serverThat((socket) =>
      socket.write(`HTTP/1.1 201 Created\r\nx: ${'y'.repeat(100_000)}`),
    );
    expect(await clientOf(server.url).send(key(), message)).toEqual(unknown('unreadable'));
  });

  test('a hang until the deadline', async () => {
    const server = await serverThat();
    const outcomes = await Promise.all([
      clientOf(server.url).send(key(), message, soon()),
      clientOf(server.url).sendBulk(key(), [message], soon()),
      clientOf(server.url, undefined, 2000).balance(key()),
    ]);
    expect(outcomes).toEqual(outcomes.map(() => unknown('timeout')));
    expect(server.requests).toHaveLength(3);
  });

  test('a body that drips beyond the deadline', async () => {
    const server = await serverThat((socket) => {
      const text = wire(201, sendBody);
      let sent = text.indexOf('\r\n\r\n') + 4;
      socket.write(text.slice(0, sent));
      const timer = setInterval(() => socket.write(text[sent++] ?? ''), 50);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await clientOf(server.url).send(key(), message, soon())).toEqual(unknown('timeout', 201));
  });

  test('the deadline alone ends a started request: startBy does not', async () => {
    const server = await serverThat((socket) => setTimeout(() => socket.end(wire(201, sendBody)), 2100));
    const now = performance.now();
    expect(
      await clientOf(server.url).send(key(), message, { startBy: now + 2000, deadline: now + 20_000 }),
    ).toMatchObject({ outcome: 'accepted' });
  });
});

describe('odd but whole', () => {
  test('early hints before the answer', async () => {
    const server = await serverThat((socket) =>
      socket.end(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${wire(201, sendBody)}`),
    );
    expect(await clientOf(server.url).send(key(), message)).toMatchObject({ outcome: 'accepted' });
  });

  test('a byte order mark, and bytes behind the answer', async () => {
    const marked = await serverThat((socket) => socket.end(wire(201, `\ufeff${JSON.stringify(sendBody)}`)));
    const twice = await serverThat((socket) => socket.end(wire(201, sendBody) + wire(500, 'no')));
    expect(await clientOf(marked.url).send(key(), message)).toMatchObject({ outcome: 'accepted' });
    expect(await clientOf(twice.url).send(key(), message)).toMatchObject({ outcome: 'accepted' });
  });

  test('an answer whose time is missing, or is no text: we need none', async () => {
    for (const sent_at of [undefined, 1767323045, null]) {
      const body = { ...sendBody, data: { ...sendBody.data, sent_at } };
      const server = await serverThat((socket) => socket.end(wire(201, body)));
      expect(await clientOf(server.url).send(key(), message)).toMatchObject({ outcome: 'accepted' });
    }
  });

  test('a 429 or redirect with an endless body is reported at once', async () => {
    const limited = await serverThat((socket) =>
      socket.write('HTTP/1.1 429 No\r\nretry-after: 3\r\ncontent-length: 50\r\n\r\nx'),
    );
    const moved = await serverThat((socket) =>
      socket.write('HTTP/1.1 302 Go\r\nlocation: /x\r\ncontent-length: 50\r\n\r\nx'),
    );
    expect(await clientOf(limited.url).send(key(), message)).toEqual({
      outcome: 'rate_limited',
      retryAfterMs: 3000,
    });
    expect(await clientOf(moved.url).send(key(), message)).toEqual({
      outcome: 'unknown',
      cause: 'redirect',
      status: 302,
    });
    expect([limited.requests.length, moved.requests.length]).toEqual([1, 1]);
  });

  test('an answer that lies ready when a blocked loop comes late to the deadline', async () => {
    const deadline = performance.now() + 1000;
    const server = await serverThat((socket) => {
      socket.end(wire(201, sendBody));
      while (performance.now() < deadline + 100);
    });
    expect(await clientOf(server.url).send(key(), message, { deadline })).toMatchObject({
      outcome: 'accepted',
    });
  });

  test('many at once each have their own connection and answer', async () => {
    const server = await serverThat((socket) => socket.end(wire(201, bulkBody)));
    const client = clientOf(server.url);
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => client.sendBulk(key(), [message])));
    expect(outcomes.every(({ outcome }) => outcome === 'accepted')).toBe(true);
    expect([server.requests.length, server.connections]).toEqual([50, 50]);
  });
});

describe('closing', () => {
  test('waits for requests in flight; later calls never start', async () => {
    const server = await serverThat((socket) =>
      setTimeout(() => socket.end(wire(422, errorBody('VALIDATION_ERROR', 'no'))), 200),
    );
    const client = createSmsClient({ baseUrl: server.url, timeoutMs: 5000 });
    const call = client.send(key(), message);
    await client.close();
    expect(await call).toMatchObject({ outcome: 'refused' });
    expect(await client.send(key(), message)).toMatchObject({ outcome: 'not_started', cause: 'other' });
    expect(server.requests).toHaveLength(1);
  });
});
