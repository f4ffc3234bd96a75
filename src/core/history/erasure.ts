import type { Ledger } from '../../ledger/ledger.ts';

/** The named state that says whether deleted words may still be in the store's files. */
export const ERASURE = 'erasure';

/** When a bot scrubbed the files last, or tried to, ms by the store's clock; 0: never. */
export function scrubbedAtOf(erasure: Awaited<ReturnType<Ledger['namedState']>>): number {
  return ((erasure?.details ?? {}) as { scrubbedAt?: number }).scrubbedAt ?? 0;
}

/** Has a bot scrub the files in its next round, whatever becomes of this process. */
export async function oweScrub(ledger: Pick<Ledger, 'namedState' | 'changeState'>): Promise<void> {
  for (;;) {
    const found = await ledger.namedState(ERASURE);
    if (found?.state === 'owed') return;
    const details = { scrubbedAt: scrubbedAtOf(found) };
    if (await ledger.changeState(ERASURE, { from: found?.state, to: 'owed', details })) return;
  }
}
