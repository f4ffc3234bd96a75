import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  randomBytes,
} from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';
/** Key id, IV of 12 bytes, ciphertext with its tag of 16 bytes. The last two are in base64url. */
const ENVELOPE = /^v1\.([^.]*)\.([\w-]{16})\.([\w-]{22,})$/;

/** Why a sealed secret does not open, and what an operator can do. */
const SEALED = {
  unknown_key: 'is sealed under a key that is not configured: put that key back.',
  not_opened: 'does not open: it is damaged or was copied from another record.',
  not_an_envelope:
    'is not in a form that this version can read: it is damaged or was written by a newer version.',
};

/** A key is not usable (`bad_key`), or a sealed secret does not open. Messages hold no secret. */
export class EncryptionError extends Error {
  override readonly name = 'EncryptionError';
  readonly code: 'bad_key' | keyof typeof SEALED;

  constructor(code: EncryptionError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

function sealedError(code: keyof typeof SEALED, boundTo: string): EncryptionError {
  return new EncryptionError(code, `A stored secret (${boundTo}) ${SEALED[code]}`);
}

/** Seals secrets for the store. */
export type Cipher = ReturnType<typeof createCipher>;

/**
 * A cipher (AES-256-GCM) on keys of 32 bytes: the first encrypts, all decrypt. `boundTo` is the address of the record that
 * will hold the envelope: in another record the envelope does not open. All three functions throw `EncryptionError`.
 * An envelope is `v1.<key id>.<IV>.<ciphertext and tag>`. The tag also authenticates version, key id and address.
 */
export function createCipher(keys: readonly Buffer[]) {
  const [firstBytes] = keys;
  if (!firstBytes || keys.some((key) => key.length !== KEY_BYTES)) {
    throw new EncryptionError('bad_key', 'Encryption needs at least one key, each of 32 bytes.');
  }
  const byId = new Map(keys.map((key) => [keyId(key), createSecretKey(key)]));
  const firstId = keyId(firstBytes);
  const first = createSecretKey(firstBytes);

  /** Encrypts under the first key. Every call returns another envelope. */
  function seal(plaintext: string, boundTo: string): string {
    const iv = randomBytes(IV_BYTES);
    const aes = createCipheriv(ALGORITHM, first, iv, { authTagLength: TAG_BYTES });
    aes.setAAD(aadOf(firstId, boundTo));
    const sealed = Buffer.concat([aes.update(plaintext, 'utf8'), aes.final(), aes.getAuthTag()]);
    return [VERSION, firstId, iv.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** The plaintext of an envelope that any of the keys sealed for the same `boundTo`. */
  function open(envelope: string, boundTo: string): string {
    const { id, iv, sealed } = parseEnvelope(envelope, boundTo);
    const key = byId.get(id);
    if (!key) throw sealedError('unknown_key', boundTo);
    const split = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(aadOf(id, boundTo));
    decipher.setAuthTag(sealed.subarray(split));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(0, split)), decipher.final()]).toString('utf8');
    } catch {
      throw sealedError('not_opened', boundTo);
    }
  }

  /** Seals the same secret under the first key. Returns the same envelope if that key sealed it. */
  function renew(envelope: string, boundTo: string): string {
    return parseEnvelope(envelope, boundTo).id === firstId
      ? envelope
      : seal(open(envelope, boundTo), boundTo);
  }

  return { seal, open, renew };
}

/**
 * The keys of `ENCRYPTION_KEY`: one or more, each 32 bytes in base64, separated by commas.
 * @throws EncryptionError `bad_key`, whose message says which key is wrong, but never shows it
 */
export function parseEncryptionKeys(text: string): Buffer[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.map((part, index) => {
    if (!/^[A-Za-z0-9+/]{43}=?$/.test(part)) {
      throw new EncryptionError(
        'bad_key',
        `key ${index + 1} of ${parts.length} is not 32 bytes in base64; make one with: openssl rand -base64 32.`,
      );
    }
    return Buffer.from(part, 'base64');
  });
}

/**
 * Names a value without showing it: the same secret and value always give the same text. API keys have such names, so
 * `secret` must stay the same when the encryption keys rotate.
 */
export function fingerprint(secret: Buffer, value: string): string {
  return createHmac('sha256', secret).update(value, 'utf8').digest('base64url');
}

function keyId(key: Buffer): string {
  return createHash('sha256').update('key id').update(key).digest('hex').slice(0, 16);
}

function aadOf(id: string, boundTo: string): Buffer {
  return Buffer.from(`${VERSION}.${id}.${boundTo}`, 'utf8');
}

function parseEnvelope(envelope: string, boundTo: string): { id: string; iv: Buffer; sealed: Buffer } {
  const [, id = '', iv = '', sealed = ''] = ENVELOPE.exec(envelope) ?? [];
  if (sealed === '') throw sealedError('not_an_envelope', boundTo);
  return { id, iv: Buffer.from(iv, 'base64url'), sealed: Buffer.from(sealed, 'base64url') };
}
