import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/sms/base-url.ts';
import { createSmsClient } from '../../src/sms/client.ts';

test.each([
  ['https://sms.test/api/v1', 'https://sms.test/api/v1'],
  [' https://SMS.test:443/api/v1/ ', 'https://sms.test/api/v1'],
  ['https://sms.test:8443/tenant/api/v1', 'https://sms.test:8443/tenant/api/v1'],
  ['http://localhost:3000/api/v1', 'http://localhost:3000/api/v1'],
  ['http://127.0.0.1/api/v1', 'http://127.0.0.1/api/v1'],
  ['http://127.9.8.7:81/api/v1/', 'http://127.9.8.7:81/api/v1'],
  ['http://[::1]:81/api/v1', 'http://[::1]:81/api/v1'],
])('%s is taken', (text, url) => expect(parseBaseUrl(text)).toBe(url));

test.each([
  ['', 'The address is not a URL'],
  ['sms.test/api/v1', 'The address is not a URL'],
  ['https://', 'The address is not a URL'],
  ['https://sms.test/api /v1', 'The address is not a URL'],
  ['ftp://sms.test/api/v1', 'The address must begin with https://'],
  ['ftp://localhost/api/v1', 'The address must begin with https://'],
  ['http://sms.test/api/v1', 'The address must begin with https://'],
  ['http://localhost.sms.test/api/v1', 'The address must begin with https://'],
  ['http://127.0.0.1.sms.test/api/v1', 'The address must begin with https://'],
  ['http://0.0.0.0/api/v1', 'The address must begin with https://'],
  ['http://10.0.0.1/api/v1', 'The address must begin with https://'],
  ['https://me:hunter2@sms.test/api/v1', 'The address must not contain a user name'],
  ['https://:hunter2@sms.test/api/v1', 'The address must not contain a user name'],
  ['https://sms.test/api/v1?x=1', 'The address must not contain a query'],
  ['https://sms.test/api/v1?', 'The address must not contain a query'],
  ['https://sms.test/api/v1#x', 'The address must not contain a query'],
  ['https://sms.test', 'The address must end with /api/v1'],
  ['https://sms.test/api', 'The address must end with /api/v1'],
  ['https://sms.test/api/v1//', 'The address must end with /api/v1'],
  ['https://sms.test/api/v2', 'The address must end with /api/v1'],
  ['https://sms.test/api/v1/messages', 'The address must end with /api/v1'],
  ['https://sms.test/xapi/v1', 'The address must end with /api/v1'],
])('%j is refused: %s', (text, why) => {
  expect(() => parseBaseUrl(text)).toThrow(why);
  expect(() => parseBaseUrl(text)).not.toThrow(/hunter2|sms\.test/);
});

test('a client is not made with an address that cannot be used', () => {
  const why = 'The address is not a URL';
  const good = 'https://sms.test/api/v1';
  expect(() => createSmsClient({ baseUrl: 'x', timeoutMs: 1 })).toThrow(why);
  expect(() => createSmsClient({ baseUrl: good, baseUrlAlt: 'x', timeoutMs: 1 })).toThrow(why);
});
