import type { Collection } from '../../store/collection.ts';
import type { IndexKey } from '../../store/keys.ts';
import type { SplitBudget } from './apply-settlement.ts';
import type { SendBudget } from './budget-types.ts';
import type { LedgerMessage } from './chunk-record.ts';
import type { Entries } from './entries.ts';
import type { SendRecord } from './send-record.ts';
import {
  hasEnded,
  isUndecidedSend,
  isUnderWay,
  mayHoldDetails,
  UNSENT_DETAILS_KEPT_MS,
  WAS_CONFIRMED,
} from './send-states.ts';
import type { ChunkSizes } from './sizes.ts';
import { countOf, type SendCounts } from './tally.ts';

/** A send, with all that a worker needs to know of its chunks: this one document says which is next. */
export interface SendDocument {
  record: SendRecord;
  work: ChunkProgress;
  tally: SendCounts;
  /** The message of a single text. The messages of a job's chunks are documents of their own. */
  messages?: LedgerMessage[];
  /** Its share of its budgets, once somebody decided to send it. */
  budget?: SendBudget;
  /** Of a single text that ended: the look-up by number has it. */
  isListed?: true;
  /** How far retention has come with it. */
  retention?: RetentionProgress;
  /** Of a job: the places of erased messages, by their chunk's index. A process may still remember the texts. */
  erased?: { [index: string]: number[] };
}

export interface RetentionProgress {
  /** Retention has been through the chunks below this index. */
  next: number;
  /** Unknown chunks that retention left, since a person may still decide. */
  held: number[];
  /** A person has decided one of `held` since. */
  isDecided?: true;
  /** Set while the send itself is being deleted: how many of its chunks may still be there. */
  left?: number;
}

/** How far a send's chunks are. Times are ms by the store's clock. */
export interface ChunkProgress {
  /** How many chunks there are. The first `drafted` were drafted; the others are left out or came from splits. */
  chunks: number;
  drafted: number;
  /** How many messages the drafted chunks of a job hold; missing if an earlier version drafted them. */
  sizes?: ChunkSizes;
  /** Of a draft: how many of its last chunks repeat what others sent. */
  repeated?: number;
  /** The first drafted chunk that was never taken. */
  next: number;
  /** Other pending chunks (tried before, or from splits), by index. Nobody takes one before its time. */
  back?: Entries<number>;
  /** Deadlines of the chunks that are being sent, by index. */
  inFlight?: Entries<number>;
  /** Split budgets by the index of their drafted chunk, while a part of it is still open. */
  splitBudgets?: Entries<SplitBudget>;
  /** When a single send that still waits becomes `not_sent`. */
  staleAt?: number;
}

export const sends: Collection<SendDocument> = {
  name: 'sends',
  whenDamaged: 'lost',
  indexes: {
    work: ({ record: { state, kind, instance, decidedAt = 0, servedAt = 0 }, tally }) =>
      state === 'running' && countOf(tally, 'pending').chunks > 0
        ? [kind, instance, kind === 'single' ? decidedAt : servedAt]
        : undefined,
    open: ({ record: { state, instance }, tally }) =>
      isUnderWay(state) || countOf(tally, 'sending').chunks > 0 ? [instance] : undefined,
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
      retention && retention.next >= work.chunks && retention.held.length > 0 ? [endOf(record)] : undefined,
    forgotten: (send) => (isForgotten(send) ? [endOf(send.record)] : undefined),
  },
  // A person waits for the step that ends a single text, so a later step saves the room.
  isAtRest: ({ record, isListed }) => hasEnded(record) && (record.kind === 'job' || isListed === true),
};

/** The key of ended sends that retention still has to go through, by workspace and end. */
function keptSince({ record, work, tally, retention }: SendDocument): IndexKey | undefined {
  if (!hasNoOpenChunk({ tally }) || isUndecidedSend(record.state) || isUnderWay(record.state))
    return undefined;
  const isThrough = retention && retention.next >= work.chunks && !retention.isDecided;
  return isThrough ? undefined : [record.team, endOf(record)];
}

/** When a send ended. If a send of an earlier version does not say, its draft's expiry counts. */
export function endOf({ endedAt, expiresAt }: SendRecord): number {
  return endedAt ?? expiresAt;
}

/** Whether nothing of the send waits or is on its way. */
export function hasNoOpenChunk({ tally }: Pick<SendDocument, 'tally'>): boolean {
  return countOf(tally, 'pending').chunks + countOf(tally, 'sending').chunks === 0;
}

/** Whether a send keeps no words and no numbers. */
export function isForgotten({ work, retention }: SendDocument): boolean {
  return retention !== undefined && retention.next >= work.chunks && retention.held.length === 0;
}

/** A key of the history: sends that somebody decided to send. The id tells two sends of one moment apart. */
function historyKey(place: string[], { record }: SendDocument): IndexKey | undefined {
  const { id, state, decidedAt, undone } = record;
  const wasDecided = WAS_CONFIRMED[state] || undone !== undefined;
  return wasDecided && decidedAt !== undefined ? [...place, decidedAt, id] : undefined;
}

/** When the send next needs a look by `recover`. */
function nextRecoveryAt({ record, work, tally }: SendDocument): IndexKey | undefined {
  const times = Object.values(work.inFlight ?? {});
  if (isUndecidedSend(record.state)) times.push(record.expiresAt);
  if (mayHoldDetails(record)) times.push(detailsForgottenAt(record));
  const isWaiting = record.state === 'running' && countOf(tally, 'pending').chunks > 0;
  if (isWaiting && work.staleAt !== undefined) times.push(work.staleAt);
  return times.length > 0 ? [Math.min(...times)] : undefined;
}

/** When a send that nobody sends forgets the details that it does not keep. */
export function detailsForgottenAt({ endedAt = 0, expiresAt }: SendRecord): number {
  return Math.min(endedAt, expiresAt) + UNSENT_DETAILS_KEPT_MS;
}
