import type { LedgerMessage } from '../../../ledger/model/chunk-record.ts';
import type { CheckRequest } from '../check-list.ts';
import type { NotSendable } from '../list.ts';
import type { ListHere } from '../row-pass.ts';

/** The list to be checked, and whether numbers may have to be left out. */
export type WorkerTask = CheckRequest & { asksNumbers: boolean };

/** A checked list without its chunks: the bot asks for a few at a time. */
export type WorkerAnswer = Omit<ListHere, 'chunks' | 'leftOut'> | NotSendable;

/** The messages of a list that are to be sent, or those left out. */
export type Which = 'to_send' | 'left_out';

export type ToWorker =
  /** The next chunks of these. */
  | { kind: Which }
  /** The answer to the oldest open `numbers`: these of them get no message. */
  | { kind: 'leave_out'; phones: string[] };

export type FromWorker =
  | { kind: 'progress'; rows: number }
  /** Which of these get no message? */
  | { kind: 'numbers'; phones: string[] }
  | { kind: 'checked'; checked: WorkerAnswer }
  /** Empty if all were handed out. */
  | { kind: 'chunks'; chunks: LedgerMessage[][] };
