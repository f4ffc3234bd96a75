import type { HashNumber } from '../../ledger/look-up/hash-number.ts';
import { defined } from '../../ledger/model/defined.ts';
import { optOutAddress, optOutIdOf } from '../../ledger/opt-outs/opt-out-documents.ts';
import type { OptOutChange, OptOutRecord } from '../../ledger/opt-outs/opt-out-types.ts';
import { type Cipher, EncryptionError } from '../../records/encryption.ts';
import { createKeyedHash } from '../keyed-hash.ts';

/** One change of an opt-out, as people read it. */
export interface OptOutEvent extends Pick<OptOutChange, 'to' | 'by' | 'at' | 'via'> {
  channel?: string;
  /** Words of the person who did it. */
  reason?: string;
}

/** A number that is opted out, or was. */
export interface OptOutView {
  /** Missing once an operator has erased it, or if it does not open. */
  e164?: string;
  /** The number, or a reason, does not open. */
  isDamaged?: true;
  isOut: boolean;
  /** Oldest first; the last one holds. */
  events: OptOutEvent[];
}

/** Hashes numbers for opt-outs. The hash is never cut: no two numbers are taken for each other. */
export function createOptOutHash(secret: Buffer): HashNumber {
  const hash = createKeyedHash(secret, 'switchboard opt-outs');
  return (team, phone) => hash(`${team}/${phone}`);
}

/** Seals a text for the opt-out that will hold it. */
export function sealFor(cipher: Cipher, of: Pick<OptOutRecord, 'team' | 'hash'>, text: string): string {
  return cipher.seal(text, optOutAddress(optOutIdOf(of)));
}

/** Opens an opt-out. What does not open is left out, and `onDamaged` is called: people must still see that it holds. */
export function openOptOut(
  cipher: Cipher,
  record: OptOutRecord,
  onDamaged: (error: EncryptionError) => void,
): OptOutView {
  const damages: EncryptionError[] = [];
  function opened(sealed: string | undefined): string | undefined {
    try {
      return sealed === undefined ? undefined : cipher.open(sealed, optOutAddress(optOutIdOf(record)));
    } catch (error) {
      if (!(error instanceof EncryptionError)) throw error;
      damages.push(error);
      return undefined;
    }
  }
  const digits = opened(record.sealed);
  const events = record.changes.map(({ channelId: channel, sealedReason, ...change }) => ({
    ...change,
    ...defined({ channel, reason: opened(sealedReason) }),
  }));
  for (const error of damages) onDamaged(error);
  return {
    ...(digits !== undefined && { e164: `+${digits}` }),
    ...(damages.length > 0 && { isDamaged: true }),
    isOut: record.changes.at(-1)?.to === 'out',
    events,
  };
}
