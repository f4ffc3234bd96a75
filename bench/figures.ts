/**
 * A line of the table: the figures of both sides, how they compare, and whether that is good enough. A line
 * without a target only informs.
 */
export interface Figure {
  what: string;
  ours: string;
  against: string;
  measured: string;
  target?: { is: string; isReached: boolean };
}

/** The result of one file in this folder. `means`: sentences that explain its lines to readers of the table. */
export interface Section {
  title: string;
  means: string;
  figures: Figure[];
}

/** The most that the median of the runs may be. */
export type Target = { atMost: number } | { atLeast: number };

/** Writes a figure with its unit, such as "1.23 ms". */
export type Shown = (figure: number) => string;

export const inMs: Shown = (ms) => `${ms >= 100 ? ms.toFixed(0) : ms.toPrecision(3)} ms`;
export const inSeconds: Shown = (ms) => `${(ms / 1000).toFixed(2)} s`;
export const inMegabytes: Shown = (megabytes) => `${megabytes.toFixed(0)} MB`;
export const perSecond: Shown = (count) => `${count.toLocaleString('en', { maximumFractionDigits: 0 })}/s`;
const asRatio: Shown = (ratio) => `${ratio.toFixed(2)}×`;
const asShare: Shown = (share) => `${(share * 100).toFixed(1)} %`;

/** The figure that `percent` of all figures do not exceed. The list may have any order, but must not be empty. */
export function percentile(figures: readonly number[], percent: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}

export function median(figures: readonly number[]): number {
  return percentile(figures, 50);
}

/** The ratio of ours to theirs, run by run. The median of the ratios counts. */
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

/** The difference of ours and theirs, run by run. */
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

/** The share of the possible that was reached: the least possible time, divided by the time taken. */
export function shareOf(
  what: string,
  { took, least, shown, target }: { took: number[]; least: number; shown: Shown; target: Target },
): Figure {
  const shares = took.map((figure) => least / figure);
  return { what, ours: shown(median(took)), against: shown(least), ...judged(shares, target, asShare) };
}

/** A figure of ours alone. */
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
