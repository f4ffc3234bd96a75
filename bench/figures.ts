/**
 * One line of the table: what was measured on both sides, how they compare, and whether that is good enough. A line
 * without a target is there to be known.
 */
export interface Figure {
  what: string;
  ours: string;
  against: string;
  measured: string;
  target?: { is: string; isReached: boolean };
}

/** What one file here measures. `means`: what its lines say, in sentences for whoever reads the table. */
export interface Section {
  title: string;
  means: string;
  figures: Figure[];
}

/** What the median of the runs must not pass. */
export type Target = { atMost: number } | { atLeast: number };

/** Writes figures in a unit of their own, such as "1.23 ms". */
export type Shown = (figure: number) => string;

export const inMs: Shown = (ms) => `${ms >= 100 ? ms.toFixed(0) : ms.toPrecision(3)} ms`;
export const inSeconds: Shown = (ms) => `${(ms / 1000).toFixed(2)} s`;
export const inMegabytes: Shown = (megabytes) => `${megabytes.toFixed(0)} MB`;
export const perSecond: Shown = (count) => `${count.toLocaleString('en', { maximumFractionDigits: 0 })}/s`;
const asRatio: Shown = (ratio) => `${ratio.toFixed(2)}×`;
const asShare: Shown = (share) => `${(share * 100).toFixed(1)} %`;

/** The figure that so many percent of all are at or below; the list may be in any order, and may not be empty. */
export function percentile(figures: readonly number[], percent: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}

export function median(figures: readonly number[]): number {
  return percentile(figures, 50);
}

/** Ours over theirs, run by run: the median of the ratios counts. */
export function ratioOf(
  what: string,
  { ours, theirs, shown, target }: { ours: number[]; theirs: number[]; shown: Shown; target?: Target },
): Figure {
  const ratios = ours.map((figure, run) => figure / (theirs[run] as number));
  return {
    what,
    ours: shown(median(ours)),
    against: shown(median(theirs)),
    ...judged(ratios, target, asRatio),
  };
}

/** How much ours is above theirs, run by run. */
export function differenceOf(
  what: string,
  { ours, theirs, shown, target }: { ours: number[]; theirs: number[]; shown: Shown; target: Target },
): Figure {
  const differences = ours.map((figure, run) => figure - (theirs[run] as number));
  return {
    what,
    ours: shown(median(ours)),
    against: shown(median(theirs)),
    ...judged(differences, target, (figure) => `${figure < 0 ? '−' : '+'} ${shown(Math.abs(figure))}`),
  };
}

/** How much of what is possible at all was reached: the least time possible over the time that it took. */
export function shareOf(
  what: string,
  { took, least, shown, target }: { took: number[]; least: number; shown: Shown; target: Target },
): Figure {
  const shares = took.map((figure) => least / figure);
  return { what, ours: shown(median(took)), against: shown(least), ...judged(shares, target, asShare) };
}

/** What was reached, beside nothing else. */
export function levelOf(
  what: string,
  { runs, shown, target }: { runs: number[]; shown: Shown; target?: Target },
): Figure {
  return { what, ours: shown(median(runs)), against: '–', ...judged(runs, target, shown) };
}

function judged(
  runs: number[],
  target: Target | undefined,
  shown: Shown,
): Pick<Figure, 'measured' | 'target'> {
  const middle = median(runs);
  const [least, most] = [Math.min(...runs), Math.max(...runs)];
  const spread = runs.length > 1 ? ` (${shown(least)} to ${shown(most)})` : '';
  const measured = shown(middle) + spread;
  if (target === undefined) return { measured };
  return {
    measured,
    target:
      'atMost' in target
        ? { is: `≤ ${shown(target.atMost)}`, isReached: middle <= target.atMost }
        : { is: `≥ ${shown(target.atLeast)}`, isReached: middle >= target.atLeast },
  };
}
