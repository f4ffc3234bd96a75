/** Credits without the noise of fractions: 100 times 1.1 is 110, and not a little more. */
export function withoutNoise(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}
