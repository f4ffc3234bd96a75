import type { View } from '../../store/view.ts';
import { announce } from '../outbox/announce.ts';
import { namedStates } from '../outbox/outbox-documents.ts';
import type { NamedState, StateChange } from '../outbox/outbox-types.ts';
import { accounts } from './account-documents.ts';
import { account } from './balances.ts';

export function namedState(view: View, name: string): NamedState | undefined {
  const found = view.get(namedStates, name);
  return found && { name, ...found };
}

/** Whether the state is there, but damaged: it counts as none, and begins again. */
export function isStateDamaged(view: View, name: string): boolean {
  return view.get(namedStates, name) === undefined && view.isDamaged(namedStates, name);
}

/** An account and a named state of one moment. A figure that is older than an alert could end the alert wrongly. */
export function accountWithState(view: View, id: string, name: string) {
  const [state, found] = view.together(
    () => namedState(view, name),
    () => account(view, id),
  );
  return { state, account: found };
}

/**
 * Compare-and-set of a named state, together with its announcements. False if its state is not `from`, or the account's
 * credits are out of range.
 */
export function changeState(view: View, name: string, change: StateChange): boolean {
  const { from, to, details, isOver, announcements = [], credits: range } = change;
  if (range) {
    const { credits = 0 } = view.get(accounts, range.account) ?? {};
    if (credits < (range.from ?? -Infinity) || credits >= (range.below ?? Infinity)) return false;
  }
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
