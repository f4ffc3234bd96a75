import type { Person } from '../../../core/accounts/permissions.ts';
import type { ReplyTo } from '../../answers/replies.ts';
import type { Message } from '../../ui/blocks.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';

/** A slash command, read. */
export interface CommandRequest {
  person: Person;
  channel: string;
  inDirectMessage: boolean;
  /** The first word as typed, and the words after it with their spaces and line breaks. */
  word: string;
  rest: string;
  triggerId: string;
  to: ReplyTo;
  /** Names this command, also where Slack delivers it again. */
  request: string;
  /** Whether Slack delivers the command for the first time. To be asked once, before anything comes of it. */
  isFirst(): Promise<boolean>;
  /** Answers the person, visible to them only; with `plainer` where Slack does not take the message's blocks. */
  reply(message: Message, plainer?: Message): Promise<void>;
}

/** What a command does. */
export type CommandHandler = (deps: SlackDeps, request: CommandRequest) => Promise<void>;

/** A command that Slack delivers again is the same command, not a second wish. */
export function once(handler: CommandHandler): CommandHandler {
  return async (deps, request) => {
    if (await request.isFirst()) await handler(deps, request);
  };
}
