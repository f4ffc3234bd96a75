import type { LowCreditCard } from '../../../src/core/accounts/low-credit-warnings.ts';

type Level = LowCreditCard['level'];

/** The cards that a channel has read, in one of the possible courses. */
interface Told {
  said: 'nothing' | 'low' | 'zero';
  /** How many cards of the episode still wait for its end. */
  open: number;
  /** The cards of each step. Cards of one step edit different messages, so their order means nothing. */
  cards: Level[][];
}

/** Knows the cards that a channel must have read, only from its threshold and from the figures. */
export interface CreditWitness {
  /** The bot read a figure. If it died while it looked at the figure, `doubtful`: the figure may count or not. */
  saw(credits: number, doubtful?: boolean): void;
  /** Whether the channel may have read these cards. If so, only the courses with these cards remain. */
  agrees(cards: readonly Level[]): boolean;
  /** The cards that the channel may have read, in words. */
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

/** Whether somebody read exactly these steps in their order, and each step's cards in any order. */
function areRead(steps: readonly Level[][], read: readonly Level[]): boolean {
  let from = 0;
  for (const step of steps) {
    const now = read.slice(from, from + step.length);
    if (now.sort().join() !== step.toSorted().join()) return false;
    from += step.length;
  }
  return from === read.length;
}
