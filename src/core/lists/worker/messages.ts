import type { LedgerMessage } from '../../../ledger/model/types.ts';
import type { ListHere } from '../check-list.ts';
import type { ListSummary, NotSendable } from '../list.ts';

/** What a list says of itself; its chunks are asked for, a few at a time. */
export type WorkerAnswer = Omit<ListHere, 'chunks' | 'leaveOut'> | NotSendable;

export type ToWorker =
  /** The first chunks, then more of them. */
  | { kind: 'first' | 'more' }
  /** These numbers get no message. */
  | { kind: 'leave_out'; phones: string[] };

export type FromWorker =
  | { kind: 'progress'; rows: number }
  | { kind: 'checked'; checked: WorkerAnswer }
  /** None: all were handed out. */
  | { kind: 'chunks'; chunks: LedgerMessage[][] }
  /** Of the rest; undefined where nobody is left. */
  | { kind: 'rest'; summary: ListSummary | undefined };
