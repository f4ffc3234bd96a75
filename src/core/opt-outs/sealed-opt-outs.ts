import type { HashNumber } from '../../ledger/look-up/number-leaf.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { OptOutRecord } from '../../ledger/opt-outs/opt-out-documents.ts';
import { isOptedOut, optOutAddress, optOutIdOf } from '../../ledger/opt-outs/opt-out-documents.ts';
import { type Cipher, EncryptionError } from '../../records/encryption.ts';
import { createKeyedHash } from '../keyed-hash.ts';

/** A number that is opted out, or was. */
export type OptOutView = ReturnType<typeof openOptOut>;
/** One change of an opt-out, as people read it. */
export type OptOutEvent = OptOutView['events'][number];

/** Hashes numbers for opt-outs. The hash is never cut: no two numbers are taken for each other. */
export function createOptOutHash(secret: Buffer): HashNumber {
  const hash = createKeyedHash(secret, 'switchboard opt-outs');
  return (team, phone) => hash(`${team}/${phone}`);
}

/** Seals a text for the opt-out that will hold it. */
export function sealFor(cipher: Cipher, of: Pick<OptOutRecord, 'team' | 'hash'>, text: string): string {
  return cipher.seal(text, optOutAddress(optOutIdOf(of)));
}

/** Opens an opt-out. Leaves out what does not open, and calls `onDamaged`: people must still see that the opt-out holds. */
export function openOptOut(
  cipher: Cipher,
  record: OptOutRecord,
  onDamaged: (error: EncryptionError) => void,
) {
  let isDamaged = record.changes.length === 0;
  function opened(sealed: string | undefined): string | undefined {
    try {
      return sealed === undefined ? undefined : cipher.open(sealed, optOutAddress(optOutIdOf(record)));
    } catch (error) {
      if (!(error instanceof EncryptionError)) throw error;
      isDamaged = true;
      onDamaged(error);
      return undefined;
    }
  }
  const digits = opened(record.sealed);
  const events = record.changes.map(({ channelId: channel, sealedReason, ...change }) => ({
    ...change,
    ...defined({ channel, reason: opened(sealedReason) }),
  }));
  return {
    /** Missing once an operator has erased it, or if it does not open. */
    ...(digits !== undefined && { e164: `+${digits}` }),
    /** The number or a reason does not open, or the store has damaged the document. */
    ...(isDamaged && { isDamaged: true as const }),
    isOut: isOptedOut(record),
    /** Oldest first; the last one holds. */
    events,
  };
}
