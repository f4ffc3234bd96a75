import type { View } from '../../store/view.ts';
import type { BudgetNews, BudgetPeriod } from '../model/budget-types.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import { announce, announceTopics } from '../outbox/announce.ts';
import { isPartOf, usageOf } from './budget-usage.ts';
import { budgets } from './rule-documents.ts';

export const BUDGET_TOPIC = 'budget';
/** Percents of a limit, highest first. Each is announced once. */
export const LEVELS = [100, 80] as const;

/** Puts a send, and adds the change of its usage to the periods of its budget. Announces a pause. */
export function putSend(view: View, id: string, send: SendDocument): void {
  const stored = view.get(sends, id);
  const before = usageOf(stored);
  const after = usageOf(send);
  const [used, held] = [after.used - before.used, after.held - before.held];
  const names = used === 0 && held === 0 ? [] : (send.budget?.periods ?? []);
  const periods = names.map((name) => ({ name, period: view.get(budgets, name) }));
  view.put(sends, id, send);
  // A paused job waits for a person. If this process dies now, no later step would tell them.
  if (send.record.state === 'paused' && stored?.record.state !== 'paused') announceTopics(view, send.record);
  for (const { name, period } of periods) {
    // Retention deletes a period a year after its end; nobody reads it then.
    if (!period || period.isLost) continue;
    // A used-up period counts this send already. So credits that the send frees make no room there.
    const change = isPartOf(period, send) ? { used: Math.max(0, used + held), held: 0 } : { used, held };
    putPeriod(view, name, { ...period, used: period.used + change.used, held: period.held + change.held });
  }
}

/** Puts a period, and announces each level of its limit once to its readers. */
function putPeriod(view: View, id: string, period: BudgetPeriod): void {
  const { told, readers, limit = Number.POSITIVE_INFINITY, ...news } = period;
  const level = levelOf(news.used + news.held, limit);
  view.put(budgets, id, { ...period, told: Math.max(told, level) });
  if (level <= told) return;
  for (const to of readers) {
    const details = { ...news, limit, level, to } satisfies BudgetNews;
    const row = `${BUDGET_TOPIC}:${id}:${limit}:${level}:${to}`;
    announce(view, { id: row, topic: BUDGET_TOPIC, subject: id, details });
  }
}

/** Which level of its limit a period has reached, in percent; 0 if none. */
export function levelOf(credits: number, limit: number): number {
  // A limit of 0 is not reached before anything was used.
  if (credits === 0) return 0;
  return LEVELS.find((level) => credits * 100 >= limit * level) ?? 0;
}
