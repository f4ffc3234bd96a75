import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { historyLines } from '../src/core/history/history-lines.ts';
import { historyPage } from '../src/core/history/history-pages.ts';
import type { HistoryAsked } from '../src/core/history/history-query.ts';
import type { Ledger } from '../src/ledger/ledger.ts';
import { historyFiles } from '../src/slack/files/history-file.ts';
import { type Figure, inMs, inSeconds, levelOf, percentile, ratioOf } from './figures.ts';
import type { FilledWorld } from './filled-world.ts';

/** How long somebody asks for the page without an export. */
const ALONE_MS = 20_000;
/** The time from one request for the page to the next, ms. */
const EVERY_MS = 20;
/** How often the event loop's delay is sampled, in ms. */
const RESOLUTION_MS = 1;

/** One export of all texts, and how long a page of the history waits beside it, in one process. */
export function compareExport(engine: string, filled: FilledWorld): Promise<Figure[]> {
  return filled.withStore(async ({ ledger }) => {
    const { slack } = filled.world;
    const person = { id: slack.people.member.id, team: slack.team.id, isAdmin: false, isGuest: false };
    const asked: HistoryAsked = {
      channel: slack.channels.sales.id,
      filter: {},
      person: { ...person, isOutsider: false },
    };
    const alone = await askBeside(ledger, asked, () => sleep(ALONE_MS));
    const beside = await askBeside(ledger, asked, () => exportAll(ledger, asked, filled.texts));
    const p99 = ({ waits }: Asked) => [percentile(waits, 99)];
    return [
      levelOf(`${engine}: export of ${filled.texts.toLocaleString('en')} rows`, {
        runs: [beside.ms],
        shown: inSeconds,
      }),
      ratioOf(`${engine}: a page beside the export, p99`, {
        ours: p99(beside),
        theirs: p99(alone),
        shown: inMs,
      }),
      ratioOf(`${engine}: longest pause of the event loop`, {
        ours: [beside.longestPauseMs],
        theirs: [alone.longestPauseMs],
        shown: inMs,
      }),
    ];
  });
}

interface Asked {
  /** For each page, the time from asking to the answer, in ms. */
  waits: number[];
  /** How long the work took, in ms. */
  ms: number;
  longestPauseMs: number;
}

/** Asks for the first page again and again until `work` is done. */
async function askBeside(ledger: Ledger, asked: HistoryAsked, work: () => Promise<unknown>): Promise<Asked> {
  const waits: number[] = [];
  const pauses = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let isDone = false;
  pauses.enable();
  const begun = performance.now();
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const sent = performance.now();
    await historyPage(ledger, asked);
    waits.push(performance.now() - sent);
    await Promise.race([sleep(EVERY_MS), done]);
  }
  await done;
  const ms = performance.now() - begun;
  pauses.disable();
  return { waits, ms, longestPauseMs: pauses.max / 1e6 - RESOLUTION_MS };
}

async function exportAll(ledger: Ledger, asked: HistoryAsked, texts: number): Promise<void> {
  let rows = 0;
  const files = historyFiles(historyLines(ledger, asked), {
    timeZone: 'Europe/London',
    nameOf: async (user) => user,
    onRows(more) {
      rows += more;
    },
  });
  for await (const { bytes } of files)
    if (bytes.length === 0) throw new Error('a file of the export is empty');
  if (rows !== texts) throw new Error(`the export has ${rows} rows in place of ${texts}`);
}
