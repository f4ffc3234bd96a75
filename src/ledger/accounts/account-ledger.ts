import type { Steps } from '../../store/steps.ts';
import type { PermitRequest, Wait } from '../model/attempt-types.ts';
import type { ChunkRef, LedgerLimits } from '../model/types.ts';
import type { NamedState } from '../outbox/outbox-types.ts';
import { queueOfKey } from '../permits/key-queue.ts';
import { accountBooks, accountStatement } from './account-days.ts';
import type { AccountRecord, BalanceMarker, RecordedBalance } from './account-types.ts';
import * as balances from './balances.ts';
import { spentSince } from './spending.ts';
import type { AccountBooks, AccountStatement, Days } from './statement-types.ts';

/** The money of accounts: balances, books, statements. */
export interface AccountLedger {
  /** A permit for a balance read and the read's marker, in one step. */
  permitBalanceRead(
    account: string,
    request: PermitRequest,
  ): Promise<{ kind: 'taken'; marker: BalanceMarker } | Wait>;
  account(id: string): Promise<AccountRecord | undefined>;
  /** What is known of the account's credits, and how many of its messages went out before this attempt without an answer yet. */
  funds(account: string, before: ChunkRef): Promise<{ credits?: number; inFlight: number }>;
  /** Credits charged for, and messages sent from, a place since then. */
  spentSince(team: string, channelId: string, since: number): Promise<{ credits: number; messages: number }>;
  markBalanceRead(account: string): Promise<BalanceMarker>;
  /** Takes a balance figure in, and ends the marker's permit, if it has one, as answered. */
  recordBalance(marker: BalanceMarker, credits: number): Promise<RecordedBalance>;
  /** The account's books over these days; undefined before its first quiet balance read. */
  accountBooks(account: string, days: Days): Promise<AccountBooks | undefined>;
  /** The same, with the receipts of these days. Its differences and receipts add up to `closing`. */
  accountStatement(account: string, days: Days): Promise<AccountStatement | undefined>;
  /** An account and a named state at one moment: a figure that is older than an alert could end it wrongly. */
  accountWithState(
    account: string,
    name: string,
  ): Promise<{ account: AccountRecord | undefined; state: NamedState | undefined }>;
}

export function createAccountLedger(run: Steps['run'], limits: LedgerLimits): AccountLedger {
  return {
    permitBalanceRead: (account, request) =>
      run(
        (view) => balances.permitBalanceRead(view, account, request, limits),
        queueOfKey(request.rateLimitKey),
      ),
    account: (id) => run((view) => balances.account(view, id)),
    funds: (account, before) => run((view) => balances.funds(view, account, before)),
    spentSince: (team, channelId, since) => run((view) => spentSince(view, team, channelId, since)),
    markBalanceRead: (account) => run((view) => balances.markBalanceRead(view, account)),
    recordBalance: (marker, credits) =>
      run(
        (view) => balances.recordBalance(view, marker, credits, limits),
        marker.permit && queueOfKey(marker.permit.rateLimitKey),
      ),
    accountBooks: (account, days) => run((view) => accountBooks(view, account, days)),
    accountStatement: (account, days) => run((view) => accountStatement(view, account, days)),
    accountWithState: (id, name) => run((view) => balances.accountWithState(view, id, name)),
  };
}
