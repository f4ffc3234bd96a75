import type { Changes } from './changes.ts';
import type { Call, Failure, Json, Warning } from './types.ts';

/** The app's calls, the blocks and views that Slack refused, and warnings. */
export type Records = ReturnType<typeof createRecords>;

/** Keeps the newest `most` of each kind. */
export function createRecords(changes: Changes, now: () => number, most = Number.POSITIVE_INFINITY) {
  const calls: Call[] = [];
  const failures: Failure[] = [];
  const warnings: Warning[] = [];

  function keep<T>(list: T[], one: T): void {
    list.push(one);
    if (list.length > most) list.shift();
  }

  return {
    calls,
    failures,
    warnings,
    called(method: string, args: Json, status: number, result: Json): void {
      const call = { method, args, status, result, at: now() };
      keep(calls, call);
      changes.emit({ kind: 'call', call });
    },
    failed(source: string, error: string, messages: readonly string[]): void {
      const failure = { source, error, messages };
      keep(failures, failure);
      changes.emit({ kind: 'failure', failure });
    },
    warned(source: string, message: string): void {
      const warning = { source, message };
      keep(warnings, warning);
      changes.emit({ kind: 'warning', warning });
    },
    reset(): void {
      for (const list of [calls, failures, warnings]) list.length = 0;
    },
  };
}
