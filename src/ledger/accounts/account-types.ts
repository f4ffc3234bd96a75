import type { PermitRequest } from '../model/attempt-types.ts';
import type { BalanceDifference } from './statement-types.ts';

/** An account's money as far as it is known. */
export interface AccountRecord {
  id: string;
  /** The latest figure: receipts lower it at once, only a quiet balance read raises it. */
  credits: number;
  asOf: number;
  /** The number of attempts begun and settled. While it does not change, nothing was charged. */
  activity: number;
  /** A balance read with nothing of the account in flight, and what receipts took since. */
  baseline?: { credits: number; at: number; receiptsSince: number };
}

/** Taken before a balance read, handed back with its figure: tells whether the account was quiet in between. */
export interface BalanceMarker {
  account: string;
  activity: number;
  nothingSending: boolean;
  idle: boolean;
  /** This bot made a request meanwhile whose charge no answer names: nobody else need have used what is missing. */
  hasOwnCharge?: true;
  /** When the account's baseline was read: another read may be recorded meanwhile. */
  baselineAt?: number;
  /** The permit of the read, which ends when its figure is recorded. */
  permit?: Pick<PermitRequest, 'rateLimitKey' | 'token'>;
}

/**
 * The result of recording a balance. `quiet`: nothing of the account was in flight, so it may serve as a baseline or as
 * evidence. `difference`: what receipts don't explain since the last baseline.
 */
export interface RecordedBalance {
  account: AccountRecord;
  quiet: boolean;
  difference?: BalanceDifference;
}
