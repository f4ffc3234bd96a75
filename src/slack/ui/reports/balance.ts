import type { LinkedView } from '../../../core/accounts/instance-view.ts';
import { troubleIn } from '../../../core/accounts/key-trouble.ts';
import type { Figure, NoBalance } from '../../../core/accounts/read-balance.ts';
import type { Runway } from '../../../core/accounts/runway.ts';
import type { BudgetsLeft } from '../../../core/budgets/budgets.ts';
import type { LastBalance } from '../../../core/sends/send-details.ts';
import { button, context, type Message, message } from '../blocks.ts';
import { isLow, replaceKeyButton, topUpButton } from '../draft-refusals.ts';
import { ACTIONS } from '../ids.ts';
import { KEY_TROUBLE, REPLACE_KEY_HERE } from '../key-trouble.ts';
import { budgetLines } from '../limits/budget-words.ts';
import { quoted } from '../safe-text.ts';
import { count, credits, mention, plural, present, runwayWords, when } from '../words.ts';

/** A channel's balance, as read just now. `sharedBy`: who posts it for the whole channel. */
export function balanceMessage(
  { credits: left, userName, readAt }: Omit<Figure, 'kind'>,
  { link, instance }: LinkedView,
  more: {
    runway?: Runway | undefined;
    budgets?: BudgetsLeft | undefined;
    sharedBy?: string | undefined;
  } = {},
): Message {
  const { runway, budgets, sharedBy } = more;
  const { threshold } = link;
  const whose =
    userName === instance.name
      ? quoted(userName)
      : `account ${quoted(userName)}, instance ${quoted(instance.name)}`;
  const below = left < threshold ? ', and the balance is below it' : '';
  // The channel does not see what a person has left.
  const shown = budgets && (sharedBy === undefined ? budgets : { month: budgets.month });
  const notes = present(
    ...(shown ? budgetLines(shown) : []),
    threshold === 0 ? 'Low-credit threshold: off' : `Low-credit threshold: ${count(threshold)}${below}`,
    runway && runwayWords(runway),
    `read ${when(readAt)}`,
    sharedBy !== undefined && `shared by ${mention(sharedBy)}`,
  );
  return message(
    `*${credits(left)}* · ${whose}`,
    context(notes.join(' · ')),
    isLow(left, link) && topUpButton(link),
    sharedBy === undefined && button(ACTIONS.shareBalance, 'Share in channel'),
  );
}

/** Why there is no balance, and the last known figure. If nobody can use the instance's key, an admin can replace it here. */
export function balanceUnavailable(
  why: NoBalance,
  { instance, known }: { instance: string; known?: LastBalance | undefined },
): Message {
  const last = known
    ? `Last known: *${credits(known.credits)}*, ${when(known.at)}.`
    : 'No earlier balance is known.';
  return message(`${reason(why)}\n${last}`, troubleIn(why) !== undefined && replaceKeyButton(instance));
}

function reason(why: NoBalance): string {
  switch (why.kind) {
    case 'unavailable':
      return '⚠️ *The balance cannot be read right now.*\nThe service did not answer as it should. Please try again in a moment.';
    case 'busy':
      return `⚠️ *The balance cannot be read right now.*\nThe service limits requests per minute. Please try again in ${plural(Math.max(1, why.seconds), 'second')}.`;
    case 'key_refused':
    case 'other_account':
      return `⛔ *The balance cannot be read: ${KEY_TROUBLE[why.kind]('this instance’s API key')}.*\n${REPLACE_KEY_HERE}`;
  }
}
