import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { askToUnlink } from '../../answers/ask-to-unlink.ts';
import { openLimitsForm, openLinkForm, openSettingsForm } from '../../forms/open-setup-forms.ts';
import { adminsOnly, channelsOnly, takesNoArgument } from '../../ui/access-refusals.ts';
import { ofLink } from '../actions/setup.ts';
import type { CommandHandler } from './command-types.ts';

/** `/sms link`: the form that ties this channel to an instance. */
export const linkCommand = forChannel(openLinkForm);

/** `/sms settings`: this channel's threshold and rules, and its instance's key. */
export const settingsCommand = forChannel(ofLink(openSettingsForm));

/** `/sms limits`: what this channel may spend, and who has to agree. */
export const limitsCommand = forChannel(ofLink(openLimitsForm));

/** `/sms unlink`: asks first; the button decides. */
export const unlinkCommand = forChannel(
  ofLink(async (deps, { linked, answer }) => answer(await askToUnlink(deps, linked))),
);

/** A command of admins, about the channel where it is typed. It takes no words: one might be a key. */
function forChannel(handler: CommandHandler): CommandHandler {
  return async (deps, request) => {
    const { word, rest, person, inDirectMessage, answer } = request;
    if (rest !== '') return answer(takesNoArgument(word));
    if (!mayAdminister(person)) return answer(adminsOnly(word));
    if (inDirectMessage) return answer(channelsOnly(word));
    await handler(deps, request);
  };
}
