import { SpendingLimits } from '../../core/accounts/channel-limits.ts';
import { canonicalTimeZone } from '../../core/budgets/calendar.ts';
import type { ChosenRules } from '../../core/workspaces/workspace-rules.ts';
import { FIELDS, OWN_APPROVAL, WHO_MAY_OPT_OUT } from '../ui/ids.ts';
import * as limitsForm from '../ui/limits/limits-form.ts';
import { chosenOf, type FieldErrors, fieldOf, typedIn, type ViewValues, wholeNumberIn } from './form-data.ts';

/** Reads the limits form. An empty figure is no limit; `errors` by block, in words for the person. */
export function readLimitsFields(values: ViewValues) {
  const errors: FieldErrors = {};
  function figure(block: string, { error, most }: { error: string; most: number }): number | undefined {
    const typed = wholeNumberIn(values, block);
    if (typed === undefined || typed <= most) return typed;
    errors[block] = error;
    return undefined;
  }
  const credits = { error: limitsForm.LIMITS_ERRORS.credits, most: limitsForm.MOST_CREDITS };
  const recipients = { error: limitsForm.LIMITS_ERRORS.recipients, most: limitsForm.MOST_CREDITS };
  const seconds = { error: limitsForm.LIMITS_ERRORS.seconds, most: limitsForm.MOST_UNDO_SECONDS };
  const ticked = (fieldOf(values, FIELDS.ownApproval)?.selected_options ?? []).map(({ value }) => value);
  const limits: SpendingLimits = {
    approvalAbove: figure(FIELDS.approvalAbove, credits),
    approvers: fieldOf(values, FIELDS.approvers)?.selected_users ?? [],
    approvalsIn: chosenOf(values, FIELDS.approvalsIn, SpendingLimits.shape.approvalsIn.options) ?? 'channel',
    ownApproval: ticked.includes(OWN_APPROVAL),
    monthlyBudget: figure(FIELDS.monthlyBudget, credits),
    dailyPerPerson: figure(FIELDS.dailyPerPerson, credits),
    largestList: figure(FIELDS.largestList, recipients),
    undoSeconds: figure(FIELDS.undoSeconds, seconds) ?? 0,
    listUndoSeconds: figure(FIELDS.listUndoSeconds, seconds),
  };

  const timeZone = canonicalTimeZone(typedIn(values, FIELDS.timeZone));
  if (timeZone === undefined) errors[FIELDS.timeZone] = limitsForm.LIMITS_ERRORS.timeZone;
  const optOutText = typedIn(values, FIELDS.optOutText);
  if (optOutText.length > limitsForm.MOST_OPT_OUT_TEXT)
    errors[FIELDS.optOutText] = limitsForm.LIMITS_ERRORS.optOutText;
  const rules: ChosenRules = {
    timeZone: timeZone ?? '',
    ...(optOutText === '' ? {} : { optOutText }),
    whoMayOptOut: chosenOf(values, FIELDS.whoMayOptOut, WHO_MAY_OPT_OUT) ?? 'everyone',
  };
  return { limits, rules, errors };
}
