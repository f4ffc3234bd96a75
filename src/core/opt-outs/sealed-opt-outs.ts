import type { HashNumber } from '../../ledger/look-up/hash-number.ts';
import { optOutAddress, optOutIdOf } from '../../ledger/opt-outs/opt-out-documents.ts';
import type { OptOutChange, OptOutRecord } from '../../ledger/opt-outs/opt-out-types.ts';
import type { Cipher } from '../../records/encryption.ts';
import { createKeyedHash } from '../keyed-hash.ts';

/** One change of an opt-out, as people read it. */
export interface OptOutEvent {
  to: OptOutChange['to'];
  by: string;
  /** ms since 1970. */
  at: number;
  via: OptOutChange['via'];
  channel?: string;
  /** Words of the person who did it. */
  reason?: string;
}

/** A number that is opted out, or was. */
export interface OptOutView {
  /** Missing once an operator has erased it. */
  e164?: string;
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

/** The opt-out with its sealed texts opened. @throws EncryptionError if one does not open */
export function openOptOut(cipher: Cipher, record: OptOutRecord): OptOutView {
  const open = (sealed: string) => cipher.open(sealed, optOutAddress(optOutIdOf(record)));
  return {
    ...(record.sealed !== undefined && { e164: `+${open(record.sealed)}` }),
    isOut: record.changes.at(-1)?.to === 'out',
    events: record.changes.map(({ to, by, at, via, channelId, sealedReason }) => ({
      to,
      by,
      at,
      via,
      ...(channelId !== undefined && { channel: channelId }),
      ...(sealedReason !== undefined && { reason: open(sealedReason) }),
    })),
  };
}
