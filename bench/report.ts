import { cpus, loadavg, totalmem, type } from 'node:os';
import type { Figure, Section } from './figures.ts';
import { RUNS } from './interleaved.ts';

/** The machine and the time at the beginning. */
export interface Setting {
  date: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  /** The machine's load in the minute before, in cores. */
  loadBefore: number;
}

export function lookAround(): Setting {
  return {
    date: new Date().toISOString().slice(0, 10),
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: type(),
    node: process.version,
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** The whole page, in Markdown. */
export function pageOf(sections: Section[], setting: Setting, minutes: number): string {
  const targets = sections.flatMap(({ figures }) => figures.flatMap(({ target = [] }) => target));
  const missed = targets.filter(({ isReached }) => !isReached).length;
  const { date, cores, memoryGb, system, node, loadBefore } = setting;
  return `${[
    '# Figures',
    'Written by `npm run bench`, each section by a process of its own. Both sides of a line are measured in the same ' +
      `run, ${RUNS} times in turns; what counts is the median of the ${RUNS} comparisons, with the least and the greatest in ` +
      'brackets. Times depend on the machine, ratios less so.',
    `${date}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}; load average before: ${loadBefore.toFixed(1)}; took ` +
      `${minutes.toFixed(1)} minutes. **${targets.length - missed} of ${targets.length} targets reached.**`,
    ...sections.map(sectionOf),
  ].join('\n\n')}\n`;
}

/** A section: a heading, a table, and what the table's lines mean. */
export function sectionOf({ title, means, figures }: Section): string {
  const lines = [
    '| what | Switchboard | against | measured | target | |',
    '| --- | --- | --- | --- | --- | --- |',
    ...figures.map(lineOf),
  ];
  return [`## ${title}`, means, lines.join('\n')].join('\n\n');
}

function lineOf({ what, ours, against, measured, target }: Figure): string {
  const judgement = target ? [target.is, target.isReached ? 'reached' : '**missed**'] : ['–', ''];
  return `| ${[what, ours, against, measured, ...judgement].join(' | ')} |`;
}
