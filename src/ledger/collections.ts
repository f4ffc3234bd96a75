import type { Collection } from '../store/collection.ts';
import { accountDays, accounts, dailySpending } from './accounts/account-documents.ts';
import { namedStates } from './accounts/named-states.ts';
import { homes } from './homes/homes.ts';
import { numbers } from './look-up/number-documents.ts';
import { chunks, texts } from './model/chunk-documents.ts';
import { repeatMarks } from './model/once.ts';
import { sends } from './model/send-documents.ts';
import { optOutCounts, optOuts } from './opt-outs/opt-out-documents.ts';
import { outbox } from './outbox/outbox-documents.ts';
import { keyPermits } from './permits/permit-documents.ts';
import { budgets, guards, heldBack } from './rules/rule-documents.ts';

/** All documents of the ledger. `export-team.ts` says which ones an export has. */
export const collections = {
  ...{ sends, chunks, texts, keyPermits, accounts, accountDays, dailySpending },
  ...{ outbox, repeatMarks, guards, heldBack, namedStates, numbers, homes, optOuts, optOutCounts, budgets },
};

export const COLLECTIONS: readonly Collection<never>[] = Object.values(collections);
