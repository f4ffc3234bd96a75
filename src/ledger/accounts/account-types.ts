import type { PermitRequest } from '../model/attempt-types.ts';
import type { BalanceDifference } from './statement-types.ts';

/** An account's credits, as far as the bot knows them. */
export interface AccountRecord {
  id: string;
  /** The latest figure: receipts lower it at once, only a quiet balance read raises it. */
  credits: number;
  asOf: number;
  /** Counts intents and settlements. While the count stays the same, nothing was charged. */
  activity: number;
  /** What the books expect: the figure of the last quiet balance read, less the receipts since. */
  booked?: number;
  /** When that read was recorded. */
  baselineAt?: number;
}

/** A mark from before a balance read. With the figure, it shows whether the account was quiet meanwhile. */
export interface BalanceMarker {
  account: string;
  activity: number;
  /** No request of the account was on its way. */
  nothingSending: boolean;
  /** The same, and no unknown request could still be on its way. */
  idle: boolean;
  /** Meanwhile this bot made a request whose charge no answer names. So perhaps nobody else used the missing credits. */
  hasOwnCharge?: true;
  /** When the bot read the account's baseline: another read may set a new one meanwhile. */
  baselineAt?: number;
  /** The store has damaged the account's books: no figure can be compared with them. */
  hasLostBooks?: true;
  /** The permit of the read: `recordBalance` ends it. */
  permit?: Pick<PermitRequest, 'rateLimitKey' | 'token'>;
}

/** The marker as of a busy account: its figure may lower the known credits, but is no baseline and no evidence. */
export function asIfBusy(marker: BalanceMarker): BalanceMarker {
  return { ...marker, nothingSending: false, idle: false };
}

/**
 * The result of a recorded balance. `isSettled`: no request of the account ran meanwhile, so the figure may raise the
 * credits. `quiet`: the same, and no unknown request may still be charged. So the figure may be a baseline or evidence.
 * `difference`: credits since the last baseline that receipts don't explain.
 */
export interface RecordedBalance {
  account: AccountRecord;
  isSettled: boolean;
  quiet: boolean;
  difference?: BalanceDifference;
}
