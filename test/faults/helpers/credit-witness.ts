import type { LowCreditCard } from '../../../src/core/accounts/low-credit-warnings.ts';

type Level = LowCreditCard['level'];

/** What a channel was told so far, one of the ways that it may have gone. */
interface Told {
  said: 'nothing' | 'low' | 'zero';
  /** Cards of the episode that are taken back at its end. */
  open: number;
  /** Those of one step together: they edit different messages, so their order says nothing. */
  cards: Level[][];
}

/** Says what a channel must have read, from its threshold and the figures that were read, and from nothing else. */
export interface CreditWitness {
  /** A figure was read. `doubtful`: the process died while it was looked at, so it may count or not. */
  saw(credits: number, doubtful?: boolean): void;
  /** Whether the channel read just this; from here on it went this way. */
  agrees(cards: readonly Level[]): boolean;
  /** What it may have read, for people. */
  expected(): string;
}

export function createCreditWitness(threshold: number): CreditWitness {
  let ways: Told[] = [{ said: 'nothing', open: 0, cards: [] }];

  function after(way: Told, credits: number): Told {
    if (credits >= threshold) {
      const takenBack = Array<Level>(way.open).fill('past');
      if (way.open > 0) takenBack[way.open - 1] = 'over';
      return { said: 'nothing', open: 0, cards: [...way.cards, takenBack] };
    }
    const news = credits <= 0 ? 'zero' : 'low';
    if (way.said === 'zero' || way.said === news) return way;
    return { said: news, open: way.open + 1, cards: [...way.cards, [news]] };
  }

  return {
    saw(credits, doubtful = false) {
      const next = ways.map((way) => after(way, credits));
      ways = doubtful ? [...ways, ...next] : next;
    },
    agrees(cards) {
      const fitting = ways.filter((way) => areRead(way.cards, cards));
      if (fitting.length > 0) ways = fitting;
      return fitting.length > 0;
    },
    expected: () => ways.map(({ cards }) => cards.flat().join(' ')).join(' or '),
  };
}

/** Whether somebody read just these steps, one after another, each whole and in any order. */
function areRead(steps: readonly Level[][], read: readonly Level[]): boolean {
  let from = 0;
  for (const step of steps) {
    const now = read.slice(from, from + step.length);
    if (now.sort().join() !== step.toSorted().join()) return false;
    from += step.length;
  }
  return from === read.length;
}
