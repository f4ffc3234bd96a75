import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';

/** A line of docs/faults.md: a fault, how often the test tries it, and what must hold each time. */
export interface Fault {
  /** The fault in words for the page; also the names of the test and of its line. */
  what: string;
  mustHold: string;
  /** How often the test tries it, in `npm test` and in `npm run test:faults`. */
  runs: { short: number; long: number };
  /** The most minutes that the long form may take; 30 by default. */
  minutes?: number;
  /** True if this machine can't try it. */
  skip?: boolean;
}

/** What the body of a fault's test works with. */
export interface FaultRun {
  /** How often to try the fault in this form. */
  runs: number;
  isLong: boolean;
  /** Notes figures for the page, such as {unknown: 3, "late answers": 12}. A second figure with a name replaces the first. */
  saw(figures: { [name: string]: number | string }): void;
}

/** Whether this is `npm run test:faults`, whose figures are better if nothing else runs. */
export const IS_LONG = process.env.FAULTS === 'long';
const SHORT_MS = 300_000;
const PAGE = new URL('../../../docs/faults.md', import.meta.url);

/**
 * Declares a fault's test. Its long form writes its line into docs/faults.md, also if the test fails. Its short form
 * demands that the line is there and says that the promise held.
 */
export function testFault(fault: Fault, body: (run: FaultRun) => Promise<void>): void {
  const { what, runs, minutes = 30, skip = false } = fault;
  const timeout = IS_LONG ? minutes * 60_000 : SHORT_MS;
  test.skipIf(skip)(what, { timeout }, async ({ annotate }) => {
    if (!IS_LONG) expect(lineOf(fault), 'run npm run test:faults for its line').toContain('| held |');
    const figures = new Map<string, number | string>();
    const count = IS_LONG ? runs.long : runs.short;
    const from = performance.now();
    let held = false;
    try {
      await body({
        runs: count,
        isLong: IS_LONG,
        saw(more) {
          for (const [name, figure] of Object.entries(more)) figures.set(name, figure);
        },
      });
      held = true;
    } finally {
      const seen = [...figures].map(([name, figure]) => `${name}: ${asText(figure)}`).join('; ');
      const seconds = (performance.now() - from) / 1000;
      if (IS_LONG) writeLine(fault, { count, held, seen, seconds });
      if (seen) await annotate(seen);
    }
  });
}

interface Result {
  count: number;
  held: boolean;
  seen: string;
  seconds: number;
}

/** Replaces the same fault's line, or adds the line after the last. */
function writeLine({ what, mustHold }: Fault, { count, held, seen, seconds }: Result): void {
  const when = `${new Date().toISOString().slice(0, 10)}, ${lasting(seconds)}, ${availableParallelism()} cores`;
  const cells = [what, asText(count), mustHold, held ? 'held' : '**did not hold**', seen, when];
  const line = `| ${cells.join(' | ')} |`;
  const lines = readFileSync(PAGE, 'utf8').trimEnd().split('\n');
  const at = lines.findIndex((each) => each.startsWith(`| ${what} |`));
  if (at === -1) lines.push(line);
  else lines[at] = line;
  writeFileSync(PAGE, `${lines.join('\n')}\n`);
}

/** The fault's line in docs/faults.md; undefined if there is none, or if it names another promise. */
function lineOf({ what, mustHold }: Fault): string | undefined {
  const lines = readFileSync(PAGE, 'utf8').split('\n');
  return lines.find((line) => line.startsWith(`| ${what} |`) && line.includes(`| ${mustHold} |`));
}

function asText(figure: number | string): string {
  return typeof figure === 'number' ? figure.toLocaleString('en') : figure;
}

function lasting(seconds: number): string {
  return seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
