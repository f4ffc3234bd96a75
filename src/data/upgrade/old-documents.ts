import type { AccountDocument, DailySpending } from '../../ledger/accounts/account-documents.ts';
import type { ChunkDocument } from '../../ledger/model/chunk-documents.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { ChunkProgress, SendDocument } from '../../ledger/model/send-documents.ts';
import type { OutboxDocument, WaitingRow } from '../../ledger/outbox/outbox-documents.ts';
import type { HeldPermit, KeyPermits } from '../../ledger/permits/permit-documents.ts';

/**
 * Documents of earlier formats: SQLite's 7 to 12, Redis's 2 to 8. Each function turns any of them into today's
 * document, and leaves today's as it is.
 */

type OldSend = Omit<SendDocument, 'record' | 'work'> & {
  record: SendDocument['record'] & { place?: string };
  work: ChunkProgress & { flying?: ChunkProgress['inFlight']; families?: ChunkProgress['splitBudgets'] };
};
type OldChunk = ChunkDocument & { lane?: string };
type OldInFlight = { [chunk: string]: [deadline: number, messages: number] };
type OldAccount = Omit<AccountDocument, 'inFlight'> & {
  inFlight?: AccountDocument['inFlight'] | OldInFlight;
  anchor?: AccountDocument['baseline'];
  flying?: OldInFlight;
  doubts?: AccountDocument['maybeInFlight'];
};
type OldPermits = Omit<KeyPermits, 'held'> & {
  held: HeldPermit[] | { [token: string]: Omit<HeldPermit, 'token'> };
};
type OldDay = DailySpending & { place?: string };
/** Without `dueAt` it is posted. */
type FlatRow = OutboxDocument & Partial<WaitingRow>;

export function sendOf({ record: { place, ...record }, work, tally, ...rest }: OldSend): SendDocument {
  const { flying, families, back, inFlight = flying, splitBudgets = families, ...progress } = work;
  const { otherStatuses, ...counts } = tally;
  const states = Object.entries(tally.states).filter(([, { chunks: count }]) => count > 0);
  // What is empty is left out.
  return {
    ...rest,
    record: { ...record, ...(place !== undefined && { channelId: place }) },
    work: { ...progress, ...filled({ back, inFlight, splitBudgets }) },
    tally: { ...counts, ...filled({ otherStatuses }), states: Object.fromEntries(states) },
  };
}

/** Those that have entries. */
function filled<T extends { [name: string]: object | undefined }>(entries: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(entries).filter(([, of]) => of && Object.keys(of).length > 0),
  ) as Partial<T>;
}

export function chunkOf({ lane, refusals = 0, ...chunk }: OldChunk): ChunkDocument {
  return {
    ...chunk,
    ...(refusals > 0 && { refusals }),
    ...(lane !== undefined && { rateLimitKey: lane }),
  };
}

export function accountOf({
  anchor,
  flying,
  doubts,
  maybeInFlight = doubts,
  inFlight = [],
  ...account
}: OldAccount): AccountDocument {
  const attempts = flying ?? inFlight;
  return {
    ...account,
    inFlight: Array.isArray(attempts)
      ? attempts
      : Object.entries(attempts).map(([chunk, [deadline, messages]]) => [chunk, deadline, messages]),
    ...(anchor && { baseline: anchor }),
    ...filled({ maybeInFlight }),
  };
}

export function permitsOf({ held, ...permits }: OldPermits): KeyPermits {
  const list = Array.isArray(held)
    ? held
    : Object.entries(held).map(([token, permit]) => ({ token, ...permit }));
  return { ...permits, held: list };
}

/** Rows of a send: their ids end in the send's, which has neither a colon nor a slash. */
const OF_A_SEND = /^(receipt|line|job):[\w-]+$/;

/** What was posted keeps no words, but says whether it goes with a send. */
export function rowOf(row: FlatRow, id: string): OutboxDocument {
  const { waiting, posted, postedAt, spacing, ...flat } = row;
  const isPosted = posted !== undefined && OF_A_SEND.test(id);
  const stays = flat.dueAt === undefined ? waiting : (flat as WaitingRow);
  return {
    ...defined({ waiting: stays, posted, postedAt, spacing }),
    ...(isPosted && { isOfSend: true }),
  };
}

/** States that nobody needs any more: enough credits again, and a key that works. Earlier versions did not say so. */
const IS_OVER = [/^credit:.* armed$/s, /^key:.* works$/s];

export function stateOf<T extends { state: string; isOver?: true }>(state: T, name: string): T {
  const isOver = IS_OVER.some((over) => over.test(`${name} ${state.state}`));
  return isOver ? { ...state, isOver } : state;
}

export function dayOf({ place, ...day }: OldDay): DailySpending {
  return { ...day, ...(place !== undefined && { channelId: place }) };
}
