import type { ModalView } from '@slack/types';
import { describe, expect, test } from 'vitest';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import type { BudgetNotice, BudgetsLeft } from '../../../src/core/budgets/budgets.ts';
import { askButton } from '../../../src/slack/ui/limits/approval-words.ts';
import {
  budgetLines,
  budgetNotice,
  listTooLong,
  overBudget,
  overBudgetWords,
  stillOverBudget,
} from '../../../src/slack/ui/limits/budget-words.ts';
import { limitsForm, limitsSaved } from '../../../src/slack/ui/limits/limits-form.ts';
import { bulkDraftMessage } from '../../../src/slack/ui/lists/bulk-draft.ts';
import { draftMessage } from '../../../src/slack/ui/texts/draft.ts';
import { aPreview } from './bulk-samples.ts';
import { AT, aSend, expectFine, expectFineView, fieldOf, labelsOf } from './samples.ts';

const budgets: BudgetsLeft = {
  month: { used: 800, held: 80, limit: 1000, left: 120, renewsAt: AT },
  day: { used: 3, held: 0, renewsAt: AT },
};
const short = { used: 800, held: 80, limit: 1000, left: 120, asked: 400, renewsAt: AT };

describe('budgets in words', () => {
  test('a refusal names what is asked, what is left, until when, and who can help', () => {
    expect(overBudgetWords(short, 'list', 'C1')).toMatch(
      /^This list may take 400 credits\.\n<#C1> has 120 of 1,000 left this month, until <!date.*>\.\nAn admin can approve it or raise the budget\.$/,
    );
    expect(overBudgetWords({ ...short, person: 'U1' }, 'text', 'C1')).toMatch(
      /^This text may take 400 credits\.\n<@U1> has 120 of 1,000 left today in <#C1>, until .*\nAn admin can approve it or raise the daily limit\.$/,
    );
    expectFine(overBudget(short, { what: 'list', channel: 'C1' }, askButton('x', 'budget')));
    const ofDay = overBudget(
      { ...short, person: 'U1' },
      { what: 'text', channel: 'C1' },
      askButton('x', 'budget'),
    );
    expect(ofDay.text).toContain('*Over the daily limit.*');
    expect(listTooLong({ kind: 'list_too_long', recipients: 4213, most: 500 }).text).toContain(
      'It has 4,213 recipients, and lists here may have 500.\nNothing was sent.',
    );
  });

  test('a list that may not go on says what its rest may take, what is left, and what to do', () => {
    const month = stillOverBudget({ ...short }, 'C1');
    expectFine(month);
    expect(month.text).toMatch(
      /^⏸ \*Still paused: over the monthly budget\.\* The rest of this list may take 400 credits\.\n<#C1> has 120 of 1,000 left in the month in which this list began\.\nAn admin can raise the monthly budget with `\/sms limits`\.\nOr press \*Stop\*, and send the rest as a new list after <!date/,
    );
    expect(stillOverBudget({ ...short, person: 'U1' }, 'C1').text).toMatch(
      /over the daily limit\..*\n<@U1> has 120 of 1,000 left in <#C1> on the day on which this list began\.\nAn admin can raise the daily limit/,
    );
  });

  test('each budget that has a limit says what is left', () => {
    expect(budgetLines(budgets)).toEqual([
      expect.stringMatching(/^120 of 1,000 credits left this month, until /),
    ]);
  });

  test('the preview of a send that does not fit has no Send, and says why', () => {
    const over: BudgetsLeft = { ...budgets, month: { ...budgets.month, used: 920, left: 0 } };
    const text = draftMessage({
      view: aSend(),
      linked: {
        link: { threshold: 0, limits: { ...NO_LIMITS, approvalAbove: 0 } },
        instance: { name: 'Acme' },
      },
      budgets: over,
    });
    const preview = aPreview({ budgets: over });
    const { link } = preview.linked;
    const linked = { ...preview.linked, link: { ...link, limits: { ...NO_LIMITS, approvalAbove: 0 } } };
    const list = bulkDraftMessage({ preview: { ...preview, linked } });
    for (const [message, labels] of [
      [text, ['Ask for approval', 'Edit', 'Cancel']],
      [list, ['Ask for approval', 'Check again', 'Edit', 'Cancel']],
    ] as const) {
      expect(labelsOf(message)).toEqual(labels);
      expect(message.text).toContain('*Over budget.*');
      // Only an admin can approve it, so the rule of the second person says nothing more.
      expect(message.text).not.toContain('second person');
      expectFine(message);
    }
    const fits = draftMessage({
      view: aSend(),
      linked: { link: { threshold: 0 }, instance: { name: 'Acme' } },
      budgets,
    });
    expect(labelsOf(fits)).toEqual(['Send', 'Edit', 'Cancel']);
    expect(fits.text).toContain('Budget: 120 of 1,000 credits left this month, until ');
  });

  test('a channel, an admin and the person read of 80 % and 100 %, each in their words', () => {
    const notice: BudgetNotice = {
      team: 'T1',
      channelId: 'C1',
      to: 'C1',
      level: 80,
      limit: 1000,
      used: 700,
      held: 100,
      renewsAt: AT,
    };
    const toChannel = budgetNotice(notice, { isForAdmin: false });
    expect(toChannel.text).toMatch(
      /^⚠️ \*80 % of the budget is used or reserved\.\*\n<#C1> has used 700 of its 1,000 credits this month, and 100 more are reserved\.\nWe reserve .*\nThe budget renews /,
    );
    expect(JSON.stringify(toChannel.blocks)).not.toContain('open_limits');
    const used = { ...notice, level: 100, used: 1000, held: 0, person: 'U1' };
    const toPerson = budgetNotice({ ...used, to: 'U1' }, { isForAdmin: false });
    expect(toPerson.text).toContain('You have used 1,000 of 1,000 credits today in <#C1>.');
    expect(labelsOf(toPerson)).toEqual([]);
    expect(labelsOf(budgetNotice({ ...used, to: 'U1' }, { isForAdmin: true }))).toEqual(['Limits']);
    const toAdmin = budgetNotice({ ...used, to: 'UADM' }, { isForAdmin: true });
    expect(toAdmin.text).toContain('*The daily limit is used up.*');
    expect(toAdmin.text).toContain('<@U1> has used 1,000 of 1,000 credits today');
    expect(JSON.stringify(toAdmin.blocks)).toContain('open_limits');
    expect(toAdmin.text).toMatch(/raise the limit\.$/);
    // Somebody may undo the list that holds them.
    const reserved = budgetNotice({ ...used, used: 400, held: 600, to: 'UADM' }, { isForAdmin: true });
    expect(reserved.text).toMatch(
      /raise the limit\.\nIf reserved credits become free, people can send again earlier\.$/,
    );
    for (const message of [toChannel, toAdmin, reserved]) expectFine(message);
  });
});

const elementOf = (view: ModalView, id: string) => fieldOf(view, id)?.element;

describe('the limits form', () => {
  const form = (limits = NO_LIMITS, listUndoMs = 10_000) =>
    limitsForm({
      channel: 'C1',
      limits,
      listUndoMs,
      budgets,
      metadata: '{}',
      rules: { timeZone: 'Europe/London', whoMayOptOut: 'everyone' },
    });

  test('says for each field what it does, and what is used beside it', () => {
    const view = form();
    expectFineView(view);
    expect(JSON.stringify(view)).toContain('Used this month: 800 of 1,000, and 80 more are reserved.');
    expect(JSON.stringify(view)).toContain('Used by you today: 3.');
    expect(elementOf(view, 'monthly_budget')).not.toHaveProperty('initial_value');
  });

  test('says how long a list waits if its field is empty', () => {
    const hintWith = (listUndoMs: number) =>
      JSON.stringify(fieldOf(form(NO_LIMITS, listUndoMs), 'list_undo_seconds')?.hint);
    expect(hintWith(10_000)).toContain(
      'Empty: 10 seconds, as the operator has set it. 0: lists are sent at once.',
    );
    expect(hintWith(1_000)).toContain('Empty: 1 second, ');
    expect(hintWith(0)).toContain('Empty or 0: lists are sent at once.');
  });

  test('shows what was saved', () => {
    const view = form({
      ...NO_LIMITS,
      monthlyBudget: 0,
      approvers: ['U1'],
      ownApproval: true,
      listUndoSeconds: 20,
    });
    expectFineView(view);
    expect(elementOf(view, 'monthly_budget')).toMatchObject({ initial_value: '0' });
    expect(elementOf(view, 'list_undo_seconds')).toMatchObject({ initial_value: '20' });
    expect(elementOf(view, 'approvers')).toMatchObject({ initial_users: ['U1'] });
    expect(elementOf(view, 'own_approval')).toHaveProperty('initial_options');
  });

  test('a budget below the credits that are used is saved, with a warning', () => {
    expect(limitsSaved('C1', budgets)).toBe('✅ Saved.');
    const below = { month: { ...budgets.month, limit: 300, left: 0 } };
    expect(limitsSaved('C1', below)).toMatch(
      /\*Over the new budget of 300 credits\.\* <#C1> has used 800 this month, and 80 more are reserved\./,
    );
  });
});
