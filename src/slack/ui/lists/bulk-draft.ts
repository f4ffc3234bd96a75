import { exceededApprovalLimit, limitsOf } from '../../../core/accounts/channel-limits.ts';
import { crossesThreshold } from '../../../core/accounts/links.ts';
import type { ShortBudget } from '../../../core/budgets/budgets.ts';
import type { JobPreview } from '../../../core/jobs/job-preview.ts';
import { askFirst, button, type Fact, figures, joined, type Message, type Part, small } from '../blocks.ts';
import { topUpButton } from '../draft-refusals.ts';
import { costFact, draftSmallPrint, perhapsShort, shortBudgetOf } from '../draft-words.ts';
import { ACTIONS } from '../ids.ts';
import { askButton, whyApproval } from '../limits/approval-words.ts';
import { budgetFact, overBudgetLine } from '../limits/budget-words.ts';
import { MAY_BE_SENT } from '../may-be-sent.ts';
import { payerLine } from '../payer.ts';
import { escaped, fitted, quoted } from '../safe-text.ts';
import {
  about,
  capitalised,
  count,
  credits,
  estimated,
  estimatedRest,
  inLines,
  noFreshBalance,
  plural,
} from '../words.ts';
import { countriesOf, sampleBlocks, sampleTable, segmentsOf } from './bulk-figures.ts';
import { bulkValue, repeatsButton, repeatsLine } from './list-repeats.ts';
import { type WrongFile, wrongInClasses, wrongRowBlocks, wrongTotal } from './wrong-rows.ts';

/** How much of the first text the message's `text` shows, in characters of JSON. A notification shows no blocks. */
const TEXT_MAX = 300;

/** The preview of a job: who gets which text, who gets none and why, and the cost. `wrongFile`: whether Slack took that file. */
export function bulkDraftMessage(shown: { preview: JobPreview; wrongFile?: WrongFile | undefined }): Message {
  const { preview, wrongFile } = shown;
  const { view, linked } = preview;
  const { list, given } = view.details;
  const source = given.file ? ` from ${quoted(given.file.name)}` : '';
  const headline = `💬 *Your list to ${plural(list.toSend, 'recipient')}*${source}`;
  const opening = inLines(payerLine(view), headline);
  const above = exceededApprovalLimit(limitsOf(linked.link), view.details.estimate);
  // An admin has to approve what is over a budget, so the second person says nothing more.
  const over = shortBudgetOf(view, preview.budgets);
  const approval = above !== undefined && !over && whyApproval(above);
  const wrong = wrongRowBlocks(list, wrongFile);
  const first = escaped(fitted(list.samples.first.text, TEXT_MAX));
  return joined(
    opening,
    { text: first, blocks: [] },
    figures(figuresOf(preview)),
    // Slack takes one table a message. Skipped rows come first.
    ...(wrong.length > 0 ? [...sampleBlocks(list, { whole: true }), ...wrong] : sampleTable(list)),
    warnings(preview, over),
    approval && small(approval),
    ...decision(preview, { isOver: over !== undefined, asksApproval: above !== undefined }),
    small(draftSmallPrint(linked.instance.name, view)),
  );
}

function warnings(preview: JobPreview, over: ShortBudget | undefined): string {
  const { view, linked, short, balance, lastBalance } = preview;
  const { estimate, list } = view.details;
  const { unlikely } = list;
  return inLines(
    view.mayBeSent && MAY_BE_SENT,
    repeatsLine(view),
    view.resends && '⚠️ The recipients may get this twice.',
    unlikely !== undefined &&
      `⚠️ ${count(unlikely)} ${unlikely === 1 ? 'number doesn’t' : 'numbers don’t'} look real. You can still send.`,
    over && overBudgetLine(over, 'list', view.channel),
    short &&
      `⛔ *Not enough credits:* needs ${estimated(estimate)}, has ${count(balance ?? 0)}.\nTop up the account, then press *Check again*. Or edit the list.`,
    perhapsShort(estimate, lastBalance),
    !short &&
      crossesThreshold(linked.link, balance, estimate.credits) &&
      `⚠️ *Low credits:* this takes the balance below this channel’s threshold of ${credits(linked.link.threshold)}.`,
  );
}

function figuresOf(preview: JobPreview): Fact[] {
  const { view, short, balance, lastBalance, msToSend, budgets } = preview;
  const { estimate, list, optedOut } = view.details;
  const skipped = wrongTotal(list.wrong);
  const leftOut = optedOut && `${count(optedOut.messages)} left out, ${credits(optedOut.credits)} saved`;
  const rest = short || balance === undefined ? '' : ` → ${estimatedRest(balance, estimate)}`;
  return [
    costFact(estimate),
    ['Balance', balance === undefined ? capitalised(noFreshBalance(lastBalance)) : count(balance) + rest],
    budgetFact(budgets),
    ['Length', segmentsOf(list)],
    ['Countries', countriesOf(list)],
    ['Opted out', leftOut],
    ['Time', !short && capitalised(about(msToSend))],
    [
      'Skipped',
      skipped > 0 && `${count(skipped)} of ${plural(list.rows, 'row')}\n${wrongInClasses(list.wrong)}`,
    ],
  ];
}

function decision(
  { view, linked, short }: JobPreview,
  { isOver, asksApproval }: { isOver: boolean; asksApproval: boolean },
): Part[] {
  const { toSend } = view.details.list;
  const label = `Send ${plural(toSend, 'message')}${view.mayBeSent ? ' anyway' : ''}`;
  const send = button(ACTIONS.confirmBulk, label, bulkValue(view), view.mayBeSent ? undefined : 'primary');
  const confirmed = asksApproval
    ? askButton(bulkValue(view))
    : view.resends
      ? askFirst(send, {
          title: 'Resend?',
          text: `The outcome of ${plural(toSend, 'text')} is unknown. A recipient who has it gets it twice, and the account pays twice.`,
          no: 'Don’t send',
        })
      : send;
  const isBlocked = short || isOver;
  return [
    isOver && !short && askButton(bulkValue(view), 'budget'),
    isBlocked && button(ACTIONS.checkBulk, 'Check again', bulkValue(view)),
    short && topUpButton(linked.link),
    !isBlocked && toSend > 0 && confirmed,
    repeatsButton(view),
    // Nobody can edit a resend: it sends the same words.
    !view.resends && button(ACTIONS.editBulk, 'Edit', view.id),
    button(ACTIONS.cancelBulk, 'Cancel', view.id),
  ];
}
