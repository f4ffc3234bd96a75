import type { GlobalShortcut, MessageShortcut } from '@slack/bolt';
import type { Person } from '../../../core/accounts/permissions.ts';
import type { ReplyTo } from '../../answers/replies.ts';
import { type FromMessage, readMessageOf } from '../../requests/from-message.ts';
import type { SlackRequest } from '../../requests/slack-request.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';

export interface ShortcutRequest extends SlackRequest {
  /** What a shortcut on a message is about; no words and no files for a global one. */
  on: FromMessage;
}

export type ShortcutHandler = (deps: SlackDeps, request: ShortcutRequest) => Promise<void>;

/** How to reach the person. */
export function replyToOf(shortcut: GlobalShortcut | MessageShortcut): ReplyTo {
  const user = shortcut.user.id;
  if (shortcut.type === 'shortcut') return { user, channel: '', issuedAt: Date.now() };
  const { channel, response_url: responseUrl } = shortcut;
  return { user, channel: channel.id, issuedAt: Date.now(), ...(responseUrl ? { responseUrl } : {}) };
}

/** Reads a shortcut once its person is known. */
export function requestOf(
  shortcut: GlobalShortcut | MessageShortcut,
  { person, to }: { person: Person; to: ReplyTo },
): ShortcutRequest {
  const on = readMessageOf(shortcut.type === 'message_action' ? shortcut.message : {});
  return { person, channel: to.channel, triggerId: shortcut.trigger_id, to, on };
}
