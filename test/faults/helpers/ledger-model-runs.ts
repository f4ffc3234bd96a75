import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ModelResult } from '../../ledger/ledger.model.ts';
import type { ModelPlan } from './ledger-model-child.ts';

const CHILD = fileURLToPath(new URL('./ledger-model-child.ts', import.meta.url));

/** Holds an engine against the model in a process of its own; tells how it went. */
export async function modelRuns(plan: ModelPlan): Promise<ModelResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, JSON.stringify(plan)], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as ModelResult;
}

/** A run on Redis waits for it most of the time: so many at once in a process. */
const LANES = 16;

/**
 * The same with the runs shared out among several processes, each with databases of its own on a Redis at that URL.
 * @throws Error with fast-check's report where a run failed
 */
export async function modelHolds(
  runs: number,
  { processes, engine }: { processes: number; engine: 'memory' | 'SQLite' | { url: string } },
) {
  const plans = Array.from({ length: processes }, (_, at): ModelPlan => {
    const plan = { runs: share(runs, at, processes) };
    if (typeof engine === 'string') return { ...plan, engine };
    const lanes = Array.from({ length: LANES }, (_lane, lane) => at * LANES + lane);
    return { ...plan, engine: { redis: lanes.map((database) => `${engine.url}/${database}`) } };
  });
  for (const { failure } of await Promise.all(plans.map(modelRuns))) {
    if (failure) throw new Error(failure.report);
  }
}

/** How many of some runs are the one at `at`'s, of so many who share them. */
export function share(runs: number, at: number, among: number): number {
  return Math.ceil((runs - at) / among);
}
