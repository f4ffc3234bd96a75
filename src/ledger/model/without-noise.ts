/** Credits without the rounding errors of fractions: 100 times 1.1 is 110, not a little more. */
export function withoutNoise(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}
