import { SlackStartError } from './slack/app.ts';
import { EncryptionError } from './store/encryption.ts';
import { StoreError } from './store/sqlite/open.ts';

/** The sentence for an error at start that an operator can mend; undefined for any other. */
export function explainStart(error: unknown, port: number): string | undefined {
  if (error instanceof StoreError || error instanceof SlackStartError) return error.message;
  if (error instanceof EncryptionError) {
    return `ENCRYPTION_KEY does not fit what is stored. ${error.message} Without the old key, remove the instances and add their API keys again.`;
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program: stop it, or set PORT to a free one.`;
  if (code === 'EACCES') return `Port ${port} may not be used by this account: set PORT to one above 1023.`;
  return undefined;
}
