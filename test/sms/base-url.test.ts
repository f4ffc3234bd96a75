import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/sms/base-url.ts';
import { createSmsClient } from '../../src/sms/client.ts';
import { BaseUrlError } from '../../src/sms/errors.ts';

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
  ['', 'url_unreadable'],
  ['sms.test/api/v1', 'url_unreadable'],
  ['https://', 'url_unreadable'],
  ['https://sms.test/api /v1', 'url_unreadable'],
  ['ftp://sms.test/api/v1', 'url_not_https'],
  ['http://sms.test/api/v1', 'url_not_https'],
  ['http://localhost.sms.test/api/v1', 'url_not_https'],
  ['http://127.0.0.1.sms.test/api/v1', 'url_not_https'],
  ['http://0.0.0.0/api/v1', 'url_not_https'],
  ['http://10.0.0.1/api/v1', 'url_not_https'],
  ['https://me:hunter2@sms.test/api/v1', 'url_credentials'],
  ['https://sms.test/api/v1?x=1', 'url_query'],
  ['https://sms.test/api/v1?', 'url_query'],
  ['https://sms.test/api/v1#x', 'url_query'],
  ['https://sms.test', 'url_path'],
  ['https://sms.test/api', 'url_path'],
  ['https://sms.test/api/v1//', 'url_path'],
  ['https://sms.test/api/v2', 'url_path'],
  ['https://sms.test/api/v1/messages', 'url_path'],
  ['https://sms.test/xapi/v1', 'url_path'],
])('%j is refused: %s', (text, code) => {
  const error = caught(() => parseBaseUrl(text));
  expect(error).toBeInstanceOf(BaseUrlError);
  expect(error).toMatchObject({ code });
  expect(String(error)).not.toMatch(/hunter2|sms\.test/);
});

test('a client is not made with an address that cannot be used', () => {
  const good = 'https://sms.test/api/v1';
  expect(caught(() => createSmsClient({ baseUrl: 'x', timeoutMs: 1 }))).toBeInstanceOf(BaseUrlError);
  expect(caught(() => createSmsClient({ baseUrl: good, baseUrlAlt: 'x', timeoutMs: 1 }))).toBeInstanceOf(
    BaseUrlError,
  );
});

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
