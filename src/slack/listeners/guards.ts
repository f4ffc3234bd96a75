import type { LinkedView } from '../../core/accounts/instance-view.ts';
import { mayAdminister } from '../../core/accounts/permissions.ts';
import type { CommandHandler, Handler, SlackRequest } from '../requests/slack-request.ts';
import { type AdminTask, channelsOnly, takesNoArgument } from '../ui/access-refusals.ts';

/** Guards around a handler. Each answers by itself if the handler must not run. */

/** For admins. Others read that only admins may do this. */
export function forAdmins<Request extends SlackRequest>(
  task: AdminTask,
  handler: Handler<Request>,
): Handler<Request> {
  return async (deps, request) => {
    if (mayAdminister(request.person)) return handler(deps, request);
    await request.answer(await deps.rights.adminsOnly(task));
  };
}

/** A command without words after it: they might be an API key. */
export function wordAlone(handler: CommandHandler): CommandHandler {
  return async (deps, request) =>
    request.rest === '' ? handler(deps, request) : request.answer(takesNoArgument(request.word));
}

/** A command about the channel that somebody types it in. */
export function inChannel(handler: CommandHandler): CommandHandler {
  return async (deps, request) =>
    request.inDirectMessage ? request.answer(channelsOnly(request.word)) : handler(deps, request);
}

/** A request about a channel's link. */
export type LinkRequest = SlackRequest & { linked: LinkedView };

/** Calls `work` with the link of the button's channel, or of the person's. If that channel is not linked, answers so. */
export function ofLink(work: Handler<LinkRequest>): Handler<SlackRequest & { value?: string }> {
  return async (deps, request) => {
    const channel = request.value || request.channel;
    const linked = await deps.core.links.find(channel);
    if (!linked)
      return request.answer(await deps.rights.notLinkedFor(request.person, channel, request.channel));
    await work(deps, { ...request, channel, linked });
  };
}
