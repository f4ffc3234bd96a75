import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { FaultInput } from '../src/faults.ts';
import { createSandbox } from '../src/sandbox.ts';
import { Failure } from './answers.ts';
import { ACME, aBulk, aMessage, BIRCH, callsTo } from './call.ts';

const sandbox = await createSandbox();
const calls = callsTo(sandbox);
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.close());

/** Sends one text over a bare connection. Resolves with the bytes that came back, and how the connection ended. */
async function sendRaw(): Promise<{ received: string; end: 'FIN' | 'RST' }> {
  const socket = rawSend();
  let end: 'FIN' | 'RST' = 'FIN';
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') end = 'RST';
  });
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  await new Promise((done) => socket.on('close', done));
  return { received, end };
}

function rawSend() {
  const body = JSON.stringify(aMessage());
  const head = [
    'POST /api/v1/messages/send HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${ACME}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  const socket = connect(sandbox.port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

/** Resolves at the next `event`. */
function next(event: 'request' | 'answer' | 'message'): Promise<void> {
  return new Promise((done) => {
    const off = sandbox.on(event, () => {
      off();
      done();
    });
  });
}

function lastRequest() {
  return sandbox.requests.at(-1);
}

const sides = [
  ['before', 1000, 0],
  ['after', 999, 1],
] as const;

describe.each(sides)('%s the charge', (when, credits, messages) => {
  function expectCharged(): void {
    expect(sandbox.credits(1)).toBe(credits);
    expect(sandbox.messages.length).toBe(messages);
    expect(lastRequest()).toMatchObject({ creditsCharged: 1000 - credits, messagesSent: messages });
  }

  it('reset: the client sees RST and not a byte', async () => {
    sandbox.addFault({ kind: 'reset', when });
    expect(await sendRaw()).toEqual({ received: '', end: 'RST' });
    expectCharged();
    expect(lastRequest()).toMatchObject({ fault: 'reset', status: null });
  });

  it('reset: undici reports ECONNRESET', async () => {
    sandbox.addFault({ kind: 'reset', when });
    await expect(calls.send()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expectCharged();
  });

  it('hang: no answer comes; the client gives up', async () => {
    sandbox.addFault({ kind: 'hang', when });
    const leave = new AbortController();
    const answer = calls.send({ signal: leave.signal });
    await next('request');
    await new Promise((done) => setTimeout(done, 100));
    expect(lastRequest()).toMatchObject({ open: true, status: null });
    const gone = next('answer');
    leave.abort();
    await expect(answer).rejects.toThrow();
    await gone;
    expect(lastRequest()).toMatchObject({ open: false, fault: 'hang', status: null });
    expectCharged();
  });

  it('500: SERVER_ERROR as documented', async () => {
    sandbox.addFault({ kind: 'server_error', when });
    const { status, json } = await calls.send();
    expect(status).toBe(500);
    expect(Failure.parse(json).error.code).toBe('SERVER_ERROR');
    expectCharged();
  });

  it('502: the HTML page of a proxy', async () => {
    sandbox.addFault({ kind: 'bad_gateway', when });
    const { status, text, headers } = await calls.send();
    expect(status).toBe(502);
    expect(headers['content-type']).toBe('text/html');
    expect(text).toContain('<h1>502 Bad Gateway</h1>');
    expectCharged();
  });

  it('answer: exactly the given one', async () => {
    sandbox.addFault({ kind: 'answer', when, status: 302, headers: { Location: '/login' }, body: 'moved' });
    const answer = await calls.send();
    expect(answer).toMatchObject({ status: 302, text: 'moved', headers: { location: '/login' } });
    expectCharged();
  });

  it('delay: the right answer, late', async () => {
    sandbox.addFault({ kind: 'delay', when, ms: 150 });
    const started = performance.now();
    const answer = calls.send();
    await next('request');
    expect((await answer).status).toBe(201);
    expect(performance.now() - started).toBeGreaterThan(145);
    expect(sandbox.credits(1)).toBe(999);
  });

  it('any fault may come late', async () => {
    sandbox.addFault({ kind: 'server_error', when, ms: 150 });
    const started = performance.now();
    expect((await calls.send()).status).toBe(500);
    expect(performance.now() - started).toBeGreaterThan(145);
    expectCharged();
  });
});

describe('delay and the charge', () => {
  it('after: charged while the client still waits', async () => {
    sandbox.addFault({ kind: 'delay', when: 'after', ms: 600_000 });
    const answer = calls.send();
    const refused = expect(answer).rejects.toThrow();
    await next('message');
    expect(sandbox.credits(1)).toBe(999);
    expect(lastRequest()).toMatchObject({ open: true });
    sandbox.reset();
    await refused;
  });

  it('before: the service charges a client that has left, too', async () => {
    sandbox.addFault({ kind: 'delay', when: 'before', ms: 100 });
    const sent = next('message');
    const leave = new AbortController();
    const answer = calls.send({ signal: leave.signal });
    await next('request');
    leave.abort();
    await expect(answer).rejects.toThrow();
    await sent;
    expect(sandbox.credits(1)).toBe(999);
  });

  it('before: a reset of the sandbox cuts the request, and the service never processes it', async () => {
    sandbox.addFault({ kind: 'delay', when: 'before', ms: 100 });
    const answer = calls.send();
    const refused = expect(answer).rejects.toThrow();
    await next('request');
    sandbox.reset();
    await refused;
    await new Promise((done) => setTimeout(done, 150));
    expect(sandbox.credits(1)).toBe(1000);
    expect(sandbox.messages).toEqual([]);
  });
});

describe('broken answers, all after the charge', () => {
  function expectCharged(): void {
    expect(sandbox.credits(1)).toBe(999);
    expect(lastRequest()).toMatchObject({ creditsCharged: 1, messagesSent: 1, status: 201 });
  }

  it('truncate: half of the announced body, then the end', async () => {
    sandbox.addFault({ kind: 'truncate' });
    const { received, end } = await sendRaw();
    expect(end).toBe('FIN');
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 201 /);
    expect(body.length).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]) >> 1);
    expect(body).toMatch(/^{"success":true,/);
    expectCharged();
  });

  it('truncate: undici reports that the body is too short', async () => {
    sandbox.addFault({ kind: 'truncate' });
    await expect(calls.send()).rejects.toMatchObject({ code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' });
    expectCharged();
  });

  it('stall: half of the announced body, and the connection stays open', async () => {
    sandbox.addFault({ kind: 'stall' });
    const socket = rawSend();
    const [chunk] = await once(socket, 'data');
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 201 /);
    await new Promise((done) => setTimeout(done, 100));
    expect(socket.readyState).toBe('open');
    expect(lastRequest()).toMatchObject({ open: true });
    socket.destroy();
    await next('answer');
    expectCharged();
  });

  it('garbage: the right status, a body that is not JSON', async () => {
    sandbox.addFault({ kind: 'garbage' });
    const { status, json, headers } = await calls.send();
    expect(status).toBe(201);
    expect(headers['content-type']).toBe('application/json');
    expect(json).toBeNull();
    expectCharged();
  });
});

describe('refusals, nothing charged', () => {
  it.each([
    ['rate_limited', 429, 'RATE_LIMIT_EXCEEDED'],
    ['key_revoked', 401, 'INVALID_API_KEY'],
    ['no_credits', 402, 'INSUFFICIENT_CREDITS'],
  ] as const)('%s: %i %s', async (kind, status, code) => {
    for (const ask of [calls.send, calls.bulk]) {
      sandbox.addFault({ kind });
      const answer = await ask();
      expect(answer.status).toBe(status);
      expect(Failure.parse(answer.json).error.code).toBe(code);
      expect(lastRequest()).toMatchObject({ fault: kind, creditsCharged: 0, messagesSent: 0 });
    }
    expect(sandbox.credits(1)).toBe(1000);
    expect((await calls.send()).status).toBe(201);
  });

  it('no_credits: the figures fit the request, and it never strikes a balance request', async () => {
    sandbox.addFault({ kind: 'no_credits' });
    expect((await calls.balance()).status).toBe(200);
    const { json } = await calls.bulk({ body: aBulk(7) });
    expect(json.error).toMatchObject({ required_credits: 7, available_credits: 6 });
  });

  it('rate_limited: has Retry-After if that is on, and the body of the switch', async () => {
    sandbox.setSwitches({ retryAfter: true, tooManyBody: 'html' });
    sandbox.addFault({ kind: 'rate_limited' });
    const { headers, text } = await calls.send();
    expect(headers['retry-after']).toBe('60');
    expect(text).toContain('<html>');
  });
});

describe('which requests are struck', () => {
  async function statuses(count: number, ask = calls.balance): Promise<number[]> {
    const found: number[] = [];
    for (let n = 0; n < count; n += 1) found.push((await ask()).status);
    return found;
  }

  it('the next one, of any endpoint, and no other', async () => {
    sandbox.addFault({ kind: 'server_error' });
    expect(await statuses(2)).toEqual([500, 200]);
  });

  it('those of its endpoint', async () => {
    const each = {
      balance: [500, 201, 201],
      send: [200, 500, 201],
      bulk: [200, 201, 500],
      texts: [200, 500, 500],
    };
    for (const [endpoint, expected] of Object.entries(each)) {
      sandbox.addFault({ kind: 'server_error', endpoint: endpoint as keyof typeof each, times: 'always' });
      const answers = [await calls.balance(), await calls.send(), await calls.bulk()];
      expect(answers.map(({ status }) => status)).toEqual(expected);
      sandbox.clearFaults();
    }
  });

  it('`times` of them, after `skip` that pass', async () => {
    sandbox.addFault({ kind: 'server_error', skip: 1, times: 2 });
    expect(await statuses(4)).toEqual([200, 500, 500, 200]);
    expect(sandbox.state().faults).toEqual([]);
  });

  it('always, until somebody removes the fault', async () => {
    sandbox.addFault({ kind: 'server_error', times: 'always' });
    expect(await statuses(5)).toEqual([500, 500, 500, 500, 500]);
    sandbox.clearFaults();
    expect(await statuses(1)).toEqual([200]);
  });

  it('in the order in which the faults were added, one a request', async () => {
    sandbox.addFault({ kind: 'server_error' });
    sandbox.addFault({ kind: 'bad_gateway' });
    expect(await statuses(3)).toEqual([500, 502, 200]);
  });

  it('whatever host form and key they use', async () => {
    sandbox.addFault({ kind: 'server_error', times: 2 });
    expect((await callsTo({ url: sandbox.urlAlt }).balance()).status).toBe(500);
    expect((await calls.balance({ key: BIRCH })).status).toBe(500);
  });

  it.each([
    { kind: 'explode' },
    { kind: 'delay' },
    { kind: 'reset', times: 0 },
    { kind: 'garbage', when: 'before' },
    { kind: 'reset', endpoint: '/messages/send' },
  ])('refuses what is no fault: %o', (fault) => {
    expect(() => sandbox.addFault(fault as FaultInput)).toThrow();
  });

  it('counts a struck request for the rate', async () => {
    sandbox.setSwitches({ rateLimit: 1 });
    sandbox.addFault({ kind: 'reset', when: 'before' });
    await expect(calls.send()).rejects.toThrow();
    expect((await calls.send()).status).toBe(429);
  });
});

describe('close', () => {
  it('cuts what hangs at once, lets nothing be charged later, and may be called twice', async () => {
    const own = await createSandbox();
    own.addFault({ kind: 'hang', times: 2 });
    own.addFault({ kind: 'delay', when: 'before', ms: 100 });
    const held = Promise.all([
      new Promise<void>((done) => own.on('request', ({ id }) => id === 3 && done())),
      new Promise<void>((done) => own.on('message', ({ id }) => id === 2 && done())),
    ]);
    const answers = [1, 2, 3].map(() => callsTo(own).send());
    const refused = Promise.all(answers.map((answer) => expect(answer).rejects.toThrow()));
    const idle = connect(own.port, '127.0.0.1');
    await once(idle, 'connect');
    const ended = text(idle).catch(() => '');
    await held;
    await own.close();
    await Promise.all([refused, ended, own.close()]);
    await new Promise((done) => setTimeout(done, 150));
    expect(own.credits(1)).toBe(998);
    await expect(callsTo(own).balance()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
