import { readFileSync, writeFileSync } from 'node:fs';
import { lookAround, type Setting } from '../report.ts';
import { measureCosts } from './costs.ts';
import { type CrowdStep, crowdOf, STEPS } from './crowd-steps.ts';
import { fillPage } from './page.ts';
import { measureStays } from './stays.ts';
import { costsTable, crowdTable, needsTable, staysTable } from './tables.ts';

const PAGE = new URL('../../docs/scaling.md', import.meta.url);
/** Measures costs, and bots among many instances, and writes both into docs/scaling.md. Takes ten minutes. */
export async function benchScaling(): Promise<void> {
  const setting = lookAround();
  const costs = await measureCosts();
  say(costsTable(costs));
  const stays = await measureStays();
  say(staysTable(stays));
  const steps: CrowdStep[] = [];
  for (const step of STEPS) {
    steps.push(await crowdOf(step));
    say(crowdTable(steps));
  }
  const texts = {
    setting: settingOf(setting),
    costs: costsTable(costs),
    needs: needsTable(costs, steps.at(-1)?.crowd.recordBytes ?? 0),
    stays: staysTable(stays),
    crowd: crowdTable(steps),
  };
  say(texts.needs);
  writeFileSync(PAGE, fillPage(readFileSync(PAGE, 'utf8'), texts));
}

function settingOf({ date, cores, memoryGb, system, node, loadBefore }: Setting): string {
  return (
    `Measured on ${date}: ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}, Redis with \`appendfsync always\`; load ` +
    `before ${loadBefore.toFixed(1)}.`
  );
}

function say(text: string): void {
  process.stdout.write(`${text}\n\n`);
}
