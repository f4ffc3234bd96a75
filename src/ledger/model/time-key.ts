/** A moment as a key: waits need not be whole ms, and nothing is found before its time. */
export function timeKey(moment: number): number {
  return Math.ceil(moment);
}
