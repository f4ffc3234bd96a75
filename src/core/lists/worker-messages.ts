import type { LedgerMessage } from '../../store/ledger.ts';
import type { Checked } from './check-list.ts';
import type { ColumnQuestion, ListProblem, NothingToSend } from './list.ts';

/** What a list says of itself; its chunks are asked for, a few at a time, with a message of any kind. */
export type CheckedAway = Omit<Checked, 'chunks'> | NothingToSend | ListProblem | ColumnQuestion;

export type FromWorker =
  | { kind: 'progress'; rows: number }
  | { kind: 'checked'; checked: CheckedAway }
  /** None: all were handed out. */
  | { kind: 'chunks'; chunks: LedgerMessage[][] };
