import type { Collection } from '../store/collection.ts';
import type { IndexKey } from '../store/keys.ts';
import type { BudgetPeriod, SendBudget } from './model/budget-types.ts';
import type { ShownHome } from './homes/home-types.ts';
import type { ListedOutcome } from './model/chunk-documents.ts';
import type { NumberLeaf } from './look-up/number-leaf.ts';
import type { OptOutRecord } from './opt-outs/opt-out-types.ts';
import type { ChunkSizes } from './model/sizes.ts';
import type { BalanceDifference } from './accounts/statement-types.ts';
import { countOf, type SendCounts } from './model/tally.ts';
import { isUndecided, isUndecidedSend, mayHoldDetails, type SplitBudget, UNSENT_DETAILS_KEPT_MS, WAS_CONFIRMED } from './model/transitions.ts';
import type { ChunkRecord, ChunkRef, Json, LedgerMessage, NamedState, SendRecord } from './types.ts';

/** The ledger's documents. What people and core see of them is in `types.ts`. */

/** A send, with all that a worker needs to know of its chunks: one document says which is next. */
export interface SendDocument {
  record: SendRecord;
  work: ChunkProgress;
  tally: SendCounts;
  /** The message of a single text. The messages of a job's chunks are documents of their own. */
  messages?: LedgerMessage[];
  /** Its share of its channel's and its person's budgets, once it was decided for sending. */
  budget?: SendBudget;
  /** How far retention has come with it. */
  retention?: RetentionProgress;
  /**
   * Of a job: the places of messages that an operator has erased, by the index of their chunk. A process may still know
   * the texts as they were before.
   */
  erased?: { [index: string]: number[] };
}

/** What retention has done to a send that ended. */
export interface RetentionProgress {
  /** It is through with the chunks below this index. */
  next: number;
  /** Chunks that it left, since they are unknown and a person may still decide. */
  held: number[];
  /** A person has decided one of `held` since. */
  isDecided?: true;
  /** The send itself is being deleted: how many of its chunks may still be there. */
  left?: number;
}

/** Where a send's chunks are. Times are ms by the store's clock. */
export interface ChunkProgress {
  /** How many chunks there are; the first `drafted` of them were drafted, the others are left out or came from splits. */
  chunks: number;
  drafted: number;
  /** What the drafted chunks of a job hold; missing where an earlier version drafted them. */
  sizes?: ChunkSizes;
  /** Of a draft: how many of its last chunks repeat what others sent. */
  repeated?: number;
  /** The first drafted chunk that was never taken. */
  next: number;
  /** Others that wait, by index, and before when none of them is taken: those tried before, and children of splits. */
  back: { [index: string]: number };
  /** Those that are being sent, by index, with their deadlines. */
  inFlight: { [index: string]: number };
  /** Drafted chunks that were split and have something open, by index. */
  splitBudgets: { [index: string]: SplitBudget };
  /** When a single send that still waits is given up. */
  staleAt?: number;
}

/** A chunk that was taken, is left out, or came from a split. What was drafted and never taken has none. */
export interface ChunkDocument extends Omit<ChunkRecord, 'send' | 'index' | 'messages'> {
  /** How many messages it holds. */
  size: number;
  /** The drafted chunk that it descends from, or is. */
  root: number;
  /** The key of its last attempt, for the rate limit. */
  rateLimitKey?: string;
  /** Attempts that proved that no request left. */
  neverStarted?: number;
  /** What an unknown chunk cost by its evidence, in credits, once the account's statement has noted that. */
  chargeFound?: number;
  /** Credits that an unknown chunk counts for in its budgets, once evidence or a person has judged it. */
  judged?: number;
  /** A person's word has judged it, not evidence. */
  judgedByWord?: true;
  /** The outcome under which the look-up by number has its messages; missing where it does not have them. */
  listed?: ListedOutcome;
}

/** The messages of a chunk. They never change, but for those that an operator erases: see `erased`. */
export type TextsDocument = LedgerMessage[];

/** The permits of one key. Times are ms by the store's clock. */
export interface KeyPermits {
  /** Of requests that were settled: until when each still counts. */
  live: number[];
  /** Of requests on their way, by token. `attempt`: what it is a request for, if that is a chunk. */
  held: { [token: string]: { until: number; attempt?: ChunkRef } };
  restsUntil?: number;
}

/** An account's money, and what of it is on its way. */
export interface AccountDocument {
  credits?: number;
  asOf?: number;
  activity: number;
  baseline?: { credits: number; at: number };
  receiptsSince: number;
  /** Attempts on their way, by `chunkIdOf`: their deadline, and how many messages. */
  inFlight: { [chunk: string]: [deadline: number, messages: number] };
  /** Unknown chunks whose request may still be on its way: their deadlines. */
  maybeInFlight: { [chunk: string]: number };
  /** Unknown chunks without evidence. */
  unexplained: number;
  /** The last day whose statement has begun, in days since 1970 (UTC); missing before the first quiet balance read. */
  statementDay?: number;
}

/** An account's statement of one day on which something changed beside receipts, or anything at all was charged. */
export interface AccountDay {
  account: string;
  /** Days since 1970, in UTC. */
  day: number;
  /** What the books said was left when the day began. */
  opening: number;
  /** Of an account's first day: when the statement begins, ms by the store's clock. */
  since?: number;
  /** What balance reads told, in the order in which they did. One of a kind an hour. */
  differences: BalanceDifference[];
}

/** Credits and messages of a place on one day, by the person who confirmed them. */
export interface DailySpending {
  team: string;
  channelId: string;
  by: string;
  /** Days since 1970, in UTC. */
  day: number;
  /** Whose statement counts them; missing where it had not begun. */
  account?: string;
  credits: number;
  messages: number;
}

/** A message to Slack. Times are ms by the store's clock. */
export interface OutboxDocument {
  /** What is to be posted; missing where all of it was. */
  waiting?: WaitingRow;
  posted?: Json;
  postedAt?: number;
  spacing?: number;
  /** It is about a send, and is deleted with it. */
  isOfSend?: true;
}

/** What is to be posted. */
export interface WaitingRow {
  topic: string;
  subject: string;
  details: Json;
  /** Due at this moment; while `token` posts it, the moment at which that one counts as gone. */
  dueAt: number;
  token?: string;
  /** Since when it waits. */
  since: number;
  /** How often it was announced since it was posted, and up to where `token` has read. */
  revision: number;
  takenRevision?: number;
  attempts: number;
}

/** Marks a key that was used once: until then, another use is a repeat. */
export interface RepeatMark {
  until: number;
}

/** Which sends brought some words to a number, the newest last. The document's id is a keyed hash of both. */
export interface RepeatGuard {
  claims: GuardClaim[];
}

/** That a chunk of a send brings them, or brought them. */
export interface GuardClaim extends ChunkRef {
  /** Who decided the send. */
  by: string;
  at: number;
  /** From then on it does not count. */
  until: number;
}

/** What the repeat guard held back in a channel on one day. */
export interface HeldBack {
  team: string;
  channelId: string;
  /** Days since 1970, in UTC. */
  day: number;
  messages: number;
}

/** A person's Home that was opened a short while ago. Times are ms by the store's clock. */
export interface OpenHome {
  team: string;
  user: string;
  openedAt: number;
  /** From then on a bot may look whether the Home is still up to date. */
  lookAt: number;
  /** Missing until it was published, and where nobody knows what Slack shows. */
  shown?: ShownHome;
}

export const sends: Collection<SendDocument> = {
  name: 'sends',
  indexes: {
    work: ({ record: { state, kind, instance, decidedAt = 0, servedAt = 0 }, tally }) =>
      state === 'running' && countOf(tally, 'pending').chunks > 0
        ? [kind, instance, kind === 'single' ? decidedAt : servedAt]
        : undefined,
    open: ({ record: { state, instance }, tally }) =>
      state === 'running' || state === 'paused' || countOf(tally, 'sending').chunks > 0
        ? [instance]
        : undefined,
    drafts: ({ record: { state, team, channelId } }) =>
      isUndecidedSend(state) ? [team, channelId] : undefined,
    awaiting: ({ record: { state, team, approval } }) =>
      state === 'awaiting_approval' ? [team, approval?.askedAt ?? 0] : undefined,
    look: nextRecoveryAt,
    historyOfChannel: (send) => historyKey([send.record.team, send.record.channelId], send),
    historyOfTeam: (send) => historyKey([send.record.team], send),
    historyOfPerson: (send) => historyKey([send.record.team, send.record.decidedBy ?? ''], send),
    kept: keptSince,
    held: ({ record, work, retention }) =>
      retention && retention.next >= work.chunks && retention.held.length > 0
        ? [timeKey(endOf(record))]
        : undefined,
    forgotten: (send) => (isForgotten(send) ? [timeKey(endOf(send.record))] : undefined),
  },
};

/** The index of ended sends that retention still has to go through, by workspace and end. */
function keptSince({ record, work, tally, retention }: SendDocument): IndexKey | undefined {
  const isOpen = countOf(tally, 'pending').chunks + countOf(tally, 'sending').chunks > 0;
  if (isOpen || isUndecidedSend(record.state) || ['running', 'paused'].includes(record.state))
    return undefined;
  const isThrough = retention && retention.next >= work.chunks && !retention.isDecided;
  return isThrough ? undefined : [record.team, timeKey(endOf(record))];
}

/** When a send ended. Sends of earlier versions may not say it: then it is when their draft was over. */
export function endOf({ endedAt, expiresAt }: SendRecord): number {
  return endedAt ?? expiresAt;
}

/** Whether a send keeps no words and no numbers. */
export function isForgotten({ work, retention }: SendDocument): boolean {
  return retention !== undefined && retention.next >= work.chunks && retention.held.length === 0;
}

/** The index of the history: what somebody decided to send. The id keeps two sends of one moment apart. */
function historyKey(
  place: string[],
  { record: { id, state, decidedAt, undone } }: SendDocument,
): IndexKey | undefined {
  const wasDecided = WAS_CONFIRMED[state] || undone !== undefined;
  return wasDecided && decidedAt !== undefined ? [...place, decidedAt, id] : undefined;
}

/** A moment as a key: waits need not be whole ms, and nothing is found before its time. */
function timeKey(moment: number): number {
  return Math.ceil(moment);
}

/** When the send next needs a look by `recover`. */
function nextRecoveryAt({ record, work, tally }: SendDocument): IndexKey | undefined {
  const times = Object.values(work.inFlight);
  if (isUndecidedSend(record.state)) times.push(record.expiresAt);
  if (mayHoldDetails(record)) times.push(detailsForgottenAt(record));
  const isWaiting = record.state === 'running' && countOf(tally, 'pending').chunks > 0;
  if (isWaiting && work.staleAt !== undefined) times.push(work.staleAt);
  return times.length > 0 ? [timeKey(Math.min(...times))] : undefined;
}

/** When it forgets what it does not keep. */
export function detailsForgottenAt({ endedAt = 0, expiresAt }: SendRecord): number {
  return Math.min(endedAt, expiresAt) + UNSENT_DETAILS_KEPT_MS;
}

export const chunks: Collection<ChunkDocument> = {
  name: 'chunks',
  indexes: {
    undecided: (chunk) => (isUndecided(chunk) ? [chunk.settledAt ?? 0] : undefined),
    unexplained: ({ state, evidence, account, settledAt = 0 }) =>
      state === 'unknown' && evidence === undefined && account !== undefined
        ? [account, settledAt]
        : undefined,
    unlisted: (chunk) => (isUnlisted(chunk) ? [timeKey(chunk.settledAt ?? 0)] : undefined),
  },
};

/** Whether the look-up by number has yet to learn the chunk's outcome. */
export function isUnlisted(chunk: ChunkDocument): boolean {
  return !chunk.forgotten && chunk.listed !== listedOutcomeOf(chunk);
}

/** The outcome of a chunk for the look-up; undefined where its messages do not belong there, or not yet. */
export function listedOutcomeOf({ state, saidSentBy }: ChunkDocument): ListedOutcome | undefined {
  if (state === 'unknown') return saidSentBy === undefined ? 'u' : 'a';
  if (state === 'sent') return 's';
  if (state === 'rejected') return 'r';
  return state === 'not_sent' ? 'n' : undefined;
}

export const texts: Collection<TextsDocument> = { name: 'texts', indexes: {}, isImmutable: true };

export const keyPermits: Collection<KeyPermits> = { name: 'permits', indexes: {} };

export const accounts: Collection<AccountDocument> = {
  name: 'accounts',
  indexes: { unexplained: ({ unexplained }) => (unexplained > 0 ? [] : undefined) },
};

export const dailySpending: Collection<DailySpending> = {
  name: 'spending',
  indexes: {
    channels: ({ team, channelId, day }) => [team, channelId, day],
    accounts: ({ account, day }) => (account === undefined ? undefined : [account, day]),
  },
};

export const accountDays: Collection<AccountDay> = {
  name: 'account-days',
  indexes: { days: ({ account, day }) => [account, day] },
};

export const outbox: Collection<OutboxDocument> = {
  name: 'outbox',
  indexes: {
    // What was never tried comes first.
    due: ({ waiting }) => waiting && [waiting.attempts > 0 ? 1 : 0, timeKey(waiting.dueAt), waiting.since],
    waiting: ({ waiting }) => waiting && [waiting.since],
    posting: ({ waiting }) => (waiting?.token === undefined ? undefined : [waiting.token]),
    over: ({ waiting, isOfSend, postedAt }) =>
      waiting || isOfSend || postedAt === undefined ? undefined : [timeKey(postedAt)],
  },
};

export const repeatMarks: Collection<RepeatMark> = {
  name: 'seen',
  indexes: { over: ({ until }) => [timeKey(until)] },
};

export const guards: Collection<RepeatGuard> = {
  name: 'guards',
  indexes: { over: ({ claims }) => [timeKey(Math.max(...claims.map(({ until }) => until)))] },
};

export const heldBack: Collection<HeldBack> = {
  name: 'held-back',
  indexes: {
    channels: ({ team, channelId, day }) => [team, channelId, day],
    over: ({ day }) => [day],
  },
};

export const namedStates: Collection<Omit<NamedState, 'name'>> = {
  name: 'states',
  indexes: { over: ({ isOver, movedAt }) => (isOver ? [timeKey(movedAt)] : undefined) },
};

/** The look-up by number. A leaf's id is `leafIdOf`. */
export const numbers: Collection<NumberLeaf> = {
  name: 'numbers',
  indexes: {
    leaves: ({ team, start }) => [team, start],
    oldest: ({ oldest }) => (oldest === undefined ? undefined : [oldest]),
  },
};

export function leafIdOf({ team, start }: Pick<NumberLeaf, 'team' | 'start'>): string {
  return `${team}/${start}`;
}

export const budgets: Collection<BudgetPeriod> = {
  name: 'budgets',
  indexes: { over: ({ renewsAt }) => [timeKey(renewsAt)] },
};

export const homes: Collection<OpenHome> = {
  name: 'homes',
  indexes: { look: ({ lookAt }) => [timeKey(lookAt)] },
};

/** Numbers that must get no texts. An opt-out's id is `optOutIdOf`. */
export const optOuts: Collection<OptOutRecord> = {
  name: 'opt-outs',
  indexes: {
    out: (found) => (isOptedOut(found) ? [found.team, timeKey(changedAt(found)), found.hash] : undefined),
    // Those that were taken back: their past is kept for a while.
    over: (found) => (isOptedOut(found) ? undefined : [timeKey(changedAt(found))]),
  },
};

/** Whether the number must get no texts now. */
export function isOptedOut({ changes }: OptOutRecord): boolean {
  return changes.at(-1)?.to === 'out';
}

function changedAt({ changes }: OptOutRecord): number {
  return changes.at(-1)?.at ?? 0;
}

export function optOutIdOf({ team, hash }: Pick<OptOutRecord, 'team' | 'hash'>): string {
  return `${team}/${hash}`;
}

/** Where the document is: what its sealed texts are sealed for. */
export function optOutAddress(id: string): string {
  return `opt-outs/${id}`;
}

/** How many numbers of a workspace are opted out; its id is the workspace's. */
export const optOutCounts: Collection<{ team: string; numbers: number }> = {
  name: 'opt-out-counts',
  indexes: { teams: ({ team }) => [team] },
};

/** Each of them. */
export const COLLECTIONS: readonly Collection<never>[] = [
  ...[sends, chunks, texts, keyPermits, accounts, accountDays, dailySpending],
  ...[outbox, repeatMarks, guards, heldBack, namedStates, numbers, homes, optOuts, optOutCounts, budgets],
];

/** A chunk's id, the same for its texts. */
export function chunkIdOf({ send, index }: ChunkRef): string {
  return `${send}/${index}`;
}

/** The chunk that a name is of. */
export function chunkRefOf(name: string): ChunkRef {
  const slash = name.lastIndexOf('/');
  return { send: name.slice(0, slash), index: Number(name.slice(slash + 1)) };
}
