import type { Ledger } from '../../ledger/ledger.ts';
import type { Undo } from '../../ledger/model/decision-types.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import type { Link } from '../accounts/links.ts';
import type { TakenBack } from '../taken-back.ts';
import type { DecidedOnce } from './decision-answers.ts';

/** How long a channel's texts wait after Send, in ms, so that people can undo them. */
export function undoMsOfTexts(link: Link): number {
  return limitsOf(link).undoSeconds * 1000;
}

/** The same for its lists. `byDefault` counts if no admin has set a time for the channel. */
export function undoMsOfLists(link: Link, byDefault: number): number {
  const { listUndoSeconds } = limitsOf(link);
  return listUndoSeconds === undefined ? byDefault : listUndoSeconds * 1000;
}

/** The result of **Undo**: `undone` also if it was undone before. */
export type Undone<View> = DecidedOnce<'undone', View>;

/** Undoes a send, or says who won: the first request, or an undo before this one. */
export async function undoSend<View>(
  deps: { ledger: Ledger; takenBack: Pick<TakenBack, 'remember'>; mustView(id: string): Promise<View> },
  id: string,
  undo: Undo,
): Promise<Undone<View>> {
  const { ledger, takenBack, mustView } = deps;
  const { won, send } = await ledger.undo(id, undo);
  if (!send) return { kind: 'missing' };
  if (won) takenBack.remember(id, () => ledger.undo(id, undo));
  const isUndone = won || send.undoneBy !== undefined;
  return { kind: isUndone ? 'undone' : 'too_late', view: await mustView(id) };
}
