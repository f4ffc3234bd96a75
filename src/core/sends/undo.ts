import type { Ledger } from '../../ledger/ledger.ts';
import type { Undo } from '../../ledger/model/decision-types.ts';
import type { DecidedOnce } from './decision-answers.ts';

/** What came of **Undo**: `undone` also if it was undone before. */
export type Undone<View> = DecidedOnce<'undone', View>;

/** Undoes a send, or says who won: the first request, or an undo before this one. */
export async function undoSend<View>(
  { ledger, mustView }: { ledger: Ledger; mustView(id: string): Promise<View> },
  id: string,
  undo: Undo,
): Promise<Undone<View>> {
  const { won, send } = await ledger.undo(id, undo);
  if (!send) return { kind: 'missing' };
  const isUndone = won || send.undoneBy !== undefined;
  return { kind: isUndone ? 'undone' : 'too_late', view: await mustView(id) };
}
