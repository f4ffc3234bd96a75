import { getDefaultResultOrder, setDefaultResultOrder } from 'node:dns';
import { once } from 'node:events';
import { createServer, connect as netConnect, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createSmsClient } from '../../src/sms/client.ts';
import { key, message, sendBody, wire } from '../helpers/sms-samples.ts';
import { startBusyServer } from './helpers/sms-backlog.ts';
import { startRawServer } from './helpers/sms-raw-server.ts';
import { startTlsServer, testCertificate } from './helpers/sms-tls.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

function clientOf(baseUrl: string, baseUrlAlt?: string) {
  const client = createSmsClient({
    baseUrl,
    timeoutMs: 20_000,
    ...(baseUrlAlt === undefined ? {} : { baseUrlAlt }),
  });
  open.unshift(client);
  return client;
}

function opened<T extends { close(): Promise<void> }>(thing: T): T {
  open.push(thing);
  return thing;
}

/** A proxy that forwards nothing until the release. `ended` counts the client's closed connections. */
async function startHoldingProxy(target: number) {
  const sockets = new Set<Socket>();
  let released = false;
  const waiting: (() => void)[] = [];
  const state = { ended: 0 };
  const server = createServer((client) => {
    const upstream = netConnect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('close', () => {
      state.ended += 1;
      upstream.end();
    });
    upstream.on('close', () => client.end());
    const join = () => {
      client.pipe(upstream);
      upstream.pipe(client);
    };
    if (released) join();
    else waiting.push(join);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return Object.assign(state, {
    url: `https://localhost:${address.port}/api/v1`,
    release() {
      released = true;
      for (const join of waiting.splice(0)) join();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  });
}

describe('a full accept queue', () => {
  test('"never started" stays true when the connection comes through later', async () => {
    const server = opened(await startBusyServer());
    const client = clientOf(server.url);
    const outcomes = await Promise.all([
      client.send(key(), message, { deadline: performance.now() + 300 }),
      client.send(key(), message, { startBy: performance.now() + 300 }),
    ]);
    expect(outcomes).toEqual([
      { outcome: 'not_started', cause: 'connect_timeout' },
      { outcome: 'not_started', cause: 'connect_timeout' },
    ]);
    server.release();
    await expect.poll(() => server.ended).toEqual(['', '']);
  });

  test('the other host form is tried beside it, and only one request is sent', async () => {
    const busy = opened(await startBusyServer());
    let answer = () => {};
    const other = opened(
      await startRawServer({
        onRequest: (socket) => {
          answer = () => socket.end(wire(201, sendBody));
        },
      }),
    );
    const call = clientOf(busy.url, other.url).send(key(), message);
    await expect.poll(() => other.requests.length).toBe(1);
    busy.release();
    await expect.poll(() => busy.ended).toEqual(['']);
    answer();
    expect(await call).toMatchObject({ outcome: 'accepted' });
    expect(other.requests).toHaveLength(1);
  });
});

describe('over TLS', () => {
  let certificate: { key: string; cert: string };
  const trusted = getCACertificates('default');
  const order = getDefaultResultOrder();

  beforeAll(() => {
    certificate = testCertificate();
    setDefaultResultOrder('ipv4first');
  });
  afterEach(() => setDefaultCACertificates(trusted));
  afterAll(() => setDefaultResultOrder(order));

  const trust = () => setDefaultCACertificates([...trusted, certificate.cert]);
  const answering = async () =>
    opened(await startTlsServer(certificate, (socket) => void socket.end(wire(201, sendBody))));

  test('a trusted certificate: accepted', async () => {
    trust();
    const server = await answering();
    expect(await clientOf(server.url).send(key(), message)).toMatchObject({ outcome: 'accepted' });
    expect(server.requests).toHaveLength(1);
  });

  test('a certificate that nobody trusts, or for another name', async () => {
    const server = await answering();
    expect(await clientOf(server.url).send(key(), message)).toEqual({
      outcome: 'not_started',
      cause: 'tls',
      detail: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    trust();
    const elsewhere = server.url.replace('localhost', '127.0.0.2');
    expect(await clientOf(elsewhere).send(key(), message)).toMatchObject({ outcome: 'not_started' });
    expect(server.received).toBe('');
  });

  test('a server that shares no cipher with us', async () => {
    const server = opened(await startTlsServer(undefined, () => {}));
    expect(await clientOf(server.url).send(key(), message)).toMatchObject({
      outcome: 'not_started',
      cause: 'tls',
    });
  });

  test('garbage, silence, a close and a reset instead of a handshake', async () => {
    const tls = (url: string) => url.replace('http:', 'https:');
    const garbage = opened(
      await startRawServer({ onConnection: (socket) => void socket.end('220 hello\r\n') }),
    );
    const silent = opened(await startRawServer());
    const closing = opened(await startRawServer({ onConnection: (socket) => void socket.end() }));
    const resetting = opened(await startRawServer({ onConnection: (socket) => socket.resetAndDestroy() }));
    const tlsFailure = { outcome: 'not_started', cause: 'tls' };
    expect(await clientOf(tls(garbage.url)).send(key(), message)).toMatchObject(tlsFailure);
    expect(await clientOf(tls(closing.url)).send(key(), message)).toMatchObject(tlsFailure);
    expect(await clientOf(tls(resetting.url)).send(key(), message)).toMatchObject({ outcome: 'not_started' });
    expect(
      await clientOf(tls(silent.url)).send(key(), message, { deadline: performance.now() + 300 }),
    ).toEqual({ outcome: 'not_started', cause: 'connect_timeout' });
  });

  test('a handshake that ends after the caller gave up: no request follows', async () => {
    trust();
    const server = await answering();
    const proxy = opened(await startHoldingProxy(server.port));
    const client = clientOf(proxy.url);
    expect(await client.send(key(), message, { startBy: performance.now() + 300 })).toEqual({
      outcome: 'not_started',
      cause: 'connect_timeout',
    });
    proxy.release();
    await expect.poll(() => proxy.ended).toBe(1);
    expect(await client.send(key(), message)).toMatchObject({ outcome: 'accepted' });
    expect(server.requests).toHaveLength(1);
  });

  test('closing the client while a handshake hangs: nothing follows', async () => {
    trust();
    const server = await answering();
    const proxy = opened(await startHoldingProxy(server.port));
    const client = createSmsClient({ baseUrl: proxy.url, timeoutMs: 20_000 });
    const call = client.send(key(), message, { startBy: performance.now() + 300 });
    await client.close();
    expect(await call).toEqual({ outcome: 'not_started', cause: 'connect_timeout' });
    proxy.release();
    await expect.poll(() => proxy.ended).toBe(1);
    expect(server.received).toBe('');
  });
});
