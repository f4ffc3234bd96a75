import type { BudgetPeriod } from './budget-types.ts';
import type { Erasure } from './erase.ts';
import type { HistoryEntry, HistoryQuery } from './history-types.ts';
import type { DueHome, HomeOwner, ShownHome } from './home-types.ts';
import type { LeafEntry } from './number-leaf.ts';
import type { OptOutRecord, OptOutRequest, RenewSealed } from './opt-out-types.ts';
import type { DraftRepeats, SameWords, Words } from './repeat-types.ts';
import type { ForgetRequest, HashNumber, Remains } from './retention-types.ts';
import type { AccountBooks, AccountSpending, BalanceDifference, Days } from './statement-types.ts';
import type {
  AccountRecord,
  Announcement,
  Backlog,
  BalanceMarker,
  ChunkRecord,
  ChunkRef,
  ChunkState,
  Decision,
  DecisionResult,
  EvidenceCase,
  FoundEvidence,
  Json,
  LedgerMessage,
  LeftOutPart,
  NamedState,
  NewSend,
  OutboxRow,
  PendingWork,
  PermitRequest,
  Poster,
  Priority,
  RequestOutcome,
  SaidSentResult,
  SendDetailsChange,
  SendRecord,
  SendWithFirstChunk,
  Settlement,
  SettleResult,
  StateChange,
  TakeRequest,
  TakeResult,
  Tally,
  UndecidedChunk,
  Undo,
  UndoResult,
  UnknownChunks,
  Wait,
} from './types.ts';

/**
 * The ledger: what may be sent, what is being sent, what became of it. Its types are in `types.ts` and in the
 * files `…-types.ts`.
 * `create-ledger.ts` implements this port over any store, and one contract suite (`test/ledger/ledger.contract.ts`) tests
 * it on each engine.
 *
 * All times are milliseconds since 1970 by the store's own clock. Every method is one atomic step, durable when it
 * resolves. A method that throws may or may not have happened; `take`, `settle` and whatever else ends an attempt can
 * be asked for again with the same token.
 */
export interface Ledger {
  /** The store's clock. */
  now(): number;

  /**
   * Writes a send and its chunks as a draft, and answers as `findWithFirstChunk`; undefined, and nothing is written, where
   * it was asked for before. The same id twice is refused with an error.
   */
  draft(send: NewSend): Promise<SendWithFirstChunk | undefined>;
  /**
   * Adds chunks to a draft, behind those it has; an error if it is no draft any more. For lists too long for one step.
   * With `repeats`, what comes last: texts that others sent, which the decision takes in or drops (`Decision.include`).
   */
  appendChunks(id: string, chunks: LedgerMessage[][], repeats?: DraftRepeats): Promise<void>;
  /** Adds messages to a draft of a job that are not sent, behind all of its chunks: they have their outcome already. */
  appendLeftOut(id: string, parts: LeftOutPart[]): Promise<void>;
  find(id: string): Promise<SendRecord | undefined>;
  /** A send with its first chunk: a single text has no other. Withdrawn and expired drafts have none. */
  findWithFirstChunk(id: string): Promise<SendWithFirstChunk | undefined>;
  /** The send's chunks in order; of a long list a part: those of one state, at most `limit`, from index `from` on. */
  chunks(id: string, part?: { from?: number; limit?: number; state?: ChunkState }): Promise<ChunkRecord[]>;
  tally(id: string): Promise<Tally>;
  /** Sends that somebody decided to send, newest first. Reads as many sends as it returns, and no texts of jobs. */
  history(query: HistoryQuery): Promise<HistoryEntry[]>;
  /**
   * draft → running | cancelled | superseded | awaiting_approval, once; an expired draft becomes `expired` instead. One
   * that does not run loses its chunks. A repeated request decides nothing. A request for approval has a day: then it is
   * running by another person's word, declined, cancelled or superseded, once, or expired. A text whose words another send brings to the same number is
   * not decided for sending, unless the person was told of that send (`Decision.words`). With
   * `startsInMs` nothing of it is taken before `startsAt`.
   */
  decide(id: string, decision: Decision): Promise<DecisionResult>;
  /** Requests for approval of a workspace that nobody has decided, oldest first. */
  awaitingApproval(team: string): Promise<SendRecord[]>;
  /** The newest send that brought these words to this number, or is about to: what a decision would refuse. */
  sameWords(team: string, hash: string): Promise<SameWords | undefined>;
  /** How many texts the repeat guard held back in a channel within the last 7 days, by UTC. */
  heldBackLately(team: string, channelId: string): Promise<number>;
  /** Which of these words another send brought to their numbers, or is about to. */
  whichRepeat(team: string, hashes: string[]): Promise<Set<string>>;
  /**
   * Claims the words of a job's chunk for an attempt, message by message, before its request. Returns the places of
   * messages that another send brings: they must not be sent, and are not claimed. Undefined where the attempt is over.
   */
  claimChunk(
    send: SendRecord,
    attempt: { index: number; token: string; words: Words[] },
  ): Promise<number[] | undefined>;
  /** running → paused; false if it was not running. */
  pause(id: string, reason: string): Promise<boolean>;
  /** paused → running, with these details merged in; false if it was not paused. */
  resume(id: string, details?: SendDetailsChange): Promise<boolean>;
  /** Merges details into those of a send that runs or is paused; false if it does neither. */
  mergeDetails(id: string, details: SendDetailsChange): Promise<boolean>;
  /** running | paused → stopped: pending chunks are cancelled, those in flight settle. False if it was neither. */
  stop(id: string): Promise<boolean>;
  /**
   * running | paused → cancelled, where nothing of it was ever taken: of this and a first `take` one wins. It loses its
   * chunks, and what its decision took is free again. It works after `startsAt`, too.
   */
  undo(id: string, undo: Undo): Promise<UndoResult>;
  /** Expires the drafts of a place, and its requests for approval, which lose their chunks; says how many. */
  expireDrafts(team: string, channelId: string): Promise<number>;
  /** Sends of an instance that are running or paused, or have something in flight. */
  openSends(instance: string): Promise<SendRecord[]>;
  /** Instances that have something to take. */
  instancesWithWork(priority: Priority): Promise<{ team: string; instance: string }[]>;
  /** Work that somebody should do now; one look at the store. */
  pendingWork(): Promise<PendingWork>;

  /**
   * Permit and intent in one step: pending → sending(token, attempt, deadline), or neither. Asked again with a token
   * that holds an attempt, it answers with that attempt, whose deadline stays as it was.
   */
  take(request: TakeRequest): Promise<TakeResult>;
  /**
   * Ends an attempt. A 429 lays its key to rest in the same step: until that is over, `take` and `permit` hand out
   * nothing of the key, whoever asks. Where the key rests already, another request's 429 is the reason: then this one
   * says nothing about its chunk, which goes back to pending whatever the settlement asks for.
   */
  settle(ref: ChunkRef, token: string, settlement: Settlement): Promise<SettleResult>;
  /**
   * Turns what nobody owns any more into what can truthfully be said: attempts past their deadline are unknown, drafts
   * past theirs expired, single sends that waited too long not sent. Expired drafts, and sends that were undone, forget
   * what they do not keep.
   */
  recover(): Promise<void>;
  /**
   * Writes down a person's word that these unknown chunks were sent: all of them, once, or none. They stay unknown, and
   * no credits are booked: the word is no receipt.
   */
  saySent(chunks: UnknownChunks, by: string): Promise<SaidSentResult>;
  /** Unknown chunks that need a person's decision, oldest first; of one team if given. */
  unknowns(team?: string): Promise<{ send: SendRecord; chunk: ChunkRecord }[]>;
  /** The same of all teams, without words or numbers: far less to read. */
  undecided(): Promise<UndecidedChunk[]>;

  /** A permit without a chunk. */
  permit(rateLimitKey: string, priority: Priority, token: string): Promise<{ kind: 'taken' } | Wait>;
  /** A permit for a balance read and the read's marker, in one step. */
  permitBalanceRead(
    account: string,
    request: PermitRequest,
  ): Promise<{ kind: 'taken'; marker: BalanceMarker } | Wait>;
  /** Says what became of a request without a chunk. A 429 lays the key to rest. */
  returnPermit(rateLimitKey: string, token: string, request: RequestOutcome): Promise<void>;

  account(id: string): Promise<AccountRecord | undefined>;
  /** What is known of the account's credits, and how many of its messages went out before this attempt without an answer yet. */
  funds(account: string, before: ChunkRef): Promise<{ credits?: number; inFlight: number }>;
  /** Credits charged for, and messages sent from, a place since then. */
  spentSince(team: string, channelId: string, since: number): Promise<{ credits: number; messages: number }>;
  /** Budgets' periods by their ids, in this order; undefined where nothing was decided in one. */
  budgets(ids: string[]): Promise<(BudgetPeriod | undefined)[]>;
  markBalanceRead(account: string): Promise<BalanceMarker>;
  /**
   * Takes a balance figure in, and ends the marker's permit, if it has one, as answered. `quiet` tells whether the figure
   * may serve as a baseline or as evidence; `difference` is what receipts don't explain since the last baseline.
   */
  recordBalance(
    marker: BalanceMarker,
    credits: number,
  ): Promise<{ account: AccountRecord; quiet: boolean; difference?: BalanceDifference }>;
  /** The account's books over these days; undefined before its first quiet balance read. */
  accountBooks(account: string, days: Days): Promise<AccountBooks | undefined>;
  /** The same, with the receipts of these days. Its differences and receipts add up to `closing`. */
  accountStatement(
    account: string,
    days: Days,
  ): Promise<{ books: AccountBooks; spending: AccountSpending[] } | undefined>;
  evidenceCase(account: string): Promise<EvidenceCase | undefined>;
  /** Writes evidence for the case's unknowns, with a new baseline at `credits`; false when the account was not quiet. */
  recordEvidence(marker: BalanceMarker, credits: number, evidence: FoundEvidence[]): Promise<boolean>;

  namedState(name: string): Promise<NamedState | undefined>;
  /** An account and a named state at one moment: a figure that is older than an alert could end it wrongly. */
  accountWithState(
    account: string,
    name: string,
  ): Promise<{ account: AccountRecord | undefined; state: NamedState | undefined }>;
  /** Compare-and-set of a named state, together with its announcements; false where its state is not `from`. */
  changeState(name: string, move: StateChange): Promise<boolean>;

  announce(announcement: Announcement): Promise<void>;
  /**
   * From now on a row that a step of this process leaves due is taken in the same commit, where the poster has room for
   * it. All others wait for `takeDue`.
   */
  postWith(poster: Poster): void;
  /** The next due row, now `posting` for this token; `undefined` when none is due. */
  takeDue(token: string, leaseMs: number): Promise<OutboxRow | undefined>;
  /** Renews the lease of a row that this token is still posting, for `leaseMs` from now; false where it is not. */
  extendPosting(id: string, token: string, leaseMs: number): Promise<boolean>;
  /** When the next row falls due, if any waits. */
  nextDueAt(): Promise<number | undefined>;
  /** It arrived. Where it changed meanwhile, it is due again. */
  markPosted(id: string, token: string, posted: Json): Promise<void>;
  postLater(id: string, token: string, waitMs: number): Promise<void>;

  /** True for the first caller of a key within its time to live: the others are repeats. */
  firstTime(key: string, ttlMs: number): Promise<boolean>;

  /** Notes that a person opened their Home: it is due for looks for an hour from now on. */
  openHome(owner: HomeOwner): Promise<void>;
  /**
   * Takes the Homes that are due for a look, each for one caller. A Home is due again after `HOME_EVERY_MS`, until an hour
   * after somebody opened it. Empty where none is due.
   */
  takeDueHomes(): Promise<DueHome[]>;
  /**
   * Notes what a Home shows now; undefined: nobody knows. The next look is `HOME_EVERY_MS` from now. Does nothing for a
   * forgotten Home.
   */
  noteHome(owner: HomeOwner, shown: ShownHome | undefined): Promise<void>;
  forgetHome(owner: HomeOwner): Promise<void>;

  /** Only reads. */
  backlog(): Promise<Backlog>;

  /**
   * Adds some messages whose outcome is new to the look-up by number, each once. True while more may wait. A power cut may
   * undo this method and those below: the bot then does the work again.
   */
  listNumbers(hashOf: HashNumber): Promise<boolean>;
  /** The messages to a number whose sends were decided since `since`, oldest first; of very many only the newest. */
  lookUp(team: string, hash: string, since: number): Promise<LeafEntry[]>;
  /** Workspaces that have something in the look-up. */
  teamsInLookUp(): Promise<string[]>;
  /** Deletes a number from the look-up. Returns how many messages it deleted. */
  forgetNumber(team: string, hash: string): Promise<number>;
  /**
   * Deletes entries of the look-up from before `before`, some at a time, wherever one is from before `due`: each leaf is
   * rewritten once for many of them. True while there may be more.
   */
  deleteOldEntries(before: number, due: number): Promise<boolean>;

  /**
   * Opts numbers out, or in again: all of them or none. One that is so already stays as it is. Returns how many it changed.
   */
  changeOptOuts(request: OptOutRequest): Promise<number>;
  /** What is known of a number; undefined where it was never opted out, or was opted in long ago. */
  optOut(team: string, hash: string): Promise<OptOutRecord | undefined>;
  /** Which of these numbers are opted out, as the store says now. One read. */
  whichOptedOut(team: string, hashes: string[]): Promise<Set<string>>;
  /** Numbers that are opted out, the newest first; those after `before`, if given. */
  listOptOuts(team: string, page: { before?: OptOutRecord; limit: number }): Promise<OptOutRecord[]>;
  countOptOuts(team: string): Promise<number>;
  /** Workspaces that ever had an opt-out. */
  teamsWithOptOuts(): Promise<string[]>;
  /**
   * Erases a number from the opt-outs, with all reasons. One that holds is kept by its hash alone: nobody may be texted
   * again because they were erased.
   */
  eraseOptOut(team: string, hash: string): Promise<'none' | 'deleted' | 'kept'>;
  /** Deletes some opt-outs that were taken back until `before`. Returns how many; 0 when none is left. */
  deleteOldOptIns(before: number): Promise<number>;
  /** Deletes all opt-outs of all workspaces: nobody can read them once their keys are lost. Returns how many held. */
  forgetOptOuts(): Promise<number>;
  /** Seals the opt-outs of all workspaces again, one at a time. Returns how many had another seal. */
  resealOptOuts(renew: RenewSealed): Promise<number>;

  /** The first workspace after `team` (by id) with ended sends that have words or numbers, and when the oldest one ended. */
  nextKept(team?: string): Promise<{ team: string; endedAt: number } | undefined>;
  /**
   * Forgets words and numbers of some sends that ended until `endedBefore`, and deletes drafts that nobody sent. It leaves
   * unknown chunks that a person may still decide, sends that a message to Slack still waits for, and chunks that are not
   * in the look-up yet. Returns how many sends it worked on: 0 when there is nothing left to do now.
   */
  forgetEnded(request: ForgetRequest): Promise<number>;
  /** Forgets the undecided unknown chunks, too, of some sends that ended until `endedBefore`. Returns how many sends. */
  forgetUndecided(endedBefore: number, remains: Remains): Promise<number>;
  /**
   * Erases a number (its digits) and its texts from the sends and chunks of all workspaces, and from the repeat guard. Those that are open, or unknown
   * and undecided, stay as they are. Returns how many were erased, and how many stay.
   */
  erase(phone: string, how: Erasure): Promise<{ erased: number; open: number }>;
  /** Every document of a workspace, and of the accounts that pay for it, with its kind; in no promised order. */
  exportTeam(team: string, accounts: string[]): AsyncIterable<{ kind: string; id: string; value: unknown }>;
  /** Deletes some forgotten sends that ended until `endedBefore`. Returns how many it worked on; 0 when none is left. */
  deleteForgotten(endedBefore: number): Promise<number>;
  /** Deletes budgets whose period ended until then, as many as one step may. Says how many. */
  deleteBudgets(endedBefore: number): Promise<number>;
  /**
   * Deletes some messages to Slack that are about no send and were posted until `before`. Deletes some named states, too,
   * that were over `slackMs` before that. Returns how many.
   */
  deleteOver(before: number, slackMs: number): Promise<number>;
}
