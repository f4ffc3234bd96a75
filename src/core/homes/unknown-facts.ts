import type { Ledger } from '../../ledger/ledger.ts';
import { isUndecided } from '../../ledger/model/transitions.ts';
import type { UndecidedChunk } from '../../ledger/unknowns/unknown-types.ts';
import type { Clock } from '../clock.ts';
import { type SendView, sendView } from '../sends/send-view.ts';

/** Unknown messages that need a person's decision. */
export interface UnknownFacts {
  /** The newest single texts, newest first. */
  newest: SendView[];
  singles: number;
  /** Recipients of jobs. */
  inJobs: number;
}

/** How many unknown texts are looked up in full. */
const NEWEST_UNKNOWN = 5;

/**
 * Says a workspace's unknown messages, as of `maxAgeMs` ago or later. The list is read for all workspaces at once, and
 * all Homes that ask within that time share it: it may be long.
 */
export function createUnknownFacts({
  ledger,
  clock,
}: {
  ledger: Pick<Ledger, 'undecided' | 'findWithFirstChunk'>;
  clock: Pick<Clock, 'steady'>;
}): (team: string, maxAgeMs: number) => Promise<UnknownFacts> {
  /** The last list, and when it was asked for (steady ms). */
  let last: { at: number; list: Promise<UndecidedChunk[]> } | undefined;

  function undecided(maxAgeMs: number): Promise<UndecidedChunk[]> {
    const at = clock.steady();
    if (last && at - last.at < maxAgeMs) return last.list;
    const asked = { at, list: ledger.undecided() };
    last = asked;
    // Whoever asked hears of the error; the next one asks again.
    asked.list.catch(() => {
      if (last === asked) last = undefined;
    });
    return asked.list;
  }

  async function viewOf({ ref }: UndecidedChunk): Promise<SendView[]> {
    const found = await ledger.findWithFirstChunk(ref.send);
    // Somebody may have decided since the list was read.
    return found?.chunk && isUndecided(found.chunk) ? [sendView(found)] : [];
  }

  return async (team, maxAgeMs) => {
    const own = (await undecided(maxAgeMs)).filter((one) => one.team === team);
    const singles = own.filter(({ kind }) => kind === 'single');
    const inJobs = own.filter(({ kind }) => kind === 'job').reduce((sum, { messages }) => sum + messages, 0);
    const lookedUp = singles.slice(-NEWEST_UNKNOWN).reverse();
    const newest = (await Promise.all(lookedUp.map(viewOf))).flat();
    return { newest, singles: singles.length - lookedUp.length + newest.length, inJobs };
  };
}
