import { describe } from 'vitest';
import type { OpenLedger } from '../helpers/ledger-fixtures.ts';
import { accountsContract } from './ledger.contract.accounts.ts';
import { approvalsContract } from './ledger.contract.approvals.ts';
import { attemptsContract } from './ledger.contract.attempts.ts';
import { backlogContract } from './ledger.contract.backlog.ts';
import { budgetsContract } from './ledger.contract.budgets.ts';
import { guardContract } from './ledger.contract.guard.ts';
import { historyContract } from './ledger.contract.history.ts';
import { homesContract } from './ledger.contract.homes.ts';
import { jobsContract } from './ledger.contract.jobs.ts';
import { numbersContract } from './ledger.contract.numbers.ts';
import { leftOutContract, optOutsContract } from './ledger.contract.opt-outs.ts';
import { outboxContract } from './ledger.contract.outbox.ts';
import { partsContract } from './ledger.contract.parts.ts';
import { permitsContract } from './ledger.contract.permits.ts';
import { postingContract } from './ledger.contract.posting.ts';
import { recoveryContract } from './ledger.contract.recovery.ts';
import { restsContract } from './ledger.contract.rests.ts';
import { retentionContract } from './ledger.contract.retention.ts';
import { saidContract } from './ledger.contract.said.ts';
import { sendsContract } from './ledger.contract.sends.ts';
import { splitContract } from './ledger.contract.split.ts';
import { statementContract } from './ledger.contract.statement.ts';
import { takeContract } from './ledger.contract.take.ts';
import { undoContract } from './ledger.contract.undo.ts';

/** The promises of every engine of the ledger, one test for each, on the engine itself with a hand-moved clock. */
export function ledgerContract(name: string, open: OpenLedger): void {
  describe(`${name}: the ledger's contract`, () => {
    describe('drafts and decisions', () => sendsContract(open));
    describe('the repeat guard', () => guardContract(open));
    describe('approval by a second person', () => approvalsContract(open));
    describe('take', () => takeContract(open));
    describe('undo', () => undoContract(open));
    describe('settle', () => attemptsContract(open));
    describe('long lists', () => jobsContract(open));
    describe('split', () => splitContract(open));
    describe('resolved_per_message', () => partsContract(open));
    describe('permits', () => permitsContract(open));
    describe('a key that rests', () => restsContract(open));
    describe('recover', () => recoveryContract(open));
    describe('a person’s word', () => saidContract(open));
    describe('budgets', () => budgetsContract(open));
    describe('accounts and evidence', () => accountsContract(open));
    describe('statements', () => statementContract(open));
    describe('namedStates and outbox', () => outboxContract(open));
    describe('rows that the process posts which makes them due', () => postingContract(open));
    describe('history', () => historyContract(open));
    describe('Homes that were opened', () => homesContract(open));
    describe('backlog', () => backlogContract(open));
    describe('the look-up by number', () => numbersContract(open));
    describe('opt-outs', () => optOutsContract(open));
    describe('messages that a list leaves out', () => leftOutContract(open));
    describe('retention', () => retentionContract(open));
  });
}
