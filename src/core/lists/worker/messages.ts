import type { LedgerMessage } from '../../../ledger/types.ts';
import type { ListHere } from '../check-list.ts';
import type { NotSendable } from '../list.ts';

/** What a list says of itself; its chunks are asked for, a few at a time, with a message of any kind. */
export type WorkerAnswer = Omit<ListHere, 'chunks'> | NotSendable;

export type FromWorker =
  | { kind: 'progress'; rows: number }
  | { kind: 'checked'; checked: WorkerAnswer }
  /** None: all were handed out. */
  | { kind: 'chunks'; chunks: LedgerMessage[][] };
