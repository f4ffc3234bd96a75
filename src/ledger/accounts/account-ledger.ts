import type { Steps } from '../../store/steps.ts';
import { asMethods } from '../model/as-methods.ts';
import type { PermitRequest } from '../model/attempt-types.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { queueOfKey } from '../permits/key-queue.ts';
import { accountBooks, accountStatement } from './account-days.ts';
import type { BalanceMarker } from './account-types.ts';
import * as balances from './balances.ts';
import { spentSince } from './spending.ts';

/** The money of accounts: balances, books, statements. */
export function createAccountLedger(run: Steps['run'], limits: LedgerLimits) {
  const { account, accountWithState, funds, markBalanceRead } = balances;
  return {
    ...asMethods(run, { account, accountWithState, funds, markBalanceRead }),
    ...asMethods(run, { spentSince, accountBooks, accountStatement }),
    permitBalanceRead: (account: string, request: PermitRequest) =>
      run(
        (view) => balances.permitBalanceRead(view, account, request, limits),
        queueOfKey(request.rateLimitKey),
      ),
    recordBalance: (marker: BalanceMarker, credits: number) =>
      run(
        (view) => balances.recordBalance(view, marker, credits, limits),
        marker.permit && queueOfKey(marker.permit.rateLimitKey),
      ),
  };
}
