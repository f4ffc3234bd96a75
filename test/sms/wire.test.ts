import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createSmsClient } from '../../src/sms/client.ts';
import { balanceBody, key, message, SECRET, sendBody, sendData, wire } from '../helpers/sms-samples.ts';
import { startRawServer } from './helpers/sms-raw-server.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

function clientOf(baseUrl: string) {
  const client = createSmsClient({ baseUrl, timeoutMs: 10_000 });
  open.unshift(client);
  return client;
}

describe('the bytes of a request', () => {
  test('are what the service documents and nothing more', async () => {
    const server = await startRawServer({ onRequest: (socket) => socket.end(wire(500, '')) });
    open.push(server);
    const client = clientOf(server.url);
    await client.balance(key());
    await client.send(key(), { phone: '442079460958', message: 'Grüße' });
    await client.sendBulk(key(), [message]);
    const host = (connection: string) =>
      `host: 127.0.0.1:${server.port}\r\nconnection: ${connection}\r\nauthorization: Bearer ${SECRET}\r\n`;
    const single = JSON.stringify({ phone: '442079460958', message: 'Grüße' });
    const bulk = JSON.stringify({ messages: [{ phone: '442079460958', message: 'Hello' }] });
    const json = (text: string) =>
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${Buffer.from(text).toString('latin1')}`;
    expect(server.requests).toEqual([
      `GET /api/v1/user/balance HTTP/1.1\r\n${host('keep-alive')}\r\n`,
      `POST /api/v1/messages/send HTTP/1.1\r\n${host('close')}${json(single)}`,
      `POST /api/v1/messages/send-bulk HTTP/1.1\r\n${host('close')}${json(bulk)}`,
    ]);
  });
});

describe('an answer cut off', () => {
  const cases = [
    ['with a length', wire(201, sendBody)],
    [
      'in chunks',
      `HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n${chunked(JSON.stringify(sendBody))}`,
    ],
    ['ended by closing', `HTTP/1.1 201 Created\r\nconnection: close\r\n\r\n${JSON.stringify(sendBody)}`],
  ] as const;

  test.each(cases)('at every byte, %s: accepted only when whole', async (_name, answer) => {
    let cut = 0;
    const server = await startRawServer({ onRequest: (socket) => socket.end(answer.slice(0, cut)) });
    open.push(server);
    const client = clientOf(server.url);
    for (cut = 0; cut < answer.length; cut += 1) {
      const { outcome } = await client.send(key(), message);
      expect({ cut, outcome }).toEqual({ cut, outcome: 'unknown' });
    }
    expect(await client.send(key(), message)).toEqual({ outcome: 'accepted', data: sendData });
    expect(server.requests).toHaveLength(answer.length + 1);
  });
});

test('300 sends in a row to a server that closes idle connections: none unknown', async () => {
  const server = createServer({ keepAliveTimeout: 1 }, (request, response) => {
    request.resume().on('end', () => {
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(sendBody));
    });
  });
  let requests = 0;
  server.on('request', () => {
    requests += 1;
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const client = clientOf(`http://127.0.0.1:${port}/api/v1`);
  for (let index = 0; index < 300; index += 1) {
    expect(await client.send(key(), message)).toMatchObject({ outcome: 'accepted' });
    if (index % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(requests).toBe(300);
  await new Promise((resolve) => server.close(resolve));
});

test('a server that keeps connections open gets a new one for each text; reads share one', async () => {
  const server = await startRawServer({
    onRequest: (socket, request) =>
      socket.write(
        wire(request.startsWith('GET') ? 200 : 201, request.startsWith('GET') ? balanceBody : sendBody),
      ),
  });
  open.push(server);
  const client = clientOf(server.url);
  for (let index = 0; index < 5; index += 1) {
    expect(await client.send(key(), message)).toMatchObject({ outcome: 'accepted' });
    expect(await client.balance(key())).toMatchObject({ outcome: 'accepted' });
  }
  expect(server.connections).toBe(6);
});

test('if a server cuts an idle connection, a read asks once, and the next read uses a new connection', async () => {
  let reads = 0;
  const server = await startRawServer({
    onRequest(socket) {
      reads += 1;
      if (reads % 2 === 0) socket.resetAndDestroy();
      else socket.write(wire(200, balanceBody));
    },
  });
  open.push(server);
  const client = clientOf(server.url);
  const outcomes: string[] = [];
  for (let index = 0; index < 6; index += 1) outcomes.push((await client.balance(key())).outcome);
  expect(outcomes).toEqual(['accepted', 'unknown', 'accepted', 'unknown', 'accepted', 'unknown']);
  expect(reads).toBe(6);
});

function chunked(text: string): string {
  const half = Math.floor(text.length / 2);
  const parts = [text.slice(0, half), text.slice(half), ''];
  return parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
}
