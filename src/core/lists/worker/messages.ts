import type { LedgerMessage } from '../../../ledger/model/chunk-record.ts';
import type { CheckRequest, ListHere } from '../check-list.ts';
import type { NotSendable } from '../list.ts';

/** The list to be checked, and whether numbers may have to be left out. */
export type WorkerTask = CheckRequest & { asksNumbers: boolean };

/** What a list says of itself; its chunks are asked for, a few at a time. */
export type WorkerAnswer = Omit<ListHere, 'chunks' | 'leftOut'> | NotSendable;

export type ToWorker =
  /** The first chunks to send, or the first ones left out; then more of them. */
  | { kind: 'first' | 'left_out' | 'more' }
  /** Answers the `numbers` with this id: these of them get no message. */
  | { kind: 'leave_out'; id: number; phones: string[] };

export type FromWorker =
  | { kind: 'progress'; rows: number }
  /** Which of these get no message? */
  | { kind: 'numbers'; id: number; phones: string[] }
  | { kind: 'checked'; checked: WorkerAnswer }
  /** None: all were handed out. */
  | { kind: 'chunks'; chunks: LedgerMessage[][] };
