import { keyText, startingWith } from '../../store/keys.ts';
import type { Bounds } from '../../store/store.ts';
import type { View } from '../../store/view.ts';
import { dayOf } from '../model/days.ts';
import { type AccountDocument, accountDays, accounts, dailySpending } from './account-documents.ts';
import { findAccount } from './find-account.ts';
import { dayNow } from './spending.ts';
import type {
  AccountBooks,
  BalanceDifference,
  DailySpending,
  Days,
  DifferenceKind,
} from './statement-types.ts';

/**
 * The statement of each account, a document for each day. The document has what the books said when the day began, and
 * the differences that balance reads showed. The receipts are in `spending`; the next day's opening has them, too.
 */

const HOUR_MS = 3_600_000;

/** Credits that are left by the books: the baseline, less the receipts since. */
export function bookedCredits({ baseline, receiptsSince }: AccountDocument): number {
  return (baseline?.credits ?? 0) - receiptsSince;
}

/** Begins the account's statement at what its books say. Returns the account, for the caller to put. */
export function beginStatement(view: View, id: string, account: AccountDocument): AccountDocument {
  return withDay(view, id, account, { day: dayOf(view.now), since: view.now });
}

/** Begins today's statement if the account has any. Call it before the books move. Returns the account to put. */
export function beginDay(view: View, id: string, account: AccountDocument): AccountDocument {
  const day = dayNow(view, account);
  const { statementDay = day } = account;
  return statementDay === day ? account : withDay(view, id, account, { day });
}

function withDay(view: View, id: string, account: AccountDocument, begun: { day: number; since?: number }) {
  const opening = bookedCredits(account);
  view.put(accountDays, nameOf(id, begun.day), { account: id, opening, differences: [], ...begun });
  return { ...account, statementDay: begun.day };
}

/** Somebody may ask for days before 1970. */
function ofDays(id: string, { from, to }: Days): Bounds {
  return { from: keyText([id, Math.max(0, from)]), to: keyText([id, Math.max(0, to + 1)]) };
}

/** Notes a difference in today's document. If the store has lost that, the statement calls it "not explained". */
export function noteDifference(view: View, id: string, difference: BalanceDifference): void {
  if (difference.credits === 0) return;
  const name = nameOf(id, dayNow(view, view.get(accounts, id)));
  const day = view.get(accountDays, name);
  if (!day) return;
  view.put(accountDays, name, { ...day, differences: merged(day.differences, difference) });
}

/** The differences with one more. There is one for each kind and hour, so that a day stays small. */
function merged(all: BalanceDifference[], one: BalanceDifference): BalanceDifference[] {
  const isSame = ({ kind, to }: BalanceDifference) =>
    kind === one.kind && Math.floor(to / HOUR_MS) === Math.floor(one.to / HOUR_MS);
  const index = all.findLastIndex(isSame);
  const before = all[index];
  if (!before) return [...all, one];
  const span = { from: Math.min(before.from, one.from), to: Math.max(before.to, one.to) };
  return all.with(index, { ...before, ...span, credits: before.credits + one.credits });
}

/**
 * A late answer explains credits differently from the evidence, or from a balance read: moves them between kinds. The
 * books stay. False if the account has no statement.
 */
export function moveDifference(
  view: View,
  id: string,
  moves: { [kind in DifferenceKind]?: number },
): boolean {
  const account = findAccount(view, id);
  if (account.statementDay === undefined) return false;
  view.put(accounts, id, beginDay(view, id, account));
  for (const [kind, credits = 0] of Object.entries(moves)) {
    noteDifference(view, id, { kind: kind as DifferenceKind, from: view.now, to: view.now, credits });
  }
  return true;
}

/** The account's books over these days; undefined before its first quiet balance read. */
export function accountBooks(view: View, id: string, { from, to }: Days): AccountBooks | undefined {
  const all = startingWith([id]);
  const within = ofDays(id, { from, to });
  const after = { from: within.to, to: all.to };
  const [account, [first], found, [next]] = view.together(
    () => view.get(accounts, id),
    () => view.list(accountDays, 'days', all, { limit: 1 }),
    () => view.list(accountDays, 'days', within),
    () => view.list(accountDays, 'days', after, { limit: 1 }),
  );
  if (!account || !first) return undefined;
  const closing = next?.value.opening ?? bookedCredits(account);
  const days = found.map(({ value: { day, opening, differences } }, index) => ({
    day,
    opening,
    differences,
    closing: found[index + 1]?.value.opening ?? closing,
  }));
  const { since } = first.value;
  const isOfThese = since !== undefined && first.value.day >= from;
  return { ...(isOfThese ? { since } : {}), opening: days[0]?.opening ?? closing, closing, days };
}

/** The books, and who spent credits on each day. Opening, differences and receipts add up to `closing`. */
export function accountStatement(
  view: View,
  id: string,
  days: Days,
): { books: AccountBooks; spending: DailySpending[] } | undefined {
  const [books, found] = view.together(
    () => accountBooks(view, id, days),
    () => view.list(dailySpending, 'accounts', ofDays(id, days)),
  );
  return books && { books, spending: found.map(({ value }) => value) };
}

function nameOf(id: string, day: number): string {
  return `${id}/${day}`;
}
