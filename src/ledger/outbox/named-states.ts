import type { View } from '../../store/view.ts';
import { announce } from './announce.ts';
import { namedStates } from './outbox-documents.ts';
import type { NamedState, StateChange } from './outbox-types.ts';

export function namedState(view: View, name: string): NamedState | undefined {
  const found = view.get(namedStates, name);
  return found && { name, ...found };
}

/** Compare-and-set of a named state, together with its announcements; false if its state is not `from`. */
export function changeNamedState(view: View, name: string, change: StateChange): boolean {
  const { from, to, details, isOver, announcements = [] } = change;
  if (view.get(namedStates, name)?.state !== from) return false;
  view.put(namedStates, name, {
    state: to,
    details,
    movedAt: view.now,
    ...(isOver && { isOver }),
  });
  for (const one of announcements) announce(view, one);
  return true;
}
