import { afterEach, describe, expect, it } from 'vitest';
import { SandboxError } from '../src/books.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../src/sandbox.ts';
import { ACME, aBulk, BIRCH, callsTo } from './call.ts';

const running: Sandbox[] = [];

async function start(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await createSandbox(options);
  running.push(sandbox);
  return sandbox;
}

afterEach(async () => {
  for (const sandbox of running.splice(0)) await sandbox.close();
});

describe('credits', () => {
  it('are never oversold by 100 sends at once', async () => {
    const sandbox = await start({ switches: { rateLimit: 1000 } });
    sandbox.setCredits(1, 40);
    const { send } = callsTo(sandbox);
    const answers = await Promise.all(Array.from({ length: 100 }, () => send()));
    const sent = answers.filter(({ status }) => status === 201);
    expect(sent.length).toBe(40);
    expect(answers.filter(({ status }) => status === 402).length).toBe(60);
    const remaining = sent.map(({ json }) => json.data.credits_remaining).sort((a, b) => b - a);
    expect(remaining).toEqual(Array.from({ length: 40 }, (_, n) => 39 - n));
    expect(sandbox.credits(1)).toBe(0);
    expect(sandbox.messages.length).toBe(40);
  });

  it('are never oversold by bulk and single sends of two keys on one account', async () => {
    const sandbox = await start({ switches: { rateLimit: 1000 } });
    sandbox.addKey({ name: 'Birch night shift', key: 'sandbox-key-birch-0003', user_id: 2 });
    sandbox.setCredits(2, 100);
    const { send, bulk } = callsTo(sandbox);
    const answers = await Promise.all([
      ...Array.from({ length: 30 }, () => send({ key: BIRCH })),
      ...Array.from({ length: 30 }, () => bulk({ key: 'sandbox-key-birch-0003', body: aBulk(7) })),
    ]);
    const used = answers.map(({ json }) => (json.success ? json.data.credits_used : 0));
    const total = used.reduce((sum, credits) => sum + credits, 0);
    expect(total).toBe(100 - sandbox.credits(2));
    expect(sandbox.messages.length).toBe(total);
    expect(sandbox.credits(2)).toBeLessThan(7);
  });

  it.each([-1, 1.5, Number.NaN])('cannot be set to %d', async (credits) => {
    const sandbox = await start();
    expect(() => sandbox.setCredits(1, credits)).toThrow(SandboxError);
    expect(sandbox.credits(1)).toBe(1000);
  });

  it('cannot be taken from below 0, nor given to an account that is not there', async () => {
    const sandbox = await start();
    expect(() => sandbox.topUp(2, -4)).toThrow(SandboxError);
    expect(() => sandbox.topUp(9, 1)).toThrow('There is no account with the user_id 9.');
  });
});

describe('books', () => {
  it('note every arrival with its outcome, by two clocks', async () => {
    const sandbox = await start();
    const { balance, send, bulk } = callsTo(sandbox);
    const [wall, monotonic] = [Date.now(), performance.now()];
    await balance();
    await send();
    await bulk({ key: 'unknown' });
    expect(sandbox.requests).toMatchObject([
      { id: 1, endpoint: 'balance', method: 'GET', path: '/api/v1/user/balance', key: ACME, status: 200 },
      { id: 2, endpoint: 'send', instance: 'Acme', status: 201, creditsCharged: 1, messagesSent: 1 },
      { id: 3, endpoint: 'bulk', key: null, instance: null, status: 401, creditsCharged: 0 },
    ]);
    for (const { at, monotonicMs } of sandbox.requests) {
      expect(at).toBeGreaterThanOrEqual(wall);
      expect(monotonicMs).toBeGreaterThanOrEqual(monotonic);
      expect(monotonicMs).toBeLessThanOrEqual(performance.now());
    }
  });

  it('keep the newest `keptRequests` requests, and count all', async () => {
    const sandbox = await start({ keptRequests: 2 });
    for (let n = 0; n < 3; n++) await callsTo(sandbox).balance();
    expect(sandbox.requests.map(({ id }) => id)).toEqual([2, 3]);
  });

  it('call listeners at each event, until they stop listening', async () => {
    const sandbox = await start();
    const seen: string[] = [];
    const offs = [
      sandbox.on('request', ({ path }) => seen.push(`request ${path}`)),
      sandbox.on('message', ({ id, request }) => seen.push(`message ${id} of request ${request}`)),
      sandbox.on('credits', ({ credits }) => seen.push(`credits ${credits}`)),
    ];
    const answered = new Promise((done) => offs.push(sandbox.on('answer', done)));
    await callsTo(sandbox).send();
    expect(seen).toEqual(['request /api/v1/messages/send', 'credits 999', 'message 1 of request 1']);
    expect(await answered).toMatchObject({ status: 201, open: false });
    for (const off of offs) off();
    await callsTo(sandbox).send();
    expect(seen.length).toBe(3);
  });
});

describe('options', () => {
  it('seed other accounts and instances', async () => {
    const accounts = [{ user_id: 7, user_name: 'Seven', credits: 2 }];
    const instances = [{ name: 'One', key: 'sandbox-key-seven', user_id: 7 }];
    const sandbox = await start({ seed: { accounts, instances } });
    const { balance, send } = callsTo(sandbox);
    await send({ key: 'sandbox-key-seven' });
    expect((await balance({ key: 'sandbox-key-seven' })).json.data).toEqual({
      user_id: 7,
      user_name: 'Seven',
      credits: 1,
    });
    expect((await balance()).status).toBe(401);
    expect(accounts[0]?.credits).toBe(2);
  });

  it('refuse a seed whose key has no account, or occurs twice', async () => {
    const accounts = [{ user_id: 7, user_name: 'Seven', credits: 2 }];
    const one = { name: 'One', key: 'sandbox-key-seven', user_id: 7 };
    await expect(createSandbox({ seed: { accounts, instances: [one, one] } })).rejects.toThrow(SandboxError);
    await expect(createSandbox({ seed: { accounts: [], instances: [one] } })).rejects.toThrow(SandboxError);
  });

  it('refuse invalid switches, at the start and later', async () => {
    await expect(createSandbox({ switches: { rateLimit: 0 } })).rejects.toThrow();
    const sandbox = await start();
    expect(() => sandbox.setSwitches({ rateLimits: 1 } as object)).toThrow();
  });

  it('refuse a taken port and leave nothing open', async () => {
    const taken = await start();
    const free = await createSandbox();
    await free.close();
    const options = { port: free.port, altPort: taken.port };
    await expect(createSandbox(options)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await start({ port: free.port });
  });
});

describe('reset', () => {
  it('brings back the seed, the first switches, room in the windows and empty books', async () => {
    const sandbox = await start({ switches: { rateLimit: 3, status: 'queued' } });
    const { send, balance } = callsTo(sandbox);
    const fresh = structuredClone(sandbox.state());
    await send();
    sandbox.setSwitches({ status: 'sent', rateLimit: 1 });
    sandbox.addFault({ kind: 'server_error', times: 'always' });
    sandbox.revokeKey(BIRCH);
    sandbox.addKey({ name: 'New', key: 'sandbox-key-new', user_id: 2 });
    sandbox.reset();
    expect(sandbox.state()).toEqual(fresh);
    for (let n = 0; n < 3; n += 1) expect((await balance()).status).toBe(200);
    sandbox.reset();
    expect((await send()).json.data).toMatchObject({
      message_id: 1,
      status: 'queued',
      credits_remaining: 999,
    });
  });
});
