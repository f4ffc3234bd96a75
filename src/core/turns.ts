import Bottleneck from 'bottleneck';

const YEAR_MS = 31_536_000_000;

/**
 * Lets work in, in the order in which it came, at most so much at a time. Bottleneck lets nothing in until `minTime` after
 * its last start, by the machine's clock. If somebody set the clock back, all would wait. So `minTime` is far below zero.
 */
export function createTurns(maxConcurrent: number): Bottleneck {
  const turns = new Bottleneck({ maxConcurrent, minTime: -YEAR_MS });
  // Until its first start, it counts from when it was made.
  void turns.schedule(async () => undefined);
  return turns;
}
