import { defined } from '../../ledger/model/defined.ts';
import type { OutboxDocument, WaitingRow } from '../../ledger/outbox/outbox-documents.ts';
import type { HeldPermit, KeyPermits } from '../../ledger/permits/permit-documents.ts';

/**
 * Documents of earlier formats. Each function turns a document of any of these formats into today's, and returns one of
 * today's as it is.
 */

export type Fields = { [name: string]: unknown };
type OldSend = Fields & {
  record: Fields;
  work: Fields;
  tally: Fields & { states: { [state: string]: Count } };
};
type Count = { chunks: number };
type OldPermits = Omit<KeyPermits, 'held'> & {
  held: HeldPermit[] | { [token: string]: Omit<HeldPermit, 'token'> };
};
/** A row without `dueAt` is posted. */
type FlatRow = OutboxDocument & Partial<WaitingRow>;

/** Today's names of fields, by their old names. */
const TODAY = new Map([
  ['place', 'channelId'],
  ['lane', 'rateLimitKey'],
  ['flying', 'inFlight'],
  ['families', 'splitBudgets'],
  ['anchor', 'baseline'],
  ['doubts', 'maybeInFlight'],
]);

/** The fields under today's names. */
export function renamed(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [TODAY.get(name) ?? name, value]));
}

/** The fields whose values have entries. */
function filled(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, of]) => of && Object.keys(of).length > 0));
}

export function sendOf({ record, work, tally, ...rest }: OldSend): Fields {
  const { back, inFlight, splitBudgets, ...progress } = renamed(work);
  const { otherStatuses, ...counts } = tally;
  const states = Object.entries(tally.states).filter(([, { chunks }]) => chunks > 0);
  return {
    ...rest,
    record: renamed(record),
    work: { ...progress, ...filled({ back, inFlight, splitBudgets }) },
    tally: { ...counts, ...filled({ otherStatuses }), states: Object.fromEntries(states) },
  };
}

export function chunkOf({ refusals, ...chunk }: Fields): Fields {
  return { ...renamed(chunk), ...(refusals !== 0 && defined({ refusals })) };
}

export function accountOf(old: Fields): Fields {
  const { inFlight = [], maybeInFlight, ...account } = renamed(old);
  const attempts = Array.isArray(inFlight)
    ? inFlight
    : Object.entries(inFlight as { [chunk: string]: number[] }).map(([chunk, rest]) => [chunk, ...rest]);
  return { ...account, inFlight: attempts, ...filled({ maybeInFlight }) };
}

export function permitsOf({ held, ...permits }: OldPermits): KeyPermits {
  const list = Array.isArray(held)
    ? held
    : Object.entries(held).map(([token, permit]) => ({ token, ...permit }));
  return { ...permits, held: list };
}

/** Ids of a send's rows end in the send's id, which has neither a colon nor a slash. */
const OF_A_SEND = /^(receipt|line|job):[\w-]+$/;

/** A posted row has no words any more. `isOfSend`: the row is deleted with its send. */
export function rowOf(row: FlatRow, id: string): OutboxDocument {
  const { waiting, posted, postedAt, spacing, ...flat } = row;
  const isPosted = posted !== undefined && OF_A_SEND.test(id);
  const stays = flat.dueAt === undefined ? waiting : (flat as WaitingRow);
  return {
    ...defined({ waiting: stays, posted, postedAt, spacing }),
    ...(isPosted && { isOfSend: true }),
  };
}

/** States that are over: enough credits again, and a key that works again. Earlier versions did not mark them. */
const IS_OVER = [/^credit:.* armed$/s, /^key:.* works$/s];

export function stateOf<T extends { state: string; isOver?: true }>(state: T, name: string): T {
  const isOver = IS_OVER.some((over) => over.test(`${name} ${state.state}`));
  return isOver ? { ...state, isOver } : state;
}
