import type { SameWords } from './repeat-types.ts';

/** A request for approval, and what the second person decided. */
export interface SendApproval {
  askedBy: string;
  askedAt: number;
  /** Topic of the outbox row that tells of the request, and of its end. */
  topic: string;
  /** The request is for an exception from the channel's budget. */
  why?: 'budget';
  /** Another send of the same words, as it was then: the approver reads of it, and of no later one. */
  same?: SameWords;
  /** Of a list: the repeats of other sends go, too. */
  include?: true;
  /** Who approved or declined, and when. */
  by?: string;
  at?: number;
  reason?: string;
}

/** The part of a decision that is about approval by a second person. */
export interface ApprovalWord {
  /** Of a request: see `SendApproval`. */
  topic?: string;
  why?: 'budget';
  same?: SameWords | undefined;
  include?: true;
  /** Of an approval: the person who asked may approve, too. */
  isOwnAllowed?: boolean;
  /** Of an approval by an admin: the send need not fit into its budgets, but counts there. */
  exceptBudget?: true;
  reason?: string;
}
