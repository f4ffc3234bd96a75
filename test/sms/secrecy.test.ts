import { inspect } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../../local/free-port.ts';
import { createSmsClient } from '../../src/sms/client.ts';
import { bulkBody, errorBody, key, message, SECRET, sendBody, wire } from '../helpers/sms-samples.ts';
import { startRawServer } from './helpers/sms-raw-server.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

/** The value as a careless program might print it. */
function printed(value: unknown): string {
  const shown = [inspect(value, { showHidden: true, depth: 20 }), JSON.stringify(value) ?? ''];
  if (value instanceof Error) shown.push(value.stack ?? '', printed(value.cause));
  return shown.join('\n');
}

const data = (status: string) => ({ ...sendBody, data: { ...sendBody.data, status } });

test.each([
  ['in the words', wire(401, errorBody(`BAD_${SECRET}`, `The key ${SECRET} is wrong.`))],
  ['escaped in JSON', wire(401, JSON.stringify(errorBody('X', SECRET)).replaceAll('/', '\\/'))],
  ['with control characters inside', wire(401, errorBody('X', SECRET.split('').join('\u0000')))],
  ['at the end of long words', wire(401, errorBody('X', `${'y'.repeat(290)} ${SECRET}`))],
  ['in the details', wire(422, errorBody('X', 'y', { details: { [SECRET]: [`not ${SECRET}`] } }))],
  ['in a success', wire(201, data(`sent ${SECRET}`))],
  ['in a garbage answer', `${SECRET}\r\n\r\n`],
  ['in a header', wire(500, '', { 'x-key': SECRET })],
  ['in HTML', wire(502, `<html>${SECRET}</html>`)],
  ['in a cut-off body', wire(500, SECRET).slice(0, -1)],
])('a service that repeats the key %s: no result holds it', async (_name, answer) => {
  const server = await startRawServer({ onRequest: (socket) => socket.end(answer) });
  const client = createSmsClient({ baseUrl: server.url, timeoutMs: 5000 });
  open.push(client, server);
  const outcome = await client.send(key(), message);
  expect(server.requests[0]).toContain(`Bearer ${SECRET}`);
  expect(printed(outcome)).not.toContain(SECRET.slice(0, 12));
});

test('the client, before, during and after calls, and its input errors', async () => {
  const server = await startRawServer({
    onRequest: (socket) => setTimeout(() => socket.end(wire(201, bulkBody)), 100),
  });
  const client = createSmsClient({ baseUrl: server.url, timeoutMs: 5000 });
  open.push(client, server);
  expect(printed(client)).not.toContain(SECRET);
  const call = client.sendBulk(key(), [message]);
  await expect.poll(() => server.requests.length).toBe(1);
  expect(printed([client, call])).not.toContain(SECRET);
  expect(printed(await call)).not.toContain(SECRET);
  const error = await client
    .send(key(), { phone: '0812', message: 'private words' })
    .catch((reason) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(printed(error)).not.toMatch(/sk-live|0812|private words/);
});

test('failures to connect', async () => {
  const client = createSmsClient({
    baseUrl: `http://127.0.0.1:${await freePort()}/api/v1`,
    timeoutMs: 5000,
  });
  open.push(client);
  const outcome = await client.send(key(), message);
  expect(outcome.outcome).toBe('not_started');
  expect(printed(outcome)).not.toContain(SECRET);
});
