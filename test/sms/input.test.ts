import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSmsClient, type SmsClient } from '../../src/sms/client.ts';
import { SmsInputError } from '../../src/sms/errors.ts';
import { toServicePhone } from '../../src/sms/input.ts';
import { key, message, wire } from '../helpers/sms-samples.ts';
import { type RawServer, startRawServer } from './helpers/sms-raw-server.ts';

let server: RawServer;
let client: SmsClient;
beforeAll(async () => {
  server = await startRawServer({ onRequest: (socket) => socket.end(wire(429, '')) });
  client = createSmsClient({ baseUrl: server.url, timeoutMs: 5000 });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const text = (characters: number) => ({ phone: '442079460958', message: '🙂'.repeat(characters) });
const many = (count: number) => Array.from({ length: count }, () => message);

describe('phone numbers', () => {
  test.each([
    ['+442079460958', '442079460958'],
    ['442079460958', '442079460958'],
    ['+12025550123', '12025550123'],
  ])('%s travels as %s', (phone, digits) => expect(toServicePhone(phone)).toBe(digits));

  test.each([
    '',
    '+',
    '02079460958',
    '+02079460958',
    '00442079460958',
    '++442079460958',
    '44 2079460958',
    '44207946095x',
    '٤٤٢٠٧٩٤٦٠٩٥٨',
    '1234',
    '1234567890123456',
    '442079460958\n',
  ])('%j is refused without being repeated', (phone) => {
    expect(() => toServicePhone(phone)).toThrow(SmsInputError);
    expect(() => toServicePhone(phone)).toThrow(/^A phone number must be 5 to 15 digits/);
  });
});

describe('allowed input is sent', () => {
  test('1 and 1000 characters, emoji counted as one; 1 and 100 messages', async () => {
    const before = server.requests.length;
    for (const characters of [1, 1000]) {
      expect(await client.send(key(), text(characters))).toEqual({ outcome: 'rate_limited' });
      expect(await client.sendBulk(key(), [text(characters)])).toEqual({ outcome: 'rate_limited' });
    }
    for (const count of [1, 100]) {
      expect(await client.sendBulk(key(), many(count))).toEqual({ outcome: 'rate_limited' });
    }
    expect(server.requests.length - before).toBe(6);
  });

  test('longer texts in bulk, if configured', async () => {
    const wide = createSmsClient({ baseUrl: server.url, timeoutMs: 5000, maxBulkCharacters: 1600 });
    expect(await wide.sendBulk(key(), [text(1600)])).toEqual({ outcome: 'rate_limited' });
    await expect(wide.sendBulk(key(), [text(1601)])).rejects.toMatchObject({
      message: 'The text has 1601 characters; at most 1600 are allowed.',
    });
    await expect(wide.send(key(), text(1001))).rejects.toMatchObject({ code: 'text_too_long' });
    await wide.close();
  });
});

test('other input is never sent', async () => {
  const before = server.connections;
  const cases: [Promise<unknown>, string, string][] = [
    [client.send(key(), text(0)), 'text_empty', 'The text is empty.'],
    [client.send(key(), text(1001)), 'text_too_long', '1001 characters; at most 1000'],
    [client.send(key(), { phone: '0812', message: 'hi' }), 'phone_invalid', '5 to 15 digits'],
    [client.sendBulk(key(), []), 'messages_count', '1 to 100 messages; these are 0.'],
    [client.sendBulk(key(), many(101)), 'messages_count', '1 to 100 messages; these are 101.'],
    [client.sendBulk(key(), [message, text(0)]), 'text_empty', 'The text is empty.'],
    [client.sendBulk(key(), [text(1001)]), 'text_too_long', 'The text has 1001 characters'],
    [
      client.sendBulk(key(), [message, message, { phone: 'x', message: 'hi' }]),
      'phone_invalid',
      '5 to 15 digits',
    ],
  ];
  for (const [call, code, words] of cases) {
    const error = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SmsInputError);
    expect(error).toMatchObject({ name: 'SmsInputError', code, message: expect.stringContaining(words) });
  }
  expect(server.connections).toBe(before);
});
