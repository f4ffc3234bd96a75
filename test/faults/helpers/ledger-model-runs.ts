import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ModelResult } from '../../ledger/ledger.model.ts';
import type { ModelPlan } from './ledger-model-child.ts';

const CHILD = fileURLToPath(new URL('./ledger-model-child.ts', import.meta.url));

/** Compares an engine with the model, in a process of its own; resolves with the result. */
export async function modelRuns(plan: ModelPlan): Promise<ModelResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, JSON.stringify(plan)], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as ModelResult;
}

/** How many runs a process does at once: a run on Redis waits most of the time. */
const LANES = 16;

/**
 * Compares an engine with the model in several processes, which share the runs. On a Redis, each has its own databases.
 * @throws Error with fast-check's report if a run failed
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

/** The share of the process `at` in these runs, if `among` processes share them. */
export function share(runs: number, at: number, among: number): number {
  return Math.ceil((runs - at) / among);
}
