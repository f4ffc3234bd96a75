import type { LedgerMessage, LeftOutPart } from '../../ledger/model/types.ts';
import type { OptOuts } from '../opt-outs/opt-outs.ts';
import type { ChunkResult } from '../sends/outcome.ts';

/** Messages of a list whose numbers are opted out. The chunks are read only where the workspace has opt-outs at all. */
export async function findOptedOut(
  optOuts: Pick<OptOuts, 'count' | 'leaveOut'>,
  team: string,
  chunks: () => AsyncIterable<LedgerMessage[][]>,
): Promise<LedgerMessage[]> {
  if ((await optOuts.count(team)) === 0) return [];
  const found: LedgerMessage[] = [];
  const reading = chunks()[Symbol.asyncIterator]();
  for (let next = reading.next(); ; ) {
    const { done, value: some } = await next;
    if (done) break;
    // The worker fills in the next ones meanwhile.
    next = reading.next();
    found.push(...(await optOuts.leaveOut(team, some.flat())).optedOut);
  }
  return found;
}

/** What the ledger keeps of them: not sent, in chunks of this size. */
export function optedOutParts(messages: LedgerMessage[], size: number): LeftOutPart[] {
  const result: ChunkResult = { cause: 'opted_out' };
  return Array.from({ length: Math.ceil(messages.length / size) }, (_, at) => ({
    messages: messages.slice(at * size, (at + 1) * size),
    result,
    barredFor: 'opted_out',
  }));
}
