import type {
  AccountBooks,
  DailySpending,
  Days,
  DifferenceKind,
} from '../../ledger/accounts/statement-types.ts';
import { dayOf } from '../../ledger/model/days.ts';
import { defined } from '../../ledger/model/defined.ts';

export type { BalanceDifference, Days, DifferenceKind } from '../../ledger/accounts/statement-types.ts';

export type Statement = ReturnType<typeof statementOf>;

/**
 * Where an account's credits went in some days (UTC), by its books and receipts, for one workspace. `opening` less
 * `messages`, plus all the other figures, is exactly `closing`. The other figures are negative if credits are gone.
 */
export function statementOf(
  { books, spending }: { books: AccountBooks; spending: readonly DailySpending[] },
  { team, days }: { team: string; days: Days },
) {
  const { opening, closing, since } = books;
  const differences = books.days.flatMap((day) => day.differences);
  const sumOf = (kind: DifferenceKind) =>
    sum(differences.filter((one) => one.kind === kind).map(({ credits }) => credits));
  const [unknown, elsewhere, toppedUp] = [sumOf('unknown'), sumOf('elsewhere'), sumOf('topped_up')];
  const own = spending.filter((one) => one.team === team);
  const messages = totalOf(spending);
  const daily = dailyFigures(books, days);
  return {
    days,
    /** When the books begin (ms), if that is within these days: then `opening` is of that moment. */
    ...defined({ since }),
    opening,
    closing,
    /** Charged by receipts. `others`: those of other workspaces that share the account. */
    messages,
    shares: sharesOf(own),
    others: totalOf(spending.filter((one) => one.team !== team)),
    /** Unknown messages that were charged, as their evidence shows. */
    unknown,
    /** Credits that are gone, and that no receipt of this bot names. */
    elsewhere,
    toppedUp,
    /** Taken by unknown messages or by somebody else, evidence can't say which; and the rest that no other line explains. */
    unexplained: closing - opening + messages.credits - unknown - elsewhere - toppedUp,
    /** The differences, with their times, that add up to the figures from `unknown` on. In order. */
    differences,
    daily,
    /** What became of the workspace's own texts, but not on days that an earlier version counted. */
    outcomes: outcomesOf(own, daily),
  };
}

/** The figures of every day since the books began, in order. On a day that the books do not name, nothing changed. */
export function dailyFigures({ since, opening, days }: AccountBooks, { from, to }: Days) {
  const first = since === undefined ? from : Math.max(from, dayOf(since));
  const byDay = new Map(days.map((day) => [day.day, day]));
  let left = opening;
  return Array.from({ length: Math.max(0, to - first + 1) }, (_, place) => {
    const day = first + place;
    const books = byDay.get(day);
    const before = books?.opening ?? left;
    left = books?.closing ?? left;
    const rises = books?.differences.filter(({ kind }) => kind === 'topped_up') ?? [];
    const toppedUp = sum(rises.map(({ credits }) => credits));
    /** All that left the account, whoever used it. */
    const used = Math.max(0, before - left + toppedUp);
    return { day, closing: left, used, toppedUp };
  });
}

/** Credits that the messages of each person in each channel took. */
function sharesOf(all: readonly DailySpending[]) {
  const places = Map.groupBy(all, ({ channelId, by }) => `${channelId} ${by}`);
  return [...places.values()].map((same) => {
    const [{ channelId: channel, by } = { channelId: '', by: '' }] = same;
    return { channel, by, ...totalOf(same) };
  });
}

/** The outcomes of these days, in their order, from the first day on that counted all outcomes. */
function outcomesOf(all: readonly DailySpending[], days: readonly { day: number }[]) {
  const incomplete = Math.max(-1, ...all.filter(({ others }) => !others).map(({ day }) => day));
  const byDay = Map.groupBy(all, ({ day }) => day);
  return days
    .filter(({ day }) => day > incomplete)
    .map(({ day }) => {
      const found = byDay.get(day) ?? [];
      return {
        day,
        sent: sum(found.map(({ messages, others }) => messages + (others?.arrived ?? 0))),
        notSent: sum(found.map(({ others }) => others?.notSent ?? 0)),
        unknown: sum(found.map(({ others }) => others?.unknown ?? 0)),
      };
    });
}

/** Adds up the shares of each channel, or of each person. The largest first. */
export function sharesBy(
  shares: Statement['shares'],
  what: 'channel' | 'by',
): { id: string; credits: number; messages: number }[] {
  const groups = Map.groupBy(shares, (share) => share[what]);
  return [...groups]
    .map(([id, all]) => ({ id, ...totalOf(all) }))
    .sort((one, other) => other.credits - one.credits || (one.id < other.id ? -1 : 1));
}

function totalOf(all: readonly { credits: number; messages: number }[]) {
  return {
    credits: sum(all.map(({ credits }) => credits)),
    messages: sum(all.map(({ messages }) => messages)),
  };
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, one) => total + one, 0);
}
