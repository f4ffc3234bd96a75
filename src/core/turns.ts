import Bottleneck from 'bottleneck';

const YEAR_MS = 31_536_000_000;

/**
 * Starts work in its order, at most `maxConcurrent` pieces at a time. Bottleneck starts nothing until `minTime` after its
 * last start, by the machine's clock. If somebody set that back, all would wait. So `minTime` is far below zero.
 */
export function createTurns(maxConcurrent: number): Bottleneck {
  const turns = new Bottleneck({ maxConcurrent, minTime: -YEAR_MS });
  // Before its first start, Bottleneck counts from its creation.
  void turns.schedule(async () => undefined);
  return turns;
}
