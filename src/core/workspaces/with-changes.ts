import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../ledger/model/defined.ts';

/** The settings as they are now, with what somebody changed from those that they were shown. */
export function withChanges<T extends object>(now: T, { shown, chosen }: { shown: T; chosen: T }): T {
  const names = Object.keys({ ...shown, ...chosen }) as (keyof T)[];
  const changed = names.filter((name) => !isDeepStrictEqual(shown[name], chosen[name]));
  return defined({ ...now, ...Object.fromEntries(changed.map((name) => [name, chosen[name]])) }) as T;
}
