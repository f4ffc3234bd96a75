import type { LinkedView } from '../../../core/accounts/instance-view.ts';
import { mayAdminister } from '../../../core/accounts/permissions.ts';
import type { CommandHandler, Handler, SlackRequest } from '../../requests/slack-request.ts';
import { channelsOnly, takesNoArgument } from '../../ui/access-refusals.ts';

/** A request about a channel's link. */
export type LinkRequest = SlackRequest & { linked: LinkedView };

/** Calls `work` with the link of the button's channel, or of the person's. If that channel is not linked, answers so. */
export function ofLink(work: Handler<LinkRequest>): Handler<SlackRequest & { value?: string }> {
  return async (deps, request) => {
    const channel = request.value || request.channel;
    const linked = await deps.core.links.find(channel);
    if (!linked) return request.answer(await deps.rights.notLinkedFor(request.person, channel));
    await work(deps, { ...request, channel, linked });
  };
}

/** Lets only admins use a command, in a channel. Refuses any argument: it might be an API key. */
export function forChannel(handler: CommandHandler): CommandHandler {
  return async (deps, request) => {
    const { word, rest, person, inDirectMessage, answer } = request;
    if (rest !== '') return answer(takesNoArgument(word));
    if (!mayAdminister(person)) return answer(await deps.rights.adminsOnly(word));
    if (inDirectMessage) return answer(channelsOnly(word));
    await handler(deps, request);
  };
}
