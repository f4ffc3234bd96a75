import { createHmac } from 'node:crypto';

/**
 * Hashes texts with a key that is derived from the bot's secret: without it nobody can try all phone numbers. `purpose`
 * names the use: another use gets another key.
 */
export function createKeyedHash(secret: Buffer, purpose: string): (text: string) => string {
  const key = createHmac('sha256', secret).update(purpose).digest();
  return (text) => createHmac('sha256', key).update(text).digest('base64url');
}
