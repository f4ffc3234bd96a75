import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../ledger/model/defined.ts';

/**
 * The settings as they are now, with what somebody changed in those that they were shown. In a list of people, the ones
 * they added come in, and the ones they took out go. Those that somebody else has added meanwhile stay.
 */
export function withChanges<T extends object>(now: T, { shown, chosen }: { shown: T; chosen: T }): T {
  const names = Object.keys({ ...shown, ...chosen }) as (keyof T)[];
  const changed = names.filter((name) => !isDeepStrictEqual(shown[name], chosen[name]));
  const changes = changed.map((name) => [name, changedOf(now[name], shown[name], chosen[name])]);
  return defined({ ...now, ...Object.fromEntries(changes) }) as T;
}

function changedOf(now: unknown, shown: unknown, chosen: unknown): unknown {
  if (!Array.isArray(now) || !Array.isArray(shown) || !Array.isArray(chosen)) return chosen;
  const kept = now.filter((each) => chosen.includes(each) || !shown.includes(each));
  const added = chosen.filter((each) => !shown.includes(each) && !now.includes(each));
  return [...kept, ...added];
}
