import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox } from '../src/sandbox.ts';
import { Balance, BulkResult, Failure, SendResult, successOf } from './answers.ts';
import { ACME, aBulk, aMessage, BIRCH, call, callsTo } from './call.ts';

// Each test is one line of the interface document, or one thing that it leaves open; the groups are its parts.
// contract-endpoints.test.ts has "Endpoints" and "Phone format".

const sandbox = await createSandbox();
const calls = callsTo(sandbox);
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.close());

describe('What the service does', () => {
  it('uses credits from the account for each message sent', async () => {
    await calls.send();
    expect(sandbox.credits(1)).toBe(999);
    expect(sandbox.messages).toMatchObject([{ phone: '442079460958', text: 'Hello', key: ACME, user_id: 1 }]);
  });

  it('needs a key for each instance; instances may share an account', async () => {
    sandbox.addKey({ name: 'Acme night shift', key: 'sandbox-key-acme-0003', user_id: 1 });
    await calls.send();
    await calls.send({ key: 'sandbox-key-acme-0003' });
    expect(sandbox.credits(1)).toBe(998);
    expect(sandbox.messages.map(({ instance }) => instance)).toEqual(['Acme', 'Acme night shift']);
  });

  it.each([
    ['of another type', { 'content-type': 'text/plain' }, JSON.stringify(aMessage())],
    ['that is not JSON', {}, '{"phone": '],
    ['that is empty', {}, ''],
    ['that is no object', {}, '"Hello"'],
    ['that is null', {}, 'null'],
  ])('takes JSON bodies only: one %s is a VALIDATION_ERROR', async (_, headers, body) => {
    for (const ask of [calls.send, calls.bulk]) {
      const { status, json } = await ask({ headers, body });
      expect(status).toBe(422);
      expect(json.error.code).toBe('VALIDATION_ERROR');
    }
    expect(sandbox.messages).toEqual([]);
  });

  it('takes a Content-Type with a charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await calls.send({ headers })).status).toBe(201);
  });

  it('ends the base URL with /api/v1 and serves the same paths under a second host form', async () => {
    expect(sandbox.url).toMatch(/\/api\/v1$/);
    expect(sandbox.urlAlt).toMatch(/\/api\/v1$/);
    expect(new URL(sandbox.urlAlt).host).not.toBe(new URL(sandbox.url).host);
    await callsTo({ url: sandbox.urlAlt }).bulk();
    expect((await callsTo({ url: sandbox.urlAlt }).balance()).json.data.credits).toBe(998);
    expect((await calls.balance()).json.data.credits).toBe(998);
    expect(sandbox.requests.map(({ host }) => host)).toEqual(['alt', 'alt', 'main']);
  });

  it('gives every body a boolean success, with data if it is true and an error object if it is false', async () => {
    const good = await calls.balance();
    expect(good.json).toEqual({ success: true, data: expect.any(Object) });
    const bad = await calls.balance({ key: null });
    expect(bad.json).toEqual({ success: false, error: expect.any(Object) });
    expect(good.headers['content-type']).toBe('application/json');
  });

  it.each([
    ['GET', '/', 404, 'NOT_FOUND'],
    ['GET', '/messages', 404, 'NOT_FOUND'],
    ['POST', '/user/balance', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/messages/send', 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE', '/messages/send-bulk', 405, 'METHOD_NOT_ALLOWED'],
  ])('answers %s %s with %i and an error object', async (method, path, status, code) => {
    const answer = await call(method, sandbox.url + path);
    expect(answer.status).toBe(status);
    expect(Failure.parse(answer.json).error.code).toBe(code);
  });
});

describe('Resources and their fields', () => {
  it('Balance record: credits, user_id, user_name', async () => {
    const { json } = await calls.balance();
    expect(successOf(Balance.strict()).parse(json).data).toEqual({
      credits: 1000,
      user_id: 1,
      user_name: 'Acme Ltd',
    });
  });

  it('Single send result: message_id, status "sent", credits_used, credits_remaining, sent_at', async () => {
    const { json } = await calls.send();
    const { data } = successOf(SendResult.strict()).parse(json);
    expect(data).toMatchObject({ message_id: 1, status: 'sent', credits_used: 1, credits_remaining: 999 });
    expect(data.sent_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  });

  it('Bulk send result: messages_sent, credits_used, credits_remaining, messages', async () => {
    const { json } = await calls.bulk();
    expect(successOf(BulkResult.strict()).parse(json).data).toEqual({
      messages_sent: 2,
      credits_used: 2,
      credits_remaining: 998,
      messages: [
        { message_id: 1, phone: '442079460000', status: 'sent' },
        { message_id: 2, phone: '442079460001', status: 'sent' },
      ],
    });
  });

  it('Bulk send result: one entry per message in the order of the request, phone as submitted', async () => {
    const phones = ['4930901820', '+442079460958', '4930901820', '18005550100'];
    const { json } = await calls.bulk({ body: { messages: phones.map((phone) => aMessage({ phone })) } });
    expect(json.data.messages.map(({ phone }: { phone: string }) => phone)).toEqual(phones);
    expect(sandbox.messages.map(({ phone }) => phone)).toEqual(phones);
  });

  it('message_id is an integer of its own for each message', async () => {
    sandbox.setSwitches({ firstMessageId: 9_007_199_254_740_000 });
    await calls.send();
    await calls.bulk();
    const { json } = await calls.send();
    expect(json.data.message_id).toBe(9_007_199_254_740_003);
    expect(new Set(sandbox.messages.map(({ id }) => id)).size).toBe(4);
  });

  it('charges one credit per message, as the samples do', async () => {
    const { json } = await calls.bulk({ body: { messages: [aMessage({ message: 'x'.repeat(1000) })] } });
    expect(json.data.credits_used).toBe(1);
  });

  it.each([
    [{ per: 'message', credits: 3 }, 6],
    [{ per: 'segment', credits: 1 }, 4],
    [{ per: 'segment', credits: 2 }, 8],
    [{ per: 'request', credits: 5 }, 5],
    [{ per: 'message', credits: 0 }, 0],
  ] as const)('not shown: the price, here %o', async (price, used) => {
    sandbox.setSwitches({ price });
    // 161 GSM-7 characters are two segments, and so are 71 UCS-2 ones.
    const messages = [aMessage({ message: 'x'.repeat(161) }), aMessage({ message: 'ж'.repeat(71) })];
    const { json } = await calls.bulk({ body: { messages } });
    expect(json.data).toMatchObject({ credits_used: used, credits_remaining: 1000 - used });
    expect(sandbox.credits(1)).toBe(1000 - used);
  });

  it('not shown: other status values', async () => {
    sandbox.setSwitches({ status: 'queued' });
    expect((await calls.send()).json.data.status).toBe('queued');
    expect((await calls.bulk()).json.data.messages[1].status).toBe('queued');
  });

  it('not shown: fields beside the documented ones, in every answer', async () => {
    sandbox.setSwitches({ extraFields: true });
    expect(Object.keys((await calls.balance()).json)).toContain('x_unknown');
    expect(Object.keys((await calls.send()).json.data)).toContain('x_unknown');
    const bulk = successOf(BulkResult).parse((await calls.bulk()).json);
    expect(bulk.data.messages_sent).toBe(2);
    expect(Object.keys((await calls.bulk()).json.data.messages[0])).toContain('x_unknown');
    expect(Object.keys((await calls.send({ key: 'no' })).json.error)).toContain('x_unknown');
  });

  it('Error object: required_credits and available_credits with INSUFFICIENT_CREDITS only', async () => {
    sandbox.setCredits(1, 0);
    expect((await calls.send()).json.error).toMatchObject({ required_credits: 1, available_credits: 0 });
    expect(Object.keys((await calls.send({ key: null })).json.error)).toEqual(['code', 'message']);
  });
});

describe('Authentication', () => {
  it.each([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['no key in the header', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${ACME}` }],
  ])('401 MISSING_API_KEY for %s', async (_, headers) => {
    for (const ask of Object.values(calls)) {
      const { status, json } = await ask({ key: null, headers });
      expect(status).toBe(401);
      expect(Failure.parse(json).error.code).toBe('MISSING_API_KEY');
    }
  });

  it('401 INVALID_API_KEY for an unknown key, which the books do not record', async () => {
    for (const ask of Object.values(calls)) {
      const { status, json } = await ask({ key: 'somebody-elses-key' });
      expect(status).toBe(401);
      expect(Failure.parse(json).error.code).toBe('INVALID_API_KEY');
    }
    expect(JSON.stringify(sandbox.state())).not.toContain('somebody-elses-key');
  });

  it('not shown: rotation; a revoked key is invalid, a new one works', async () => {
    sandbox.revokeKey(ACME);
    expect((await calls.balance()).json.error.code).toBe('INVALID_API_KEY');
    sandbox.addKey({ name: 'Acme', key: 'sandbox-key-acme-0004', user_id: 1 });
    expect((await calls.balance({ key: 'sandbox-key-acme-0004' })).status).toBe(200);
  });

  it('not shown: whether a key keeps its account; the account of now pays', async () => {
    sandbox.moveKey(ACME, 2);
    expect((await calls.balance()).json.data).toEqual({ credits: 3, user_id: 2, user_name: 'Birch & Co' });
    expect((await calls.send()).json.data.credits_remaining).toBe(2);
    expect(sandbox.credits(1)).toBe(1000);
  });
});

describe('Errors', () => {
  it('VALIDATION_ERROR, 422: the details name the fields in error', async () => {
    const { status, json } = await calls.send({ body: {} });
    expect(status).toBe(422);
    const { error } = Failure.parse(json);
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(error.details).toEqual({ phone: [expect.any(String)], message: [expect.any(String)] });
  });

  it('not shown: the shape of the details, here a list', async () => {
    sandbox.setSwitches({ errorDetails: 'list' });
    const { json } = await calls.send({ body: aMessage({ phone: 'x' }) });
    expect(json.error.details).toEqual([{ field: 'phone', message: expect.any(String) }]);
    sandbox.setSwitches({ errorDetails: 'none' });
    expect((await calls.send({ body: aMessage({ phone: 'x' }) })).json.error).not.toHaveProperty('details');
  });

  it('INSUFFICIENT_CREDITS, 402: balance too low for a message, with both figures', async () => {
    sandbox.setSwitches({ price: { per: 'message', credits: 4 } });
    const { status, json } = await calls.send({ key: BIRCH });
    expect(status).toBe(402);
    const { error } = Failure.parse(json);
    expect(error).toMatchObject({ code: 'INSUFFICIENT_CREDITS', required_credits: 4, available_credits: 3 });
    expect(sandbox.credits(2)).toBe(3);
  });

  it('INSUFFICIENT_CREDITS: the last credit can be spent', async () => {
    sandbox.setCredits(2, 1);
    expect((await calls.send({ key: BIRCH })).json.data.credits_remaining).toBe(0);
    expect((await calls.send({ key: BIRCH })).status).toBe(402);
    sandbox.topUp(2, 1);
    expect((await calls.send({ key: BIRCH })).status).toBe(201);
  });

  it('SERVER_ERROR, 500: may be retried later', async () => {
    sandbox.addFault({ kind: 'server_error', when: 'before' });
    const { status, json } = await calls.send();
    expect(status).toBe(500);
    expect(Failure.parse(json).error.code).toBe('SERVER_ERROR');
    expect((await calls.send()).status).toBe(201);
  });

  it('429 when the bulk size is exceeded, nothing sent', async () => {
    const { status, json } = await calls.bulk({ body: aBulk(101) });
    expect(status).toBe(429);
    expect(json.success).toBe(false);
    expect(sandbox.credits(1)).toBe(1000);
  });

  it.each([
    ['error_object', /"success":false/, 'application/json'],
    ['plain_text', /^Too Many Requests$/, 'text/plain'],
    ['html', /<html>/, 'text/html'],
    ['empty', /^$/, undefined],
  ] as const)('not shown: the body of a 429, here %s', async (tooManyBody, body, type) => {
    sandbox.setSwitches({ tooManyBody, rateLimit: 1 });
    await calls.balance();
    for (const ask of [calls.balance, () => calls.bulk({ key: BIRCH, body: aBulk(101) })]) {
      const { status, text, headers } = await ask();
      expect(status).toBe(429);
      expect(text).toMatch(body);
      expect(headers['content-type']).toBe(type);
    }
  });
});

describe('Limits', () => {
  it('60 requests per minute and key over all endpoints, the 61st is 429', async () => {
    const asks = Array.from({ length: 20 }, () => Object.values(calls)).flat();
    const statuses = await Promise.all(asks.map(async (ask) => (await ask()).status));
    expect(statuses.filter((status) => status < 300).length).toBe(60);
    for (const ask of Object.values(calls)) expect((await ask()).status).toBe(429);
    expect((await callsTo({ url: sandbox.urlAlt }).balance()).status).toBe(429);
    expect(sandbox.credits(1)).toBe(1000 - 20 - 40);
  });

  it('the rate is counted per key, not per account', async () => {
    sandbox.setSwitches({ rateLimit: 1 });
    sandbox.addKey({ name: 'Acme night shift', key: 'sandbox-key-acme-0003', user_id: 1 });
    expect((await calls.balance()).status).toBe(200);
    expect((await calls.balance()).status).toBe(429);
    expect((await calls.balance({ key: 'sandbox-key-acme-0003' })).status).toBe(200);
  });

  it('refused requests count too, whatever the reason', async () => {
    sandbox.setSwitches({ rateLimit: 2 });
    await calls.send({ body: {} });
    await calls.bulk({ body: aBulk(101) });
    expect((await calls.balance()).status).toBe(429);
  });

  it('not shown: rate-limit headers; Retry-After is there only on demand', async () => {
    sandbox.setSwitches({ rateLimit: 1 });
    await calls.balance();
    expect((await calls.balance()).headers['retry-after']).toBeUndefined();
    sandbox.setSwitches({ retryAfter: true });
    const seconds = Number((await calls.balance()).headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
  });
});

describe('Versioning', () => {
  it('the path carries the version; there is no other one', async () => {
    const url = sandbox.url.replace('/v1', '/v2');
    expect((await callsTo({ url }).balance()).status).toBe(404);
  });
});
