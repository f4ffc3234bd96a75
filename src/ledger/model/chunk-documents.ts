import type { Collection } from '../../store/collection.ts';
import type { IndexKey } from '../../store/keys.ts';
import type { ChunkRecord, ChunkRef, LedgerMessage } from './chunk-record.ts';
import type { ChunkState } from './outcome-types.ts';
import type { SendRecord } from './send-record.ts';
import { isUndecided } from './unknown-chunks.ts';

/** What became of a message: sent, rejected, not sent, unknown, or unknown and sent by a person's word. */
export type ListedOutcome = 's' | 'r' | 'n' | 'u' | 'a';

/** A chunk that was taken, is left out, or came from a split. A drafted chunk has no document before it is taken. */
export interface ChunkDocument extends Omit<ChunkRecord, 'send' | 'index' | 'messages' | 'refusals'> {
  /** As in `ChunkRecord`; missing if there are none. */
  refusals?: number;
  /** How many messages it holds. */
  size: number;
  /** The drafted chunk that it comes from; its own index if it was drafted. */
  root: number;
  /** The key of its last attempt, for the rate limit. */
  rateLimitKey?: string;
  /** The chunk was on its way when bots met another server. That server may have forgotten its end, and a later attempt. */
  mayHaveEnded?: true;
  /** How many attempts surely made no request. */
  neverStarted?: number;
  /** What an unknown chunk cost by its evidence, in credits, once the account's statement has it. */
  chargeFound?: number;
  /** Credits that an unknown chunk counts for in its budgets, once evidence or a person has judged it. */
  judged?: number;
  /** A person's word has judged it, not evidence. */
  judgedByWord?: true;
  /** Of an unknown chunk: its send's place, for the indexes of undecided chunks. */
  owner?: Pick<SendRecord, 'team' | 'channelId' | 'kind'>;
  /** Of an unknown chunk: the id of the `spending` document that counts it; missing if none does. */
  countedIn?: string;
  /** The outcome that the look-up by number shows for its messages; missing if the look-up lacks them. */
  listed?: ListedOutcome;
}

/** The messages of a chunk. Only an operator changes them, by erasing some: see `erased`. */
export type TextsDocument = LedgerMessage[];

export const chunks: Collection<ChunkDocument> = {
  name: 'chunks',
  whenDamaged: 'lost',
  indexes: {
    undecided: (chunk) => (isUndecided(chunk) ? [chunk.settledAt ?? 0] : undefined),
    undecidedOfTeam: (chunk) => undecidedKey(chunk, ({ team, kind }) => [team, kind]),
    undecidedOfChannel: (chunk) =>
      undecidedKey(chunk, ({ team, channelId, kind }) => [team, channelId, kind]),
    unexplained: ({ state, evidence, account, settledAt = 0 }) =>
      state === 'unknown' && evidence === undefined && account !== undefined
        ? [account, settledAt]
        : undefined,
    unlisted: (chunk) => (isUnlisted(chunk) ? [chunk.settledAt ?? 0] : undefined),
  },
  isAtRest: ({ listed, forgotten }) => listed !== undefined || forgotten === true,
};

function undecidedKey(
  chunk: ChunkDocument,
  placeOf: (owner: NonNullable<ChunkDocument['owner']>) => string[],
): IndexKey | undefined {
  const { owner, settledAt = 0 } = chunk;
  return owner && isUndecided(chunk) ? [...placeOf(owner), settledAt] : undefined;
}

/** Whether the look-up by number has yet to learn the chunk's outcome. */
export function isUnlisted(chunk: ChunkDocument): boolean {
  return !chunk.forgotten && chunk.listed !== listedOutcomeOf(chunk);
}

const LISTED: { [state in ChunkState]: ListedOutcome | undefined } = {
  pending: undefined,
  sending: undefined,
  sent: 's',
  rejected: 'r',
  not_sent: 'n',
  unknown: 'u',
  cancelled: undefined,
  split: undefined,
};

/** The outcome of a chunk for the look-up; undefined while the look-up should not have its messages. */
export function listedOutcomeOf({ state, saidSentBy }: ChunkDocument): ListedOutcome | undefined {
  return state === 'unknown' && saidSentBy !== undefined ? 'a' : LISTED[state];
}

export const texts: Collection<TextsDocument> = {
  name: 'texts',
  indexes: {},
  isImmutable: true,
  whenDamaged: 'lost',
  isAtRest: () => true,
};

/** A chunk's id, the same for its texts. */
export function chunkIdOf({ send, index }: ChunkRef): string {
  return `${send}/${index}`;
}

export function chunkRefOf(name: string): ChunkRef {
  const slash = name.lastIndexOf('/');
  return { send: name.slice(0, slash), index: Number(name.slice(slash + 1)) };
}
