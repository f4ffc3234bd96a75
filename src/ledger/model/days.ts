export const DAY_MS = 86_400_000;

/** A moment's day: days since 1970, in UTC. */
export function dayOf(moment: number): number {
  return Math.floor(moment / DAY_MS);
}
