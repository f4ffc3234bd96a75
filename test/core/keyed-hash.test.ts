import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeyedHash } from '../../src/core/keyed-hash.ts';

test('is HMAC-SHA-256 under a key of its own for each purpose', () => {
  const secret = randomBytes(32);
  const hash = createKeyedHash(secret, 'a purpose');
  const key = createHmac('sha256', secret).update('a purpose').digest();
  for (const text of ['', 'T1/442079460958', 'ü'.repeat(1000)]) {
    expect(hash(text)).toBe(createHmac('sha256', key).update(text).digest('base64url'));
    expect(createKeyedHash(secret, 'another')(text)).not.toBe(hash(text));
  }
});
