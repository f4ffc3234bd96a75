import type { LinkedView } from '../../../core/accounts/instance-view.ts';
import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { askToUnlink } from '../../answers/ask-to-unlink.ts';
import { openLimitsForm, openLinkForm, openSettingsForm } from '../../forms/open-setup-forms.ts';
import { notLinkedFor } from '../../people/usable-link.ts';
import { adminsOnly, channelsOnly, takesNoArgument } from '../../ui/access-refusals.ts';
import type { Message } from '../../ui/blocks.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { CommandHandler, CommandRequest } from './command-types.ts';

/** `/sms link`: the form that ties this channel to an instance. Takes no words: one might be a key. */
export const linkCommand: CommandHandler = async (deps, request) => {
  const refusal = adminRefusal(request);
  if (refusal) return request.reply(refusal);
  await openLinkForm(deps, request);
};

/** `/sms settings`: this channel's threshold and rules, and its instance's key. */
export const settingsCommand: CommandHandler = async (deps, request) => {
  const linked = await linkedForAdmin(deps, request);
  if (linked) await openSettingsForm(deps, { ...request, linked });
};

/** `/sms limits`: what this channel may spend, and who has to agree. */
export const limitsCommand: CommandHandler = async (deps, request) => {
  const linked = await linkedForAdmin(deps, request);
  if (linked) await openLimitsForm(deps, { ...request, linked });
};

/** `/sms unlink`: asks first; the button decides. */
export const unlinkCommand: CommandHandler = async (deps, request) => {
  const linked = await linkedForAdmin(deps, request);
  if (linked) await request.reply(await askToUnlink(deps, linked));
};

/** The channel's link, for a command of admins. Where it can't be used, answers why and returns undefined. */
async function linkedForAdmin(deps: SlackDeps, request: CommandRequest): Promise<LinkedView | undefined> {
  const refusal = adminRefusal(request);
  const linked = refusal ? undefined : await deps.core.links.find(request.channel);
  if (!linked) await request.reply(refusal ?? (await notLinkedFor(deps, request.person, request.channel)));
  return linked;
}

/** Why a command of admins is refused: words after it (one might be a key), not an admin, no channel. */
function adminRefusal({ word, rest, person, inDirectMessage }: CommandRequest): Message | undefined {
  if (rest !== '') return takesNoArgument(word);
  if (!mayAdminister(person)) return adminsOnly(word);
  return inDirectMessage ? channelsOnly(word) : undefined;
}
