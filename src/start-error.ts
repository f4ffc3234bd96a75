import { SlackStartError } from './slack/slack-start-error.ts';
import { EncryptionError } from './store/encryption.ts';
import { StoreError } from './store/sqlite/open.ts';

/** The sentence for an error at start that an operator can mend; undefined for any other. */
export function explainStart(error: unknown): string | undefined {
  if (error instanceof StoreError || error instanceof SlackStartError) return error.message;
  if (error instanceof EncryptionError) {
    return `ENCRYPTION_KEY does not fit what is stored. ${error.message} If that key is lost: npm run admin -- forget-keys --yes, and add the API keys again.`;
  }
  return undefined;
}

/** The sentence for a port that can't be had; undefined for any other error. */
export function explainPort(error: unknown, port: number): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program: stop it, or set PORT to a free one.`;
  if (code === 'EACCES') return `Port ${port} may not be used by this account: set PORT to one above 1023.`;
  return undefined;
}
