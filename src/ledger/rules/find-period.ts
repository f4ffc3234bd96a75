import { keyText, startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { dailySpending } from '../accounts/account-documents.ts';
import type { BudgetPeriod } from '../model/budget-types.ts';
import { chunkRefOf, chunks } from '../model/chunk-documents.ts';
import { DAY_MS, dayOf } from '../model/days.ts';
import { sends } from '../model/send-documents.ts';
import { usageOf } from './budget-usage.ts';
import { budgets } from './rule-documents.ts';

/** The period; undefined if nobody has decided anything in it. If it is damaged, receipts and sends say what it counts. */
export function findPeriod(view: View, id: string): BudgetPeriod | undefined {
  const found = view.get(budgets, id);
  return found || !view.isDamaged(budgets, id) ? found : rebuiltPeriod(view, id);
}

/**
 * A damaged period, counted again. It may count the credits of two more days, since nobody knows the time zone. A period
 * that is over may count too few. The next decision gives it its limit. Call this before the step changes what it counts.
 */
export function rebuiltPeriod(view: View, id: string): BudgetPeriod {
  const [team = '', channelId = '', date = '', person] = id.split('/');
  const [year = 0, month = 1, day] = date.split('-').map(Number);
  const first = dayOf(Date.UTC(year, month - 1, day ?? 1));
  const next = day === undefined ? dayOf(Date.UTC(year, month, 1)) : first + 1;
  const days = { from: first - 1, to: next + 1 };
  const [spent, counted] = view.together(
    () => spentIn(view, { team, channelId, ...days }, person),
    () => countedBySends(view, { id, team, channelId, ...days }),
  );
  // Receipts outlive their sends. But a list may get some of its receipts after its period.
  const used = Math.max(spent.credits, counted.credits) + Math.max(spent.arrived, counted.judged);
  return {
    ...{ team, channelId, renewsAt: (next + 1) * DAY_MS, told: 100, readers: [] },
    ...{ used, held: counted.held },
    ...(person !== undefined && { person }),
  };
}

/** Credits of receipts on these days, below `to`, and of unknown texts that a person said were sent. */
function spentIn(
  view: View,
  { team, channelId, from, to }: { team: string; channelId: string; from: number; to: number },
  person: string | undefined,
): { credits: number; arrived: number } {
  const bounds = { from: keyText([team, channelId, Math.max(0, from)]), to: keyText([team, channelId, to]) };
  const days = view
    .list(dailySpending, 'channels', bounds)
    .flatMap(({ value }) => (person === undefined || value.by === person ? [value] : []));
  const credits = days.reduce((sum, one) => sum + one.credits, 0);
  const messages = days.reduce((sum, one) => sum + one.messages, 0);
  const arrived = days.reduce((sum, { others }) => sum + (others?.arrived ?? 0), 0);
  return { credits, arrived: Math.ceil(arrived * Math.max(1, credits / Math.max(1, messages))) };
}

/**
 * What the period's sends say: the credits of their receipts, what their judged texts count for, and what they hold.
 * Unknown texts hold credits, too, even once a person has left them as they are.
 */
function countedBySends(
  view: View,
  {
    id,
    team,
    channelId,
    from,
    to,
  }: { id: string; team: string; channelId: string; from: number; to: number },
): { credits: number; judged: number; held: number } {
  const decidedIn = {
    from: keyText([team, channelId, Math.max(0, from) * DAY_MS]),
    to: keyText([team, channelId, to * DAY_MS]),
  };
  const [decided, open, undecided] = view.together(
    () => view.list(sends, 'historyOfChannel', decidedIn),
    () => view.list(sends, 'open', startingWith([])),
    () => view.list(chunks, 'undecidedOfChannel', startingWith([team, channelId])),
  );
  const listed = [...decided, ...open].map((one) => one.id);
  const names = new Set([...listed, ...undecided.map((one) => chunkRefOf(one.id).send)]);
  const found = view.together(...[...names].map((name) => () => view.get(sends, name)));
  const counted = { credits: 0, judged: 0, held: 0 };
  for (const send of found) {
    if (!send?.budget?.periods.includes(id)) continue;
    counted.credits += send.tally.creditsUsed;
    counted.judged += send.budget.judged?.credits ?? 0;
    counted.held += usageOf(send).held;
  }
  return counted;
}
