import type { Ledger } from '../../ledger/ledger.ts';
import { type HashNumber, type LeafEntry, MOST_OF_ONE_HASH } from '../../ledger/look-up/number-leaf.ts';
import type { ListedOutcome } from '../../ledger/model/chunk-documents.ts';
import { DAY_MS } from '../../ledger/model/days.ts';
import type { Clock } from '../clock.ts';
import type { RetentionLimits } from './keep-days.ts';

const MINUTE_MS = 60_000;
/** How long a look-up may spend on listing the newest outcomes first, in ms: a person waits for it. */
const LIST_FOR_MS = 1000;

/** The most messages to one number that a look-up lists, over all channels. */
export const MOST_LISTED = MOST_OF_ONE_HASH;

export interface FoundMessage {
  /** When its send was decided, to the minute: ms since 1970. */
  at: number;
  /** Who decided it. */
  by: string;
  channel: string;
  /** `said_sent`: unknown, and a person said that it arrived. */
  outcome: 'sent' | 'rejected' | 'not_sent' | 'unknown' | 'said_sent';
}

export type LookedUp = Awaited<ReturnType<ReturnType<typeof createLookUp>>>;

/** Looks numbers up by their keyed hash, so it also finds texts whose numbers were deleted. */
export function createLookUp(deps: {
  ledger: Ledger;
  hashOf: HashNumber;
  limits: RetentionLimits;
  clock: Clock;
}) {
  const { ledger, hashOf, limits, clock } = deps;
  /** @param digits of the number, with its country code and no plus; `mayRead`: the channels that count */
  return async (team: string, digits: string, mayRead: (channel: string) => boolean) => {
    const until = clock.steady() + LIST_FOR_MS;
    let isBehind = true;
    while (isBehind && clock.steady() < until) isBehind = await ledger.listNumbers(hashOf);
    const days = limits.lookupDays;
    const found = await ledger.lookUp(team, hashOf(team, digits), ledger.now() - days * DAY_MS);
    const messages = found.map(messageOf).filter(({ channel }) => mayRead(channel));
    return {
      /** Oldest first. */
      messages,
      /** There may be more that are older. */
      isCut: found.length >= MOST_LISTED,
      /** The newest outcomes may be missing: too many still waited to be listed. */
      isBehind,
      /** How many days back the look-up goes. */
      days,
    };
  };
}

const OUTCOMES: { [outcome in ListedOutcome]: FoundMessage['outcome'] } = {
  s: 'sent',
  r: 'rejected',
  n: 'not_sent',
  u: 'unknown',
  a: 'said_sent',
};

function messageOf({ minute, by, channelId: channel, outcome }: LeafEntry): FoundMessage {
  return { at: minute * MINUTE_MS, by, channel, outcome: OUTCOMES[outcome] };
}
