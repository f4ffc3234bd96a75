import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createCipher,
  EncryptionError,
  fingerprint,
  parseEncryptionKeys,
} from '../../src/records/encryption.ts';

const plaintext = 'sk_live_0123456789';
const [old, current, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)];

/** The EncryptionError that `run` throws. */
function refusal(run: () => unknown): EncryptionError {
  try {
    run();
  } catch (error) {
    if (error instanceof EncryptionError) return error;
    throw error;
  }
  throw new Error('Expected an EncryptionError.');
}

describe('createCipher', () => {
  it('opens what it sealed, for the same address only', () => {
    const cipher = createCipher([current]);
    const envelope = cipher.seal(plaintext, 'instances/T1/a');
    expect(cipher.open(envelope, 'instances/T1/a')).toBe(plaintext);
    for (const elsewhere of ['instances/T1/b', 'instances/T2/a', '', 'instances/T1/a ']) {
      expect(refusal(() => cipher.open(envelope, elsewhere)).code).toBe('not_opened');
    }
  });

  it('opens any text for any address', () => {
    const cipher = createCipher([current]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, address) => {
        expect(cipher.open(cipher.seal(text, address), address)).toBe(text);
      }),
    );
  });

  it('never gives the same envelope twice and shows nothing of the text', () => {
    const cipher = createCipher([current]);
    const envelopes = Array.from({ length: 1000 }, () => cipher.seal(plaintext, 'a'));
    expect(new Set(envelopes.map((envelope) => envelope.split('.')[2])).size).toBe(1000);
    expect(envelopes[0]).toMatch(/^v1\.[0-9a-f]{16}\.[\w-]{16}\.[\w-]+$/);
    expect(Buffer.from(envelopes[0]?.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain(
      'sk_live',
    );
  });

  it('refuses every envelope with one changed character', () => {
    const cipher = createCipher([current]);
    const envelope = cipher.seal(plaintext, 'a');
    for (let at = 0; at < envelope.length; at += 1) {
      const changed = envelope.slice(0, at) + (envelope[at] === '0' ? '1' : '0') + envelope.slice(at + 1);
      const sameBytes = decode(changed) === decode(envelope);
      if (!sameBytes) expect(refusal(() => cipher.open(changed, 'a')).message).not.toContain(plaintext);
    }
  });

  it.each(['', 'v1', 'v2.x.y.z', plaintext, 'v1.0000000000000000..', 'v1.a.AAAAAAAAAAAAAAAA.AAAA'])(
    'says of %j that it is no envelope',
    (text) => {
      const cipher = createCipher([current]);
      expect(refusal(() => cipher.open(text, 'a'))).toMatchObject({
        code: 'not_an_envelope',
        name: 'EncryptionError',
      });
      expect(refusal(() => cipher.renew(text, 'a')).code).toBe('not_an_envelope');
    },
  );

  it('refuses a cut-off authentication tag', () => {
    const cipher = createCipher([current]);
    const [version, id, iv, sealed] = cipher.seal('', 'a').split('.');
    const cut = Buffer.from(sealed ?? '', 'base64url')
      .subarray(0, 12)
      .toString('base64url');
    expect(refusal(() => cipher.open([version, id, iv, cut].join('.'), 'a')).code).toBe('not_an_envelope');
  });

  it('opens under all keys, seals under the first, and renews for a rotation', () => {
    const before = createCipher([old]).seal(plaintext, 'a');
    const rotating = createCipher([current, old]);
    expect(rotating.open(before, 'a')).toBe(plaintext);

    const after = rotating.renew(before, 'a');
    expect(after).not.toBe(before);
    expect(rotating.renew(after, 'a')).toBe(after);
    expect(createCipher([current]).open(after, 'a')).toBe(plaintext);
  });

  it('names the record whose key is not configured, and neither text nor envelope', () => {
    const envelope = createCipher([old]).seal(plaintext, 'instances/T1/a');
    const error = refusal(() => createCipher([foreign]).open(envelope, 'instances/T1/a'));
    expect(error.code).toBe('unknown_key');
    expect(error.message).toContain('instances/T1/a');
    expect(inspect(error, { depth: 9 })).not.toContain(plaintext);
    expect(inspect(error, { depth: 9 })).not.toContain(envelope);
  });

  it('wants at least one key, each of 32 bytes', () => {
    expect(refusal(() => createCipher([])).code).toBe('bad_key');
    expect(refusal(() => createCipher([current, randomBytes(16)])).code).toBe('bad_key');
  });
});

describe('parseEncryptionKeys', () => {
  it('reads one or more keys', () => {
    const text = [old, current].map((key) => key.toString('base64'));
    expect(parseEncryptionKeys(text[0] ?? '')).toEqual([old]);
    expect(parseEncryptionKeys(` ${text.join(' ,\n')} `)).toEqual([old, current]);
  });

  it.each([
    '',
    'short',
    randomBytes(33).toString('base64'),
    randomBytes(32).toString('hex'),
    `${'!'.repeat(43)}=`,
  ])('refuses %j without repeating it', (text) => {
    const error = refusal(() => parseEncryptionKeys(`${old.toString('base64')},${text}`));
    expect(error.code).toBe('bad_key');
    expect(error.message).toContain('key 2 of 2');
    if (text) expect(error.message).not.toContain(text);
  });
});

describe('fingerprint', () => {
  it('is the same for the same secret and value, and another for another', () => {
    expect(fingerprint(old, plaintext)).toBe(fingerprint(Buffer.from(old), plaintext));
    expect(fingerprint(old, plaintext)).not.toBe(fingerprint(current, plaintext));
    expect(fingerprint(old, plaintext)).not.toBe(fingerprint(old, `${plaintext}0`));
    expect(fingerprint(old, plaintext)).toMatch(/^[\w-]{43}$/);
  });
});

/** An envelope with its parts as bytes: the last character of base64 may change without a change of the bytes. */
function decode(envelope: string): string {
  const [version, id, ...parts] = envelope.split('.');
  return [version, id, ...parts.map((part) => Buffer.from(part, 'base64url').toString('hex'))].join('.');
}
