/** Does the work for each of `all`, one after the other. @throws AggregateError at the end, if some of it failed */
export async function eachInTurn<T>(
  all: Iterable<T>,
  work: (one: T) => Promise<void>,
  message: string,
): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all) await work(one).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, message);
}
