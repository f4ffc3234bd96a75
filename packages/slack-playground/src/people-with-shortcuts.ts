import type { DeliveryOptions } from './http-delivery.ts';
import type { Shortcut } from './manifest.ts';
import type { Parts } from './parts.ts';
import type { Reaction } from './reactions.ts';
import { type Forgery, idOf, needChannel, needSeen, needUser, type Ref } from './references.ts';
import type { Message, User } from './types.ts';

/**
 * How people use shortcuts. Throws for people of other workspaces, and if the manifest has no such shortcut, unless
 * `forged`.
 */
export function createPeopleWithShortcuts({
  workspace,
  triggers,
  urls,
  payloads,
  reactions,
  features,
}: Parts) {
  function needShortcut(user: User, type: Shortcut['type'], id: string): void {
    if (user.is_stranger) throw new Error(`${user.name} is from another workspace: no shortcuts.`);
    const has = features.shortcuts?.some((one) => one.type === type && one.callback_id === id) ?? true;
    if (!has) throw new Error(`The app has no ${type} shortcut ${id}.`);
  }

  return {
    /** Starts a global shortcut. `channel` is the one that the person looks at; the app does not learn it. */
    async shortcut(
      given: { user: Ref; callback_id: string; channel?: Ref } & Forgery,
      how: DeliveryOptions = {},
    ): Promise<Reaction> {
      const user = needUser(workspace, given.user);
      const { callback_id } = given;
      if (!given.forged) needShortcut(user, 'global', callback_id);
      const trigger_id = triggers.issue(user.id, given.channel && idOf(given.channel));
      const fields = { callback_id, trigger_id, action_ts: workspace.nextTs() };
      return reactions.send(payloads.interaction('shortcut', user, fields), how);
    },

    /** Starts a shortcut on a message. Also throws if the person does not see the message, unless `forged`. */
    async messageShortcut(
      given: { user: Ref; message: Message; callback_id: string } & Forgery,
      how: DeliveryOptions = {},
    ): Promise<Reaction> {
      const user = needUser(workspace, given.user);
      const { message, callback_id } = given;
      if (!given.forged) needShortcut(user, 'message', callback_id);
      if (!given.forged) needSeen(workspace, user, message);
      const channel = needChannel(workspace, message.channel);
      const envelope = payloads.interaction('message_action', user, {
        message_ts: message.ts,
        ...payloads.ofMessage(channel, message),
        callback_id,
        trigger_id: triggers.issue(user.id, channel.id),
        action_ts: workspace.nextTs(),
        response_url: urls.issue({ user: user.id, channel: channel.id }),
      });
      return reactions.send(envelope, how);
    },
  };
}
