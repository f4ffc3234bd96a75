import { hasBudget } from '../../../core/accounts/channel-limits.ts';
import type { LinkedView } from '../../../core/accounts/instance-view.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import type { Figure } from '../../../core/accounts/read-balance.ts';
import { slackErrorOf } from '../../connection/slack-error.ts';
import type { CommandHandler } from '../../requests/slack-request.ts';
import { CANNOT_POST_HERE, MAY_NOT_POST_HERE } from '../../ui/access-refusals.ts';
import type { Message } from '../../ui/blocks.ts';
import { balanceMessage, balanceUnavailable } from '../../ui/reports/balance.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { ClickHandler } from '../click.ts';

/**
 * Says the channel's balance; or why the bot can't read it, with the last known figure. The person gets the answer before
 * the ledger records it, so a failure to record only goes to the log. If `mayAsk` returns false, makes no request. `show`
 * says the balance itself, such as to a channel that must not read a refusal.
 */
export async function showBalance(
  deps: SlackDeps,
  asked: { person: Person; channel: string; sharedBy?: string; mayAsk?: () => Promise<boolean> },
  say: (message: Message) => Promise<void>,
  show = say,
): Promise<void> {
  const usable = await deps.rights.usableLink(asked.person, asked.channel, 'balance');
  if ('refusal' in usable) return say(usable.refusal);
  const { instance } = usable.linked;
  const { credit } = deps.core;
  const justRead = await credit.justRead(instance);
  if (justRead) return show(await messageOf(deps, usable.linked, justRead, asked));
  if (asked.mayAsk && !(await asked.mayAsk())) return;
  const { said, recorded } = await credit.ask(instance);
  const followed = recorded.catch((error: unknown) => {
    deps.log.error({ err: error, instance: instance.id }, 'a balance was shown but could not be recorded');
  });
  try {
    if (said.kind === 'ok') await show(await messageOf(deps, usable.linked, said, asked));
    else await say(balanceUnavailable(said, { instance: instance.id, known: await credit.known(instance) }));
  } finally {
    await followed;
  }
}

async function messageOf(
  { core }: SlackDeps,
  linked: LinkedView,
  figure: Figure,
  { person, sharedBy }: { person: Person; sharedBy?: string },
): Promise<Message> {
  const { link, instance } = linked;
  const budgets = hasBudget(link) ? await core.links.budgets(link, person.id) : undefined;
  const runway = await core.runway(instance, figure.credits);
  return balanceMessage(figure, linked, { runway, budgets, sharedBy });
}

/** `/sms balance`: what the service says now. Asking costs a permit, so record the command first. */
export const balanceCommand: CommandHandler = async (deps, { person, channel, isFirst, answer }) => {
  await showBalance(deps, { person, channel, mayAsk: isFirst }, answer);
};

export const clickBalance: ClickHandler = async (deps, { person, channel, answer }) => {
  await showBalance(deps, { person, channel }, answer);
};

/** **Share in channel**: read again, since the figure may be old by now. If there is no figure, only the person reads why. */
export const shareBalance: ClickHandler = async (deps, { person, channel, answer }) => {
  await showBalance(deps, { person, channel, sharedBy: person.id }, answer, async (message) => {
    try {
      await deps.web.chat.postMessage({ channel, ...message });
    } catch (error) {
      const word = slackErrorOf(error) ?? '';
      if (word.startsWith('restricted_action')) return answer(MAY_NOT_POST_HERE);
      if (word !== 'not_in_channel' && word !== 'channel_not_found') throw error;
      await answer(CANNOT_POST_HERE);
    }
  });
};
