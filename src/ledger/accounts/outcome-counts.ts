import type { View } from '../../store/view.ts';
import { type ChunkDocument, type ListedOutcome, listedOutcomeOf } from '../model/chunk-documents.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { accounts, dailySpending } from './account-documents.ts';
import { spendingOfToday } from './spending.ts';
import type { OtherOutcomes } from './statement-types.ts';

/**
 * Counts a chunk's outcome today. If the chunk was unknown before, takes that count back. `recordSpending` counts sent
 * messages, with their receipt. Returns the chunk to put: while it is unknown, it names its owner and the day that
 * counts it.
 */
export function countOutcome(
  view: View,
  send: SendDocument,
  was: ChunkDocument | undefined,
  { countedIn: _before, owner: _owner, ...is }: ChunkDocument,
): ChunkDocument {
  const before = was?.countedIn;
  const outcome = otherOutcomeOf(is);
  const staysUnknown = was?.state === 'unknown' && is.state === 'unknown';
  const day = staysUnknown ? before : outcome && openDay(view, send, is);
  if (was && before !== undefined) add(view, before, otherOutcomeOf(was), -was.size);
  if (day !== undefined) add(view, day, outcome, is.size);
  if (is.state !== 'unknown') return is;
  return { ...is, owner: ownerOf(send), ...(day !== undefined && { countedIn: day }) };
}

export function ownerOf({ record }: SendDocument): NonNullable<ChunkDocument['owner']> {
  const { team, channelId, kind } = record;
  return { team, channelId, kind };
}

/** How the outcomes of the look-up count here. A receipt counts what was sent. */
const COUNTED_AS: { [outcome in ListedOutcome]: keyof OtherOutcomes | undefined } = {
  s: undefined,
  r: 'notSent',
  n: 'notSent',
  u: 'unknown',
  a: 'arrived',
};

/** The outcome of a chunk without a receipt. Undefined while it goes on, or if a receipt says that it was sent. */
function otherOutcomeOf(chunk: ChunkDocument): keyof OtherOutcomes | undefined {
  const listed = listedOutcomeOf(chunk);
  return listed && COUNTED_AS[listed];
}

/** Today's document for the chunk. Undefined if an earlier version began the document: that version counted no outcomes. */
function openDay(view: View, { record }: SendDocument, chunk: ChunkDocument): string | undefined {
  const { account = record.account } = chunk;
  const isBegun = account !== undefined && view.get(accounts, account)?.statementDay !== undefined;
  const { id, spending } = spendingOfToday(view, record, isBegun ? account : undefined);
  if (!spending.others) return undefined;
  view.put(dailySpending, id, spending);
  return id;
}

function add(view: View, name: string, outcome: keyof OtherOutcomes | undefined, messages: number): void {
  const day = view.get(dailySpending, name);
  // If the store damaged the day, it counts from zero again.
  if (!day?.others || !outcome) return;
  view.put(dailySpending, name, {
    ...day,
    others: { ...day.others, [outcome]: Math.max(0, day.others[outcome] + messages) },
  });
}
