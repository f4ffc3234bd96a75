import {
  type AccountDocument,
  accounts,
  type DailySpending,
} from '../../ledger/accounts/account-documents.ts';
import { type ChunkDocument, chunks } from '../../ledger/model/chunk-documents.ts';
import { type ChunkProgress, type SendDocument, sends } from '../../ledger/model/send-documents.ts';
import {
  namedStates,
  type OutboxDocument,
  outbox,
  type WaitingRow,
} from '../../ledger/outbox/outbox-documents.ts';
import { type KeyPermits, keyPermits } from '../../ledger/permits/permit-documents.ts';
import type { Collection } from '../../store/collection.ts';

/**
 * Documents as the formats before wrote them: SQLite's 7 to 11, Redis's 2 to 6. Each function makes today's document of
 * any of them, and leaves today's as it is.
 */

type OldSend = Omit<SendDocument, 'record' | 'work'> & {
  record: SendDocument['record'] & { place?: string };
  work: ChunkProgress & { flying?: ChunkProgress['inFlight']; families?: ChunkProgress['splitBudgets'] };
};
type OldChunk = ChunkDocument & { lane?: string };
type OldAccount = AccountDocument & {
  anchor?: AccountDocument['baseline'];
  flying?: AccountDocument['inFlight'];
  doubts?: AccountDocument['maybeInFlight'];
};
type OldDay = Omit<DailySpending, 'channelId'> & { place: string };
/** Without `dueAt` it is posted. */
type FlatRow = OutboxDocument & Partial<WaitingRow>;

/** Old sends are in the indexes where today's would be. */
export const oldSends: Collection<OldSend> = {
  name: sends.name,
  indexes: Object.fromEntries(
    Object.entries(sends.indexes).map(([name, keyOf]) => [name, (value: OldSend) => keyOf(sendOf(value))]),
  ),
};
export const oldChunks: Collection<OldChunk> = chunks;
export const oldAccounts: Collection<OldAccount> = accounts;
export const oldRows: Collection<FlatRow> = outbox;
export const oldDays: Collection<OldDay> = {
  name: 'days',
  indexes: { places: ({ team, place, day }) => [team, place, day] },
};
export const oldPermits: Collection<KeyPermits> = { ...keyPermits, name: 'lanes' };
export const oldStates: typeof namedStates = { ...namedStates, name: 'episodes' };

/** Nothing is left in them. */
export const OLD_COLLECTIONS = [oldDays, oldPermits, oldStates].map(({ name }) => name);

export function sendOf({ record: { place, ...record }, work, tally, ...rest }: OldSend): SendDocument {
  const { flying, families, ...progress } = work;
  const states = Object.entries(tally.states).filter(([, { chunks: count }]) => count > 0);
  return {
    ...rest,
    record: { ...record, ...(place !== undefined && { channelId: place }) },
    work: { ...progress, ...(flying && { inFlight: flying }), ...(families && { splitBudgets: families }) },
    // Counts that are none are left out.
    tally: { ...tally, states: Object.fromEntries(states) },
  };
}

export function chunkOf({ lane, ...chunk }: OldChunk): ChunkDocument {
  return lane === undefined ? chunk : { ...chunk, rateLimitKey: lane };
}

export function accountOf({ anchor, flying, doubts, ...account }: OldAccount): AccountDocument {
  return {
    ...account,
    ...(anchor && { baseline: anchor }),
    ...(flying && { inFlight: flying }),
    ...(doubts && { maybeInFlight: doubts }),
  };
}

/** Rows of a send: their ids end in the send's, which has neither a colon nor a slash. */
const OF_A_SEND = /^(receipt|line|job):[\w-]+$/;

/** What was posted keeps no words, but says whether it goes with a send. */
export function rowOf(id: string, row: FlatRow): OutboxDocument {
  const { waiting, posted, postedAt, spacing, ...flat } = row;
  const isPosted = posted !== undefined && OF_A_SEND.test(id);
  const stays = flat.dueAt === undefined ? waiting : (flat as WaitingRow);
  return {
    ...(stays && { waiting: stays }),
    ...(posted === undefined ? {} : { posted }),
    ...(postedAt === undefined ? {} : { postedAt }),
    ...(spacing === undefined ? {} : { spacing }),
    ...(isPosted && { isOfSend: true }),
  };
}

/** States that nobody needs any more: enough credits again, and a key that works. Earlier versions did not say so. */
const IS_OVER = [/^credit:.* armed$/s, /^key:.* works$/s];

export function stateOf<T extends { state: string; isOver?: true }>(name: string, state: T): T {
  const isOver = IS_OVER.some((over) => over.test(`${name} ${state.state}`));
  return isOver ? { ...state, isOver } : state;
}

export function dayOf({ place, ...day }: OldDay): DailySpending {
  return { ...day, channelId: place };
}
