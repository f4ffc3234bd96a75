import { ledgerContract } from './ledger.contract.ts';
import { openInMemory } from './ledger-rigs.ts';

ledgerContract('Memory', openInMemory);
