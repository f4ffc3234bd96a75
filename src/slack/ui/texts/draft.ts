import type { Button } from '@slack/types';
import { exceededApprovalLimit, limitsOf } from '../../../core/accounts/channel-limits.ts';
import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import { crossesThreshold, type Link } from '../../../core/accounts/links.ts';
import type { BudgetsLeft, ShortBudget } from '../../../core/budgets/budgets.ts';
import type { SendView } from '../../../core/sends/send-view.ts';
import type { SameWords } from '../../../core/sends/sends.ts';
import { countryName, formatNumber } from '../../../core/texts/phone-format.ts';
import { button, type Fact, figures, joined, type Message, small, typed } from '../blocks.ts';
import { costFact, draftSmallPrint, lengthOf, perhapsShort, shortBudgetOf, whyLong } from '../draft-words.ts';
import { ACTIONS } from '../ids.ts';
import { askButton, whyApproval } from '../limits/approval-words.ts';
import { budgetFact, overBudgetLine } from '../limits/budget-words.ts';
import { MAY_BE_SENT } from '../may-be-sent.ts';
import { payerLine } from '../payer.ts';
import { escaped } from '../safe-text.ts';
import { capitalised, count, credits, estimatedRest, inLines, noFreshBalance } from '../words.ts';
import { sameWordsLine, sendAnywayButton } from './same-words.ts';

/** A draft, and the facts that its preview shows beside it. */
interface TextDraft {
  view: SendView;
  linked: { link: Pick<Link, 'threshold' | 'limits'>; instance: Pick<InstanceView, 'name'> };
  same?: SameWords | undefined;
  /** The budgets that the text counts in. */
  budgets: BudgetsLeft;
}

/** The preview of a text: its words, its recipient and its cost. */
export function draftMessage(draft: TextDraft): Message {
  const { view, linked, budgets } = draft;
  const approvalAbove = exceededApprovalLimit(limitsOf(linked.link), view.details.estimate);
  const over = shortBudgetOf(view, budgets);
  const why = inLines(
    view.segments.segments > 1 &&
      'A long text goes out in segments. The phone joins them, and each may cost credits.',
    whyLong(view.text, view.segments),
  );
  return joined(
    inLines(
      payerLine(view),
      `💬 *Text to ${escaped(formatNumber(view.e164))}*`,
      view.details.added && 'We read this as an international number.',
      view.details.noKnownRange && '⚠️ This doesn’t look like a real number. You can still send.',
    ),
    { text: escaped(view.text), blocks: [typed(view.text)] },
    figures(figuresOf(draft)),
    why !== '' && small(why),
    warningsOf(draft, over),
    approvalAbove !== undefined && !over && small(whyApproval(approvalAbove)),
    over ? askButton(view.id, 'budget') : decisionButton(draft, approvalAbove !== undefined),
    // A resend can't be edited: an edited text would lose the warning that it may come twice.
    !view.resends && button(ACTIONS.editDraft, 'Edit', view.id),
    button(ACTIONS.cancelDraft, 'Cancel', view.id),
    small(draftSmallPrint(linked.instance.name, view)),
  );
}

function figuresOf({ view, budgets }: TextDraft): Fact[] {
  const { estimate, balance, lastBalance, country } = view.details;
  const balanceWords =
    balance === undefined
      ? capitalised(noFreshBalance(lastBalance))
      : `${count(balance)} → ${estimatedRest(balance, estimate)}`;
  return [
    costFact(estimate),
    ['Balance', balanceWords],
    ['Length', lengthOf(view.segments)],
    ['Country', country && escaped(countryName(country))],
    budgetFact(budgets),
  ];
}

function warningsOf({ view, linked, same }: TextDraft, over: ShortBudget | undefined): string {
  const { estimate, balance, lastBalance } = view.details;
  return inLines(
    view.mayBeSent && MAY_BE_SENT,
    same && sameWordsLine(same, view.details.by),
    view.resends && '⚠️ The recipient may get this twice.',
    over && overBudgetLine(over, 'text', view.channel),
    crossesThreshold(linked.link, balance, estimate.credits) &&
      `⚠️ *Low credits:* this text takes the balance below this channel’s threshold of ${credits(linked.link.threshold)}.`,
    perhapsShort(estimate, lastBalance),
  );
}

function decisionButton({ view, same }: TextDraft, asksApproval: boolean): Button {
  if (asksApproval) return askButton(view.id);
  return same || view.mayBeSent
    ? sendAnywayButton(view, same)
    : button(ACTIONS.confirmSend, 'Send', view.id, 'primary');
}
