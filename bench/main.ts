import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { benchBalance } from './balance.ts';
import { benchBulkRate } from './bulk-rate.ts';
import { benchBulkSimulated } from './bulk-simulated.ts';
import { benchBusyKey } from './busy-key.ts';
import { benchCsv } from './csv.ts';
import { benchDecisions } from './decisions.ts';
import type { Section } from './figures.ts';
import { benchHistory } from './history.ts';
import { benchInteractiveWait } from './interactive-wait.ts';
import { benchLedger } from './ledger.ts';
import { benchOptOuts } from './opt-outs.ts';
import { benchRepeatGuard } from './repeat-guard.ts';
import { lookAround, pageOf, sectionOf } from './report.ts';
import { benchScaling } from './scaling/run.ts';
import { benchStart } from './start.ts';

/**
 * `npm run bench` measures everything and writes docs/benchmarks.md; `npm run bench -- csv` shows one section;
 * `npm run bench -- scaling` measures the tables of docs/scaling.md, and writes them.
 */
const SECTIONS: { [name: string]: () => Promise<Section> } = {
  balance: benchBalance,
  history: () => benchHistory(),
  start: benchStart,
  'bulk-rate': benchBulkRate,
  'bulk-simulated': benchBulkSimulated,
  'interactive-wait': benchInteractiveWait,
  csv: benchCsv,
  'opt-outs': benchOptOuts,
  ledger: benchLedger,
  'repeat-guard': benchRepeatGuard,
  decisions: benchDecisions,
  'busy-key': benchBusyKey,
};
const PAGE = new URL('../docs/benchmarks.md', import.meta.url);

const asked = process.argv.slice(2);
const isScaling = asked.length === 1 && asked[0] === 'scaling';
const wrong = asked.filter((name) => !Object.hasOwn(SECTIONS, name));
if (isScaling) {
  await benchScaling();
} else if (wrong.length > 0) {
  const names = [...Object.keys(SECTIONS), 'scaling, by itself'];
  process.stderr.write(`There is no ${wrong.join(', ')}. There are: ${names.join(', ')}.\n`);
  process.exitCode = 1;
} else if (asked.length > 0) {
  for (const name of asked) await show(name);
} else {
  await measureAll();
}

async function show(name: string): Promise<void> {
  const section = await SECTIONS[name]?.();
  if (!section) return;
  process.stdout.write(`${sectionOf(section)}\n\n`);
  process.send?.(section);
}

async function measureAll(): Promise<void> {
  const setting = lookAround();
  const begun = performance.now();
  const sections: Section[] = [];
  for (const name of Object.keys(SECTIONS)) sections.push(await measureApart(name));
  writeFileSync(PAGE, pageOf(sections, setting, (performance.now() - begun) / 60_000));
}

/** In a process of its own: code that an earlier section ran, and memory that it used, change no figures. */
async function measureApart(name: string): Promise<Section> {
  let section: Section | undefined;
  const child = fork(import.meta.filename, [name]).on('message', (sent) => {
    section = sent as Section;
  });
  await once(child, 'exit');
  if (!section) throw new Error(`the section ${name} ended without figures`);
  return section;
}
