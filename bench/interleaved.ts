/** How many runs there are. */
export const RUNS = 5;

/**
 * Measures each side once a run, `RUNS` times, so that other work of the machine affects all sides alike. Every
 * second run has the opposite order.
 */
export async function interleaved<Side extends string, T>(
  sides: Record<Side, (run: number) => Promise<T>>,
): Promise<Record<Side, T[]>> {
  const names = Object.keys(sides) as Side[];
  const found = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Side, T[]>;
  for (let run = 0; run < RUNS; run += 1) {
    for (const name of run % 2 ? names.toReversed() : names) found[name].push(await sides[name](run));
  }
  return found;
}
