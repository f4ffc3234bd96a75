import type { View } from '../../store/view.ts';
import type { ChunkDocument } from '../model/chunk-documents.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { accounts, dailySpending } from './account-documents.ts';
import { spendingOfToday } from './spending.ts';
import type { OtherOutcomes } from './statement-types.ts';

/**
 * Counts what became of a chunk on the day on which that became known, and takes back what was counted before: of an
 * unknown chunk with a later answer, or of one that a person says was sent. What was sent by a receipt is counted with
 * it. Returns the chunk as it is to be kept: while it is unknown it names who owns it, and what counts it.
 */
export function withOutcomeCounted(
  view: View,
  send: SendDocument,
  was: ChunkDocument | undefined,
  { countedIn: _before, owner: _owner, ...is }: ChunkDocument,
): ChunkDocument {
  const before = was?.countedIn;
  const outcome = otherOutcomeOf(is);
  const isStill = was?.state === 'unknown' && is.state === 'unknown';
  const name = isStill ? before : outcome && openDay(view, send, is);
  if (was && before !== undefined) add(view, before, otherOutcomeOf(was), -was.size);
  if (name !== undefined) add(view, name, outcome, is.size);
  if (is.state !== 'unknown') return is;
  return { ...is, owner: ownerOf(send), ...(name !== undefined && { countedIn: name }) };
}

/** Whose an unknown chunk of this send is. */
export function ownerOf({
  record: { team, channelId, kind },
}: SendDocument): NonNullable<ChunkDocument['owner']> {
  return { team, channelId, kind };
}

/** What became of a chunk, where no receipt says it; undefined where it goes on, or was sent by its receipt. */
function otherOutcomeOf({ state, saidSentBy }: ChunkDocument): keyof OtherOutcomes | undefined {
  if (state === 'unknown') return saidSentBy === undefined ? 'unknown' : 'arrived';
  return state === 'rejected' || state === 'not_sent' ? 'notSent' : undefined;
}

/** Today's document of the chunk; undefined where an earlier version began it: that one counts no outcomes. */
function openDay(
  view: View,
  { record }: SendDocument,
  { account = record.account }: ChunkDocument,
): string | undefined {
  const isBegun = account !== undefined && view.get(accounts, account)?.statementDay !== undefined;
  const { id, spending } = spendingOfToday(view, record, isBegun ? account : undefined);
  if (!spending.others) return undefined;
  view.put(dailySpending, id, spending);
  return id;
}

function add(view: View, name: string, outcome: keyof OtherOutcomes | undefined, messages: number): void {
  const day = view.get(dailySpending, name);
  if (!day?.others || !outcome) return;
  view.put(dailySpending, name, {
    ...day,
    others: { ...day.others, [outcome]: day.others[outcome] + messages },
  });
}
