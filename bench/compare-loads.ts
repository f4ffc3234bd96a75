import { type Figure, inMs, percentile, perSecond, ratioOf } from './figures.ts';
import type { Load } from './load.ts';

/** Percentiles, and the most that the bot's may be, as a share of the bare app's. */
const PERCENTILES = [
  [50, { atMost: 1.25 }],
  [99, { atMost: 1.5 }],
] as const;

export function compareAcks(at: string, ours: Load[], theirs: Load[]): Figure[] {
  return comparePercentiles(`Acknowledged, ${at}`, ours, theirs, ({ acks }) => acks);
}

export function compareAnswers(at: string, ours: Load[], theirs: Load[]): Figure[] {
  return comparePercentiles(`Answered, ${at}`, ours, theirs, ({ answers }) => answers);
}

export function compareRates(at: string, ours: Load[], theirs: Load[]): Figure {
  const rates = (runs: Load[]) => runs.map((run) => run.perSecond);
  return ratioOf(`Commands answered, ${at}`, {
    ours: rates(ours),
    theirs: rates(theirs),
    shown: perSecond,
    target: { atLeast: 0.8 },
  });
}

/** For figures without a target. */
export function compareMedians(what: string, ours: Load[], theirs: Load[]): Figure {
  const medians = (runs: Load[]) => runs.map(({ answers }) => percentile(answers, 50));
  return ratioOf(`${what}, p50`, { ours: medians(ours), theirs: medians(theirs), shown: inMs });
}

function comparePercentiles(
  what: string,
  ours: Load[],
  theirs: Load[],
  timesOf: (run: Load) => number[],
): Figure[] {
  return PERCENTILES.map(([percent, target]) => {
    const figures = (runs: Load[]) => runs.map((run) => percentile(timesOf(run), percent));
    return ratioOf(`${what}, p${percent}`, {
      ours: figures(ours),
      theirs: figures(theirs),
      shown: inMs,
      target,
    });
  });
}
