import type { Collection } from '../../store/collection.ts';
import type { View } from '../../store/view.ts';
import type { Announcement } from '../model/announcement.ts';
import type { Json } from '../model/json.ts';
import { announce } from '../outbox/announce.ts';
import { accounts } from './account-documents.ts';
import { account } from './balances.ts';

/** A state with one winner for every change of it, such as a link's low-credit alert. */
export interface NamedState {
  name: string;
  state: string;
  details: Json;
  movedAt: number;
  /** Nobody needs it any more: retention may delete it. */
  isOver?: true;
}

export const namedStates: Collection<Omit<NamedState, 'name'>> = {
  name: 'states',
  whenDamaged: 'lost',
  indexes: { over: ({ isOver, movedAt }) => (isOver ? [movedAt] : undefined) },
};

interface StateChange {
  /** The state that it must have; `undefined` if there must be none. */
  from: string | undefined;
  to: string;
  details: Json;
  isOver?: boolean;
  /** Become due in the same step. */
  announcements?: Announcement[];
  /** The change counts only while the account's credits are in this range. */
  credits?: { account: string; from?: number; below?: number };
}

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

/** What these states are about is gone: retention may delete them. */
export function endStates(view: View, names: string[]): void {
  view.prefetch(namedStates, ...names);
  for (const name of names) {
    const found = view.get(namedStates, name);
    if (found && !found.isOver) view.put(namedStates, name, { ...found, movedAt: view.now, isOver: true });
  }
}
