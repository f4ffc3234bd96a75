import type { BudgetsLeft } from '../../../core/budgets/budgets.ts';
import { escaped } from '../safe-text.ts';
import { count, credits, present, when } from '../words.ts';
import { MOST_OPT_OUT_TEXT, MOST_UNDO_SECONDS } from './limits-form.ts';

const MOST_NAMED = 5;

/** What is wrong at a field: plain text. */
export const LIMITS_ERRORS = {
  credits: 'Write a whole number of credits, such as 500, or leave it empty.',
  recipients: 'Write a whole number of recipients, such as 500, or leave it empty.',
  seconds: `Write whole seconds from 0 to ${MOST_UNDO_SECONDS}.`,
  timeZone: 'Write a time zone by its name, such as Europe/London or America/New_York.',
  optOutText: `Write at most ${MOST_OPT_OUT_TEXT} characters.`,
} as const;

const WHY_NO_APPROVER = {
  deactivated: 'has left this workspace',
  app: 'is an app',
  guest: 'is a guest',
  outsider: 'is from another workspace',
} as const;

/** Somebody is chosen who can't approve: plain text at the field. */
export function approversError(
  visitors: readonly { name: string; why: keyof typeof WHY_NO_APPROVER }[],
): string {
  const named = visitors.slice(0, MOST_NAMED).map(({ name, why }) => `${name} ${WHY_NO_APPROVER[why]}`);
  const more = visitors.length - MOST_NAMED;
  return `${present(...named, more > 0 && `and ${count(more)} more`).join(', ')}. Only members of this workspace can approve.`;
}

/** Errors that come too late for their fields. */
export function limitsNotSaved(errors: string): string {
  return `⛔ ${escaped(errors)}\nNothing was saved.`;
}

/** The limits are saved. Warns if the channel has used more than its new budget already. */
export function limitsSaved(channel: string, { month }: Pick<BudgetsLeft, 'month'>): string {
  const used = month.used + month.held;
  const { limit, renewsAt } = month;
  if (limit === undefined || used <= limit) return '✅ Saved.';
  return `✅ Saved.\n⚠️ <#${channel}> has used ${credits(used)} this month already, more than ${count(limit)}.\nNothing more can be sent from there until ${when(renewsAt)}, unless an admin approves it.`;
}
