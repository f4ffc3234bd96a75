import type { View } from '../../store/view.ts';
import type {
  AboveApproved,
  BudgetAsked,
  BudgetLimits,
  BudgetPeriod,
  OverBudget,
  PeriodAsked,
  SendBudget,
  ShortBudget,
} from '../model/budget-types.ts';
import type { ChunkDocument } from '../model/chunk-documents.ts';
import type { SendDocument } from '../model/send-documents.ts';
import { countOf } from '../model/tally.ts';
import { type BudgetUsage, heldFor, isPartOf, NO_USAGE, usageOf } from './budget-usage.ts';
import { budgets } from './rule-documents.ts';

/**
 * Budgets: what each send holds and has used of its channel's month and its person's day. A send's own document says
 * both, so every step that puts a send by `putSend` keeps its periods exact. `core/budgets/budgets.ts` decides which
 * months and days count, by the workspace's time zone.
 */

/** Credits that are left of a limit, never below 0. */
export function leftOf(limit: number, { used, held }: BudgetUsage): number {
  return Math.max(0, limit - used - held);
}

/** Why a period has no room for `asked` more credits; undefined if it has. */
export function shortPeriod(
  { limit, renewsAt, person }: Pick<BudgetPeriod, 'limit' | 'renewsAt' | 'person'>,
  usage: BudgetUsage,
  asked: number,
): ShortBudget | undefined {
  if (limit === undefined) return undefined;
  const left = leftOf(limit, usage);
  if (asked <= left) return undefined;
  const { used, held } = usage;
  return { limit, used, held, left, asked, renewsAt, ...(person !== undefined && { person }) };
}

type PeriodLimit = Pick<PeriodAsked, 'id'> & { limit?: number | undefined };

/**
 * Call it before a step asks about these periods. Once a lost one has a limit, that limit counts as used. So what an admin
 * adds to it is free.
 */
export function useUpLost(view: View, periods: PeriodLimit[]): void {
  view.prefetch(budgets, ...periods.map(({ id }) => id));
  for (const { id, limit } of periods) {
    const found = view.get(budgets, id);
    if (!found?.isLost || limit === undefined) continue;
    const { isLost: _over, ...period } = found;
    view.put(budgets, id, { ...period, limit, used: limit, usedUpAt: view.now });
  }
}

/** Periods in this order; undefined if nothing was decided in one. Uses up lost ones: a raised limit must find them so. */
export function findPeriods(view: View, periods: PeriodLimit[]): (BudgetPeriod | undefined)[] {
  useUpLost(view, periods);
  return periods.map(({ id }) => view.get(budgets, id));
}

/** The periods of a send, with these limits. */
export function limited(budget: SendBudget | undefined, { month, day }: BudgetLimits = {}): PeriodLimit[] {
  const isOfPerson = (id: string) => id.split('/').length > 3;
  return (budget?.periods ?? []).map((id) => ({ id, limit: isOfPerson(id) ? day : month }));
}

/**
 * The first period without room for a send; undefined if all have room. `released`: the send whose unknown messages it
 * repeats, with their chunks. That send no longer holds credits for them.
 */
export function overBudget(
  view: View,
  { credits: asked, periods }: BudgetAsked,
  released: { send: SendDocument; chunks: ChunkDocument[] } | undefined,
): OverBudget | undefined {
  for (const period of periods) {
    const found = view.get(budgets, period.id);
    const { used, held: all } = found ?? NO_USAGE;
    const isCounted = released?.send.budget?.periods.includes(period.id);
    const freed = released && isCounted && found && !isPartOf(found, released.send) ? heldFor(released) : 0;
    const short = shortPeriod(period, { used, held: all - freed }, asked);
    if (short) return { id: period.id, ...short };
  }
  return undefined;
}

/**
 * The budget or approval without room for the rest of a send; undefined if it has room. The decision reserved credits
 * for the send, which keeps them even if the limits are lower now. So this is only about a send that costs more.
 * Without `limits`, the periods' own limits count.
 */
export function overrun(
  view: View,
  send: SendDocument,
  limits?: BudgetLimits,
): OverBudget | AboveApproved | undefined {
  const { used, held } = usageOf(send);
  if (!send.budget || used + held <= send.budget.credits) return undefined;
  // Nobody can hold back what is on its way.
  if (countOf(send.tally, 'pending').chunks === 0) return undefined;
  for (const [id, period] of periodsOf(view, send.budget, limits)) {
    const own = isPartOf(period, send) ? 0 : held;
    const others = { used: period.used, held: period.held - own };
    const short = shortPeriod(period, others, held);
    if (short) return { id, ...short };
  }
  return aboveApproved(send);
}

/** Why the rest of a send needs a second person; undefined if it needs none. */
function aboveApproved(send: SendDocument): AboveApproved | undefined {
  const { approvedUpTo } = send.budget ?? {};
  const { used, held } = usageOf(send);
  const asked = used + held;
  return approvedUpTo !== undefined && asked > approvedUpTo ? { approvedUpTo, asked } : undefined;
}

/** The send with a person's approval up to `upTo` credits; unchanged if it needs none. */
export function withApproval(send: SendDocument, upTo: number): SendDocument {
  if (!send.budget || !aboveApproved(send)) return send;
  return { ...send, budget: { ...send.budget, approvedUpTo: upTo } };
}

/** Gives the periods of a send the current limits. */
export function renewLimits(view: View, { budget }: SendDocument, limits: BudgetLimits): void {
  for (const [id, period] of periodsOf(view, budget, limits)) view.put(budgets, id, period);
}

/** The periods of a send, with `limits` if given. */
function periodsOf(
  view: View,
  budget: SendBudget | undefined,
  limits?: BudgetLimits,
): [id: string, period: BudgetPeriod][] {
  return limited(budget, limits).flatMap(({ id, limit }) => {
    const period = view.get(budgets, id);
    if (!period) return [];
    return [[id, limits ? withLimit(period, limit) : period] as const];
  });
}

/** The period with this limit. A new limit announces its levels again. */
function withLimit({ limit: before, ...period }: BudgetPeriod, limit: number | undefined): BudgetPeriod {
  return {
    ...period,
    told: limit === before ? period.told : 0,
    ...(limit !== undefined && { limit }),
  };
}

/** Opens the periods of a send at its decision, with the current limits. Returns what the send keeps. */
export function openPeriods(view: View, { record }: SendDocument, asked: BudgetAsked): SendBudget {
  const { team, channelId, kind } = record;
  for (const { id, ...now } of asked.periods) {
    const before: BudgetPeriod = view.get(budgets, id) ?? {
      team,
      channelId,
      ...NO_USAGE,
      told: 0,
      ...now,
    };
    view.put(budgets, id, { ...withLimit(before, now.limit), ...now });
  }
  const { credits, perMessage, approvedUpTo } = asked;
  return {
    periods: asked.periods.map(({ id }) => id),
    credits,
    perMessage,
    // A single text has no rest to approve.
    ...(kind === 'job' && approvedUpTo !== undefined && { approvedUpTo }),
  };
}
