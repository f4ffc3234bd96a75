import type { InputBlock, ModalView } from '@slack/types';
import type { SpendingLimits } from '../../../core/accounts/channel-limits.ts';
import type { BudgetFigures, BudgetsLeft } from '../../../core/budgets/budgets.ts';
import type { ChosenRules } from '../../../core/workspaces/workspace-rules.ts';
import { FIELDS, OWN_APPROVAL, VIEWS } from '../ids.ts';
import { box, choice, field, modal, numberInput, peopleInput, textInput } from '../modal.ts';
import { TITLES } from '../views.ts';
import { count, credits, firstOf, plural, when } from '../words.ts';
import { andReserved } from './budget-words.ts';

export const MOST_UNDO_SECONDS = 60;
export const MOST_CREDITS = 1_000_000_000;
export const MOST_OPT_OUT_TEXT = 160;

const APPROVALS_IN_LABELS: { [where in SpendingLimits['approvalsIn']]: string } = {
  channel: 'In this channel',
  direct: 'By direct message to the approvers',
};
const WHO_MAY_OPT_OUT_LABELS: { [who in ChosenRules['whoMayOptOut']]: string } = {
  everyone: 'Everyone who can send',
  admins: 'Only admins',
};

/** A channel's limits and who approves, with the credits that are used; below, the rules of the workspace. */
export function limitsForm(facts: {
  channel: string;
  limits: SpendingLimits;
  rules: ChosenRules;
  /** The operator's undo time for lists, in ms, for channels without one of their own. */
  listUndoMs: number;
  /** The channel's month, and the day of the admin who opens the form. */
  budgets: BudgetsLeft;
  metadata: string;
}): ModalView {
  const { channel, limits, rules, listUndoMs, budgets, metadata } = facts;
  const text = 'Approvers may approve their own requests';
  const own = { value: OWN_APPROVAL, text, description: 'For a team of one person.' };
  const withoutListUndo =
    listUndoMs === 0
      ? 'Empty or 0: lists are sent at once.'
      : `Empty: ${plural(listUndoMs / 1000, 'second')}, as the operator has set it. 0: lists are sent at once.`;
  const optOutText = textInput({ initial: rules.optOutText, placeholder: 'Reply STOP to get no more texts' });
  const whoMayOptOut = choice(WHO_MAY_OPT_OUT_LABELS, rules.whoMayOptOut);
  return modal(VIEWS.limitsForm, { title: TITLES.limitsForm, submit: 'Save', metadata }, [
    `*Limits of <#${channel}>*\nAn empty budget or list size means no limit.`,
    number(FIELDS.approvalAbove, 'Approval above (credits)', limits.approvalAbove, {
      hint: 'A text or list that may take more needs a second person’s approval. 0: each one needs it. Empty: none does.',
    }),
    field(FIELDS.approvers, 'Approvers', peopleInput(limits.approvers, 'The admins'), {
      hint: 'Who may approve. Empty: the admins.',
      optional: true,
    }),
    field(FIELDS.approvalsIn, 'Where requests go', choice(APPROVALS_IN_LABELS, limits.approvalsIn), {
      hint: 'The card with Approve and Decline is posted there.',
    }),
    field(FIELDS.ownApproval, 'Own approval', box(own, limits.ownApproval), { optional: true }),
    number(FIELDS.monthlyBudget, 'Monthly budget (credits)', limits.monthlyBudget, {
      hint: `The most that all texts from this channel may take in a month. Used this month: ${usedOf(budgets.month)}.`,
    }),
    number(FIELDS.dailyPerPerson, 'Daily limit per person (credits)', limits.dailyPerPerson, {
      hint: `The most that each person may take here in a day. Used by you today: ${usedOf(budgets.day)}.`,
    }),
    number(FIELDS.largestList, 'Largest list (recipients)', limits.largestList, {
      hint: 'A longer list is refused at its preview.',
    }),
    number(FIELDS.undoSeconds, 'Undo time (seconds)', limits.undoSeconds, {
      hint: 'How long a text waits after Send, so that it can be undone. Empty or 0: it is sent at once.',
      most: MOST_UNDO_SECONDS,
    }),
    number(FIELDS.listUndoSeconds, 'Undo time for lists (seconds)', limits.listUndoSeconds, {
      hint: `The same for lists. ${withoutListUndo}`,
      most: MOST_UNDO_SECONDS,
    }),
    { type: 'divider' },
    '*For the whole workspace*',
    field(FIELDS.timeZone, 'Time zone', textInput({ initial: rules.timeZone }), {
      hint: 'A budget’s day and month begin at midnight there. Example: Europe/London.',
    }),
    field(FIELDS.optOutText, 'Text for {optout}', optOutText, {
      hint: 'Replaces {optout} in the words of a list. It counts in the length.',
      optional: true,
    }),
    field(FIELDS.whoMayOptOut, 'Who may change opt-outs', whoMayOptOut, {
      hint: 'A number that is opted out gets no texts from this workspace.',
    }),
  ]);
}

function number(
  id: string,
  label: string,
  now: number | undefined,
  { hint, most = MOST_CREDITS }: { hint: string; most?: number },
): InputBlock {
  return field(id, label, numberInput(now, { most }), { hint, optional: true });
}

/** `300 of 1,000, and 80 more are reserved` */
function usedOf({ used, held, limit }: BudgetFigures): string {
  return `${count(used)}${limit === undefined ? '' : ` of ${count(limit)}`}${andReserved(held)}`;
}

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
  unknown: 'is not in this workspace',
} as const;

/** Somebody is chosen who can't approve: plain text at the field. Slack may not tell their name. */
export function approversError(
  visitors: readonly { name: string | undefined; why: keyof typeof WHY_NO_APPROVER }[],
): string {
  const named = visitors.map(({ name = 'One of them', why }) => `${name} ${WHY_NO_APPROVER[why]}`);
  return `${firstOf(named, MOST_NAMED)}. Only members of this workspace can approve. Nothing was saved.`;
}

/** The limits are saved. Warns if used and held credits are already above the new budget. */
export function limitsSaved(channel: string, { month }: Pick<BudgetsLeft, 'month'>): string {
  const { used, held, limit, renewsAt } = month;
  if (limit === undefined || used + held <= limit) return '✅ Saved.';
  return `✅ Saved.\n⚠️ *Over the new budget of ${credits(limit)}.* <#${channel}> has used ${count(used)} this month${andReserved(held)}.\nUntil ${when(renewsAt)}, an admin must approve each send from there.`;
}
