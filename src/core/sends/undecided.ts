import type { Ledger } from '../../ledger/ledger.ts';
import type { Announcement } from '../../ledger/model/announcement.ts';
import type { Decision, SendDetailsChange } from '../../ledger/model/decision-types.ts';
import type { LedgerLimits } from '../../ledger/model/ledger-limits.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import type { Link } from '../../records/schema.ts';
import type { Books } from '../accounts/books.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Links } from '../accounts/links.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { Clock } from '../clock.ts';
import type { CommonView } from './common-view.ts';
import type { ListTooLong } from './decision-answers.ts';
import type { Estimate } from './estimate.ts';
import type { PriceBook } from './prices.ts';

/** What a decision needs to know of a draft, be it a text or a list. `instance`: the sending one by the preview. */
export interface Undecided
  extends Pick<
    CommonView,
    'id' | 'team' | 'channel' | 'instance' | 'state' | 'createdAt' | 'resends' | 'approval' | 'mayBeSent'
  > {
  /** Who drafted it: nobody else may decide it. Who pays, and how many credits, as the preview showed them. */
  details: { by: string; accountId: string; estimate: Estimate };
}

export interface DecisionDeps {
  ledger: Ledger;
  links: Links;
  credit: Credit;
  budgets: Pick<Budgets, 'asked'>;
  prices: Pick<PriceBook, 'estimate'>;
  books: Pick<Books, 'mayBeOld' | 'canCompare'>;
  limits: Pick<LedgerLimits, 'leaseMs'>;
  clock: Clock;
  /** Called once a draft is decided for sending. `confirmedAt`: the wall clock just before, in ms. */
  onRunning(send: SendRecord, confirmedAt: number): Promise<void>;
}

/** What texts and lists do differently when they are decided. */
export interface DraftKind<View> {
  view(id: string): Promise<View | undefined>;
  mustView(id: string): Promise<View>;
  /** Whether the store has lost a part of the draft since its preview. */
  isCut?(draft: View): boolean;
  /** Whether the draft is longer than lists may be here. */
  tooLong?(draft: View, link: Link): ListTooLong | undefined;
  /** Whether nobody may text the number of a single text any more. Of a list, each request leaves such numbers out. */
  isOptedOut?(draft: View): Promise<boolean>;
  /** Whether this kind may no longer start in the channel, since the channel is being unlinked. */
  isUnlinking(link: Link): boolean;
  /** Of each message, in segments. */
  segmentsOf(draft: View): number[];
  /** What the repeat guard knows a single text by. */
  wordsOf?(draft: View): Decision['words'];
  /** The draft of a list with the texts that repeat other sends, and the details that say so. */
  including?(draft: View): { draft: View; details: SendDetailsChange };
  /** How the details change when the draft is sent: the send drops what only a draft needs. */
  whenSent(draft: View): SendDetailsChange;
  /** The part of that change which an undo reverses. */
  ifUndone?(draft: View): SendDetailsChange;
  /** How long it waits after the decision, in ms, so that it can be undone. */
  undoMs(link: Link): number;
  /** The message that becomes due with the decision to send. */
  announces(draft: View): Announcement;
}
