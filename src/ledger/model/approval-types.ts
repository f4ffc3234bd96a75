import type { SameWords } from './repeat-types.ts';

/** Who asked a second person for approval, and what that one decided. */
export interface SendApproval {
  askedBy: string;
  askedAt: number;
  /** Topic of the outbox row that tells of the request, and of its end. */
  topic: string;
  /** It asks for an exception from the channel's budget. */
  why?: 'budget';
  /** Another send of the same words, as it was then: the approver knows of this one, and of no later one. */
  same?: SameWords;
  /** Of a list: what repeats other sends goes, too. */
  include?: true;
  /** Who approved or declined it, and when. */
  by?: string;
  at?: number;
  reason?: string;
}

/** What a decision has to do with approval by a second person. */
export interface ApprovalWord {
  /** Of a request: see `SendApproval`. */
  topic?: string;
  why?: 'budget';
  same?: SameWords | undefined;
  include?: true;
  /** Of an approval: whoever asked may approve, too. */
  isOwnAllowed?: boolean;
  /** Of an approval by an admin: it need not fit into its budgets, but counts there. */
  exceptBudget?: true;
  reason?: string;
}
