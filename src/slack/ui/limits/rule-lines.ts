import { limitsOf } from '../../../core/accounts/channel-limits.ts';
import type { Link } from '../../../core/accounts/links.ts';
import type { BudgetFigures, BudgetsLeft } from '../../../core/budgets/budgets.ts';
import type { WorkspaceRules } from '../../../core/workspaces/workspace-rules.ts';
import { oneLine, quoted } from '../safe-text.ts';
import { credits, inLines, type Maybe, plural, present } from '../words.ts';
import { approversWords } from './approval-words.ts';
import { budgetLeft } from './budget-words.ts';

const HOUR_MS = 3_600_000;

/** A rule's name and its words. A rule without words is off. */
type Rule = [name: string, words: Maybe<string>];

/** A line for each rule that is on, and a line that names the others. */
export function ruleLines(...rules: Rule[]): string {
  const off = rules.filter(([, words]) => !words).map(([name]) => name);
  return inLines(
    ...rules.map(([name, words]) => words && `*${name}:* ${words}`),
    off.length > 0 && `*Off:* ${off.join(' · ')}`,
  );
}

/** A channel's limits. `day`: the reader's own. `listUndoMs`: the undo time of lists, if the channel has none of its own. */
export function rulesOfChannel(
  link: Pick<Link, 'limits'>,
  { month, day }: { [period in keyof BudgetsLeft]?: BudgetFigures | undefined },
  { listUndoMs }: Pick<WorkspaceRules, 'listUndoMs'>,
): Rule[] {
  const limits = limitsOf(link);
  const { approvalAbove, approvers, ownApproval, dailyPerPerson, largestList, undoSeconds } = limits;
  const ofLists = limits.listUndoSeconds ?? listUndoMs / 1000;
  const own = ownApproval ? ' · approvers may approve their own requests' : '';
  const undo = [undoSeconds > 0 && `${undoSeconds} s for texts`, ofLists > 0 && `${ofLists} s for lists`];
  return [
    [
      'Approval',
      approvalAbove !== undefined &&
        `${approvalAbove === 0 ? 'every text' : `above ${credits(approvalAbove)}`}, by ${approversWords(approvers)}${own}`,
    ],
    ['Monthly budget', month && budgetLeft(month, 'this month')],
    [
      'Daily limit',
      dailyPerPerson !== undefined &&
        present(`${credits(dailyPerPerson)} per person`, day && budgetLeft(day, 'for you today')).join(' · '),
    ],
    ['Largest list', largestList !== undefined && plural(largestList, 'recipient')],
    ['Undo time', present(...undo).join(' · ')],
  ];
}

/** `out`: how many numbers are opted out. */
export function rulesOfWorkspace(rules: WorkspaceRules, out: number): Rule[] {
  const { repeatGuardMs, whoMayOptOut, optOutText } = rules;
  const who = whoMayOptOut === 'admins' ? 'only admins may' : 'everyone who can send may';
  const hours = plural(repeatGuardMs / HOUR_MS, 'hour');
  return [
    [
      'Repeat guard',
      repeatGuardMs > 0 && `we ask before you send the same words to a number again within ${hours}`,
    ],
    ['Opt-outs', `${plural(out, 'number')} · ${who} add or remove some`],
    ['Text for {optout}', optOutText !== undefined && quoted(oneLine(optOutText))],
  ];
}
