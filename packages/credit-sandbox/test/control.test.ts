import { request as httpRequest } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox } from '../src/sandbox.ts';
import { BIRCH, call, callsTo } from './call.ts';

const sandbox = await createSandbox();
const calls = callsTo(sandbox);
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.close());

function steer(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return call(method, sandbox.controlUrl + path, { key: null, body, headers });
}

describe('the control surface', () => {
  it('GET /state shows accounts, instances, switches, faults, messages and requests', async () => {
    await calls.send();
    const { status, json } = await steer('GET', '/state');
    expect(status).toBe(200);
    expect(json).toEqual(JSON.parse(JSON.stringify(sandbox.state())));
    expect(Object.keys(json)).toEqual([
      'accounts',
      'instances',
      'switches',
      'faults',
      'messages',
      'requests',
    ]);
    expect(json.messages).toMatchObject([{ text: 'Hello' }]);
  });

  it('is no part of the service: its requests are not recorded, and no fault strikes them', async () => {
    sandbox.addFault({ kind: 'reset' });
    await steer('GET', '/state');
    expect(sandbox.requests).toEqual([]);
    expect(sandbox.state().faults.length).toBe(1);
  });

  it('POST /faults adds a fault, DELETE /faults removes all', async () => {
    expect((await steer('POST', '/faults', { kind: 'server_error', endpoint: 'send' })).json.faults).toEqual([
      { kind: 'server_error', endpoint: 'send', skip: 0, times: 1, ms: 0, when: 'after' },
    ]);
    expect((await calls.send()).status).toBe(500);
    await steer('POST', '/faults', { kind: 'server_error', times: 'always' });
    expect((await steer('DELETE', '/faults')).json.faults).toEqual([]);
    expect((await calls.send()).status).toBe(201);
  });

  it('POST /credits sets or adds', async () => {
    await steer('POST', '/credits', { user_id: 1, credits: 5 });
    expect(sandbox.credits(1)).toBe(5);
    const { json } = await steer('POST', '/credits', { user_id: 1, add: -2 });
    expect(json.accounts[0]).toMatchObject({ user_id: 1, credits: 3 });
  });

  it('POST /switches changes some, the others stay', async () => {
    const before = sandbox.state().switches;
    const { json } = await steer('POST', '/switches', { status: 'queued' });
    expect(json.switches).toEqual({ ...before, status: 'queued' });
  });

  it('POST /keys adds an instance, POST /keys/revoke revokes a key', async () => {
    await steer('POST', '/keys', { name: 'New', key: 'sandbox-key-new', user_id: 2 });
    expect((await calls.balance({ key: 'sandbox-key-new' })).status).toBe(200);
    await steer('POST', '/keys/revoke', { key: BIRCH });
    expect((await calls.balance({ key: BIRCH })).status).toBe(401);
  });

  it('POST /keys/move gives a key another account', async () => {
    await steer('POST', '/keys/move', { key: BIRCH, user_id: 1 });
    expect((await calls.balance({ key: BIRCH })).json.data.user_id).toBe(1);
  });

  it('POST /reset, with or without a body, puts everything back to the start', async () => {
    await calls.send();
    expect((await steer('POST', '/reset')).json.messages).toEqual([]);
    expect((await steer('POST', '/reset', {})).json.accounts[0].credits).toBe(1000);
  });

  it.each([
    ['/faults', { kind: 'explode' }],
    ['/faults', 'not JSON'],
    ['/credits', { user_id: 1 }],
    ['/credits', { user_id: 9, credits: 1 }],
    ['/credits', { user_id: 1, add: -1001 }],
    ['/switches', { rateLimits: 3 }],
    ['/switches', { rateLimit: '3' }],
    ['/keys', { name: 'New', key: BIRCH, user_id: 2 }],
    ['/keys/revoke', { key: 'unknown' }],
    ['/keys/move', { key: 'unknown', user_id: 1 }],
    ['/keys/move', { key: BIRCH, user_id: 9 }],
  ])('refuses at %s with a sentence: %o', async (path, body) => {
    const before = structuredClone(sandbox.state());
    const { status, json } = await steer('POST', path, body);
    expect(status).toBe(422);
    expect(json.error).toEqual(expect.any(String));
    expect(sandbox.state()).toEqual(before);
  });

  it('answers 404 at any other path', async () => {
    expect((await steer('GET', '/nothing')).status).toBe(404);
  });

  it.each([
    ['sandbox.example', 403],
    ['127.0.0.1.example:4010', 403],
    ['localhost:4010', 200],
    ['127.0.0.1:4010', 200],
    ['[::1]:4010', 200],
  ])('answers the Host %s with %i', async (host, status) => {
    // undici always sends the URL's own Host.
    const answered = await new Promise<number | undefined>((done, fail) => {
      const req = httpRequest(`${sandbox.controlUrl}/state`, { headers: { host } }, (res) => {
        res.resume();
        done(res.statusCode);
      });
      req.on('error', fail).end();
    });
    expect(answered).toBe(status);
  });

  it.each([
    ['https://elsewhere.example', 403],
    ['null', 403],
    ['http://localhost:3000', 200],
  ])('answers a page of %s with %i', async (origin, status) => {
    expect((await steer('POST', '/reset', undefined, { origin })).status).toBe(status);
  });
});
