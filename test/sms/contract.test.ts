import nock from 'nock';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createSmsClient } from '../../src/sms/client.ts';
import { isKeyError } from '../../src/sms/read-outcome.ts';
import {
  balanceBody,
  bulkBody,
  errorBody,
  key,
  message,
  SECRET,
  sendBody,
  sendData,
} from '../helpers/sms-samples.ts';

const ORIGIN = 'https://sms.test';
const client = createSmsClient({ baseUrl: `${ORIGIN}/api/v1`, timeoutMs: 5000 });
const two = [message, { phone: '442079460959', message: 'Hi 👋' }];

beforeAll(() => nock.disableNetConnect());
afterEach(() => {
  const left = nock.pendingMocks();
  nock.cleanAll();
  expect(left).toEqual([]);
});
afterAll(async () => {
  await client.close();
  nock.enableNetConnect();
  nock.restore();
});

const calls = {
  balance: { path: '/user/balance', method: 'GET', call: () => client.balance(key()) },
  send: { path: '/messages/send', method: 'POST', call: () => client.send(key(), message) },
  sendBulk: { path: '/messages/send-bulk', method: 'POST', call: () => client.sendBulk(key(), two) },
} as const;
const names = ['balance', 'send', 'sendBulk'] as const;

function answer(name: keyof typeof calls, status: number, body: nock.Body, headers?: nock.ReplyHeaders) {
  const { path, method } = calls[name];
  nock(ORIGIN).intercept(`/api/v1${path}`, method).reply(status, body, headers);
  return calls[name].call();
}

describe('what travels', () => {
  test('GET /user/balance carries the key and nothing else', async () => {
    const headers = { authorization: `Bearer ${SECRET}` };
    nock(ORIGIN, { reqheaders: headers, badheaders: ['content-type', 'content-length', 'cookie'] })
      .get('/api/v1/user/balance', '')
      .reply(200, balanceBody);
    expect(await client.balance(key())).toEqual({ outcome: 'accepted', data: balanceBody.data });
  });

  test('POST /messages/send carries phone and message as JSON', async () => {
    nock(ORIGIN, { reqheaders: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' } })
      .post(
        '/api/v1/messages/send',
        (body) => JSON.stringify(body) === '{"phone":"442079460958","message":"Hello"}',
      )
      .reply(201, sendBody);
    expect(await client.send(key(), message)).toEqual({ outcome: 'accepted', data: sendData });
  });

  test('POST /messages/send-bulk carries the messages in their order', async () => {
    nock(ORIGIN, { reqheaders: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' } })
      .post('/api/v1/messages/send-bulk', {
        messages: [
          { phone: '442079460958', message: 'Hello' },
          { phone: '442079460959', message: 'Hi 👋' },
        ],
      })
      .reply(201, bulkBody);
    expect(await client.sendBulk(key(), two)).toEqual({ outcome: 'accepted', data: bulkBody.data });
  });

  test('extra fields of a success pass; another status value is kept', async () => {
    const data = { ...sendBody.data, status: 'queued', segments: 2 };
    expect(await answer('send', 201, { success: true, data, more: 1 })).toMatchObject({
      outcome: 'accepted',
      data: { status: 'queued' },
    });
  });
});

describe.each(names)('%s: documented failures', (name) => {
  test.each(['MISSING_API_KEY', 'INVALID_API_KEY'])('401 %s', async (code) => {
    expect(await answer(name, 401, errorBody(code, 'No such key.'))).toEqual({
      outcome: 'refused',
      status: 401,
      reason: 'key',
      code,
      message: 'No such key.',
    });
  });

  test.each([
    ['MISSING_API_KEY', true],
    ['INVALID_API_KEY', true],
    ['SESSION_EXPIRED', false],
  ])(
    '401 %s is about the key, and a documented code alone proves that nothing was looked at',
    async (code, isProof) => {
      const outcome = await answer(name, 401, errorBody(code, 'Log in again.'));
      if (outcome.outcome !== 'refused') throw new Error(`it was ${outcome.outcome}`);
      expect([outcome.reason, isKeyError(outcome)]).toEqual(['key', isProof]);
    },
  );

  test('402 INSUFFICIENT_CREDITS with its figures', async () => {
    const body = errorBody('INSUFFICIENT_CREDITS', 'Too few.', { required_credits: 2, available_credits: 0 });
    expect(await answer(name, 402, body)).toEqual({
      outcome: 'refused',
      status: 402,
      reason: 'credits',
      code: 'INSUFFICIENT_CREDITS',
      message: 'Too few.',
      requiredCredits: 2,
      availableCredits: 0,
    });
  });

  test('402 whose figures are no integers is still a refusal', async () => {
    const body = errorBody('INSUFFICIENT_CREDITS', 'Too few.', { required_credits: '2' });
    const outcome = await answer(name, 402, body);
    expect(outcome).toMatchObject({ outcome: 'refused', reason: 'credits' });
    expect(outcome).not.toHaveProperty('requiredCredits');
  });

  test.each([
    ['a record of lists', { details: { phone: ['is wrong', 'is short'] } }],
    [
      'a list of records',
      {
        errors: [
          { field: 'phone', message: 'is wrong' },
          { field: 'phone', message: 'is short' },
        ],
      },
    ],
  ])('422 VALIDATION_ERROR, details as %s', async (_name, details) => {
    expect(await answer(name, 422, errorBody('VALIDATION_ERROR', 'Check it.', details))).toEqual({
      outcome: 'refused',
      status: 422,
      reason: 'validation',
      code: 'VALIDATION_ERROR',
      message: 'Check it.',
      fields: ['phone', 'phone'],
    });
  });

  test('422 without details has no fields', async () => {
    expect(await answer(name, 422, errorBody('VALIDATION_ERROR', 'Check it.'))).not.toHaveProperty('fields');
  });

  test.each([400, 403, 404, 409, 418, 499])(
    '%d with the error object is a refusal, its code kept',
    async (status) => {
      expect(await answer(name, status, errorBody('SOMETHING_NEW', 'Because.'))).toEqual({
        outcome: 'refused',
        status,
        reason: 'other',
        code: 'SOMETHING_NEW',
        message: 'Because.',
      });
    },
  );

  test.each([500, 502, 503, 504])('%d is unknown, with or without the error object', async (status) => {
    expect(await answer(name, status, errorBody('SERVER_ERROR', 'Later.'))).toEqual({
      outcome: 'unknown',
      cause: 'server_error',
      status,
      code: 'SERVER_ERROR',
      message: 'Later.',
    });
    expect(await answer(name, status, '<html><h1>Bad Gateway</h1></html>')).toEqual({
      outcome: 'unknown',
      cause: 'server_error',
      status,
    });
  });

  test.each([
    ['an error object', JSON.stringify(errorBody('RATE', 'Slow.'))],
    ['HTML', '<html>'],
    ['nothing', ''],
  ])('429 with %s is rate_limited', async (_name, body) => {
    expect(await answer(name, 429, body)).toEqual({ outcome: 'rate_limited' });
    expect(await answer(name, 429, body, { 'retry-after': '7' })).toEqual({
      outcome: 'rate_limited',
      retryAfterMs: 7000,
    });
  });

  test.each([
    ['HTML', '<html>Unauthorized</html>'],
    ['nothing', ''],
    ['a JSON text', '"no"'],
    ['another shape', '{"error":"no"}'],
    ['success: true', '{"success":true,"error":{"code":"X","message":"y"}}'],
    ['an error without a code', '{"success":false,"error":{"message":"y"}}'],
  ])('401, 402, 404 and 422 with %s are unknown', async (_name, body) => {
    for (const status of [401, 402, 404, 422]) {
      expect(await answer(name, status, body)).toEqual({ outcome: 'unknown', cause: 'unreadable', status });
    }
  });

  test.each([301, 302, 303, 307, 308])('%d is not followed', async (status) => {
    const headers = { location: `${ORIGIN}/api/v1/elsewhere` };
    expect(await answer(name, status, '', headers)).toEqual({
      outcome: 'unknown',
      cause: 'redirect',
      status,
    });
  });

  test.each([202, 204, 206])('%d is unknown', async (status) => {
    const body = status === 204 ? '' : JSON.stringify(sendBody);
    expect(await answer(name, status, body)).toEqual({
      outcome: 'unknown',
      cause: 'unexpected_status',
      status,
    });
  });

  test('the other documented success status is unknown', async () => {
    const [status, body] =
      name === 'balance' ? [201, balanceBody] : [200, name === 'send' ? sendBody : bulkBody];
    expect(await answer(name, status, body)).toEqual({
      outcome: 'unknown',
      cause: 'unexpected_status',
      status,
    });
  });

  test.each([
    ['success: false', { ...sendBody, success: false }],
    ['no data', { success: true }],
    ['a record that lacks fields', { success: true, data: { status: 'sent' } }],
    ['a list', []],
  ])('the success status with %s is unknown', async (_name, body) => {
    const status = name === 'balance' ? 200 : 201;
    expect(await answer(name, status, body)).toEqual({ outcome: 'unknown', cause: 'unreadable', status });
  });

  test.each([400, 401, 402, 422])('%d that calls itself a server failure is unknown', async (status) => {
    expect(await answer(name, status, errorBody('SERVER_ERROR', 'Later.'))).toMatchObject({
      outcome: 'unknown',
      cause: 'server_error',
    });
  });

  test('408 is unknown, also with the error object: something took too long, and nobody knows what', async () => {
    expect(await answer(name, 408, errorBody('REQUEST_TIMEOUT', 'Later.'))).toEqual({
      outcome: 'unknown',
      cause: 'server_error',
      status: 408,
      code: 'REQUEST_TIMEOUT',
      message: 'Later.',
    });
  });

  test('the success status with an error object is unknown and keeps its words', async () => {
    const status = name === 'balance' ? 200 : 201;
    expect(await answer(name, status, errorBody('ODD', 'Hm.'))).toEqual({
      outcome: 'unknown',
      cause: 'unreadable',
      status,
      code: 'ODD',
      message: 'Hm.',
    });
  });
});

test.each([
  ['is below nothing', -1],
  ['is a part of one', 0.5],
  ['is a text', '1'],
  ['is missing', undefined],
])(
  'a success whose charge %s is unknown: no budget and no book can count it',
  async (_name, credits_used) => {
    for (const [name, { data }] of [['send', sendBody] as const, ['sendBulk', bulkBody] as const]) {
      const body = { success: true, data: { ...data, credits_used } };
      expect(await answer(name, 201, body)).toMatchObject({ outcome: 'unknown', cause: 'unreadable' });
    }
  },
);

test('the service’s words become one bounded line', async () => {
  const outcome = await answer('send', 422, errorBody('X\u0000Y', `a\u0007b\r\nc\u202e${'🙂'.repeat(400)}`));
  if (outcome.outcome !== 'refused') throw new Error(outcome.outcome);
  expect(outcome.code).toBe('XY');
  expect(outcome.message.startsWith('ab c🙂')).toBe(true);
  expect([...outcome.message]).toHaveLength(300);
});
