import { expect, test } from 'vitest';
import { NO_LIMITS, type SpendingLimits } from '../../../src/core/accounts/channel-limits.ts';
import type { WorkspaceRules } from '../../../src/core/workspaces/workspace-rules.ts';
import { ruleLines, rulesOfChannel, rulesOfWorkspace } from '../../../src/slack/ui/limits/rule-lines.ts';
import { AT } from './samples.ts';

const month = { used: 800, held: 80, limit: 1000, left: 120, renewsAt: AT };
const day = { used: 3, held: 0, limit: 50, left: 47, renewsAt: AT };
const free = { used: 3, held: 0, renewsAt: AT };
const rules: WorkspaceRules = {
  timeZone: 'UTC',
  isTimeZoneChosen: true,
  whoMayOptOut: 'everyone',
  listUndoMs: 10_000,
  repeatGuardMs: 86_400_000,
};

/** Of a channel with these limits, and no budget. */
const linesOf = (limits: SpendingLimits, listUndoMs = 0) =>
  ruleLines(...rulesOfChannel({ limits }, { month: free, day: free }, { listUndoMs })).split('\n');

test('each rule that is on has a line with its figures', () => {
  const limits = {
    ...NO_LIMITS,
    monthlyBudget: 1000,
    dailyPerPerson: 50,
    largestList: 500,
    approvalAbove: 200,
    undoSeconds: 5,
  };
  const all = ruleLines(
    ...rulesOfChannel({ limits }, { month, day }, rules),
    ...rulesOfWorkspace({ ...rules, whoMayOptOut: 'admins', optOutText: 'Reply STOP to end' }, 1204),
  );
  expect(all.split('\n')).toEqual([
    '*Approval:* above 200 credits, by an admin',
    expect.stringMatching(/^\*Monthly budget:\* 120 of 1,000 credits left this month, until /),
    expect.stringMatching(
      /^\*Daily limit:\* 50 credits per person · 47 of 50 credits left for you today, until /,
    ),
    '*Largest list:* 500 recipients',
    '*Undo time:* 5 s for texts · 10 s for lists',
    '*Repeat guard:* we ask before you send the same words to a number again within 24 hours',
    '*Opt-outs:* 1,204 numbers · only admins may add or remove some',
    '*Text for {optout}:* “Reply STOP to end”',
  ]);
});

test('rules that are off share a line', () => {
  expect(linesOf(NO_LIMITS)).toEqual([
    '*Off:* Approval · Monthly budget · Daily limit · Largest list · Undo time',
  ]);
  expect(ruleLines(...rulesOfWorkspace({ ...rules, repeatGuardMs: 0 }, 0)).split('\n')).toEqual([
    '*Opt-outs:* 0 numbers · everyone who can send may add or remove some',
    '*Off:* Repeat guard · Text for {optout}',
  ]);
});

test('approvers are named, or counted if there are many', () => {
  const [two] = linesOf({
    ...NO_LIMITS,
    approvalAbove: 0,
    approvers: ['UBEN', 'UANA'],
    ownApproval: true,
  });
  expect(two).toBe('*Approval:* every text, by <@UBEN>, <@UANA> · approvers may approve their own requests');
  const approvers = Array.from({ length: 6 }, (_, n) => `U${n}`);
  const [many] = linesOf({ ...NO_LIMITS, approvalAbove: 1, approvers });
  expect(many).toBe('*Approval:* above 1 credit, by one of 6 people');
});

test('the channel’s own undo time for lists counts before the operator’s', () => {
  const [line] = linesOf({ ...NO_LIMITS, listUndoSeconds: 30 }, 10_000);
  expect(line).toBe('*Undo time:* 30 s for lists');
});
