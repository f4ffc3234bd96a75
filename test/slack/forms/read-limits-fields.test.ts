import { describe, expect, test } from 'vitest';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import { readLimitsFields } from '../../../src/slack/forms/read-limits-fields.ts';
import { FIELDS } from '../../../src/slack/ui/ids.ts';
import { LIMITS_ERRORS } from '../../../src/slack/ui/limits/limits-form.ts';

type Field = keyof typeof FIELDS;

/** The submitted form, with these fields changed. */
function submitted(over: { [field in Field]?: object } = {}) {
  const values: { [field in Field]?: object } = {
    timeZone: { value: 'Europe/London' },
    approvalsIn: { selected_option: { value: 'channel' } },
    whoMayOptOut: { selected_option: { value: 'everyone' } },
    ...over,
  };
  return readLimitsFields(
    Object.fromEntries(
      Object.entries(values).map(([field, value]) => [
        FIELDS[field as Field],
        { [FIELDS[field as Field]]: { type: 'x', ...value } },
      ]),
    ),
  );
}

describe('the limits form', () => {
  test('empty fields are no limit', () => {
    expect(submitted()).toEqual({
      limits: NO_LIMITS,
      rules: { timeZone: 'Europe/London', whoMayOptOut: 'everyone' },
      errors: {},
    });
  });

  test('all of it', () => {
    const { limits, rules, errors } = submitted({
      approvalAbove: { value: '200' },
      approvers: { selected_users: ['U1', 'U2'] },
      approvalsIn: { selected_option: { value: 'direct' } },
      ownApproval: { selected_options: [{ value: 'own_approval' }] },
      monthlyBudget: { value: ' 1,000 ' },
      dailyPerPerson: { value: '0' },
      largestList: { value: '500' },
      undoSeconds: { value: '5' },
      listUndoSeconds: { value: '60' },
      timeZone: { value: 'america/new_york' },
      optOutText: { value: ' Reply STOP ' },
      whoMayOptOut: { selected_option: { value: 'admins' } },
    });
    expect(errors).toEqual({});
    expect(limits).toEqual({
      approvalAbove: 200,
      approvers: ['U1', 'U2'],
      approvalsIn: 'direct',
      ownApproval: true,
      monthlyBudget: 1000,
      dailyPerPerson: 0,
      largestList: 500,
      undoSeconds: 5,
      listUndoSeconds: 60,
    });
    expect(rules).toEqual({
      timeZone: 'America/New_York',
      optOutText: 'Reply STOP',
      whoMayOptOut: 'admins',
    });
  });

  test.each<[Field, string, string]>([
    ['approvalAbove', 'many', LIMITS_ERRORS.credits],
    ['monthlyBudget', '-1', LIMITS_ERRORS.credits],
    ['monthlyBudget', '1.5', LIMITS_ERRORS.credits],
    ['monthlyBudget', '1000000001', LIMITS_ERRORS.credits],
    ['dailyPerPerson', '1e3', LIMITS_ERRORS.credits],
    ['largestList', '१०', LIMITS_ERRORS.recipients],
    ['undoSeconds', '61', LIMITS_ERRORS.seconds],
    ['listUndoSeconds', '0x1', LIMITS_ERRORS.seconds],
    ['timeZone', 'Mars/Base', LIMITS_ERRORS.timeZone],
    ['timeZone', '', LIMITS_ERRORS.timeZone],
    ['optOutText', 'x'.repeat(161), LIMITS_ERRORS.optOutText],
  ])('bad input is said at its field: %s %s', (name, value, error) => {
    expect(submitted({ [name]: { value } }).errors).toEqual({ [FIELDS[name]]: error });
  });
});
