import type { Ledger } from '../../ledger/ledger.ts';
import { defined } from '../../ledger/model/defined.ts';
import { isUndecided } from '../../ledger/model/unknown-chunks.ts';
import type { UndecidedChunk, UndecidedQuery } from '../../ledger/unknowns/list-unknowns.ts';
import type { Clock } from '../clock.ts';
import { MOST_UNDECIDED, type SendView, sendView } from '../sends/send-view.ts';
import { createShortCache } from '../short-cache.ts';

export type UnknownFacts = Awaited<ReturnType<ReturnType<typeof createUnknownFacts>>>;

/** How many unknown texts we look up in full. */
const NEWEST_UNKNOWN = 5;
/** A list is used for this long at most, in ms, even if a caller accepts an older one. */
const KEEP_MS = 60_000;

/**
 * Finds the unknown messages of a workspace, or of one channel, that need a decision. Callers share an answer that is at
 * most `maxAgeMs` old.
 */
export function createUnknownFacts(deps: {
  ledger: Pick<Ledger, 'undecided' | 'findWithFirstChunk' | 'now'>;
  clock: Pick<Clock, 'steady'>;
}) {
  const { ledger, clock } = deps;
  const recent = createShortCache<UndecidedChunk[]>(KEEP_MS, clock.steady);

  /** The newest undecided ones: one more than we count, to know whether there are more. */
  function undecided(of: Omit<UndecidedQuery, 'limit'>, maxAgeMs: number): Promise<UndecidedChunk[]> {
    const query = { ...of, limit: MOST_UNDECIDED + 1 };
    return recent(JSON.stringify(query), () => ledger.undecided(query), maxAgeMs);
  }

  async function viewOf({ ref }: UndecidedChunk): Promise<SendView[]> {
    const found = await ledger.findWithFirstChunk(ref.send);
    // Somebody may have decided since the list was read.
    return found?.chunk && isUndecided(found.chunk) ? [sendView(found, ledger.now())] : [];
  }

  return async (team: string, maxAgeMs: number, channelId?: string) => {
    const place = { team, ...defined({ channelId }) };
    const [all, ofJobs] = await Promise.all([
      undecided({ ...place, kind: 'single' }, maxAgeMs),
      undecided({ ...place, kind: 'job' }, maxAgeMs),
    ]);
    const singles = all.slice(0, MOST_UNDECIDED);
    const lookedUp = singles.slice(0, NEWEST_UNKNOWN);
    const newest = (await Promise.all(lookedUp.map(viewOf))).flat();
    return {
      /** The newest single texts, newest first. */
      newest,
      singles: singles.length - lookedUp.length + newest.length,
      /** Recipients of jobs. */
      inJobs: ofJobs.slice(0, MOST_UNDECIDED).reduce((sum, { messages }) => sum + messages, 0),
      /** Whether there are more than we counted. */
      areMoreSingles: all.length > MOST_UNDECIDED,
      areMoreInJobs: ofJobs.length > MOST_UNDECIDED,
    };
  };
}
