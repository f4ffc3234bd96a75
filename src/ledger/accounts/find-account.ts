import { startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { chunkIdOf, chunks } from '../model/chunk-documents.ts';
import { sends } from '../model/send-documents.ts';
import { chunkSizeAt } from '../model/sizes.ts';
import { type AccountDocument, accounts } from './account-documents.ts';

export const EMPTY_ACCOUNT: AccountDocument = {
  activity: 0,
  receiptsSince: 0,
  inFlight: [],
  unexplained: 0,
};

/** The account; an empty one if there is none. If it is damaged, only its balance and its baseline are lost. */
export function findAccount(view: View, id: string): AccountDocument {
  const found = view.get(accounts, id);
  if (found) return found;
  return view.isDamaged(accounts, id) ? rebuiltAccount(view, id) : EMPTY_ACCOUNT;
}

/** What the account's sends and chunks say: call it before the step changes them. */
function rebuiltAccount(view: View, id: string): AccountDocument {
  const [open, unknown] = view.together(
    () => view.list(sends, 'open', startingWith([])),
    () => view.list(chunks, 'unexplained', startingWith([id])),
  );
  const inFlight = open
    .filter(({ value }) => value.record.account === id)
    .flatMap(({ id: send, value: { work, messages } }) =>
      Object.entries(work.inFlight ?? {}).map(([index, deadline]): AccountDocument['inFlight'][number] => {
        const size = messages?.length ?? chunkSizeAt(work.sizes ?? [], Number(index)) ?? 1;
        return [chunkIdOf({ send, index: Number(index) }), deadline, size];
      }),
    );
  const doubtful = unknown.filter(({ value: { deadline = 0 } }) => deadline > view.now);
  return {
    ...EMPTY_ACCOUNT,
    // No balance read that began before counts as quiet.
    activity: view.now,
    inFlight,
    ...(doubtful.length > 0 && {
      maybeInFlight: Object.fromEntries(doubtful.map(({ id: name, value }) => [name, value.deadline ?? 0])),
    }),
    unexplained: unknown.length,
    hasLostBooks: true,
  };
}
