import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../ledger/model/defined.ts';

/**
 * The settings `now`, with the changes that a person made to the `shown` ones. If a setting is a list of people, the person
 * may have added some and removed some. People that somebody else has added meanwhile stay.
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
