/** A moment as a part of a key: rounded up, so that nothing is found before its time. */
export function timeKey(moment: number): number {
  return Math.ceil(moment);
}
