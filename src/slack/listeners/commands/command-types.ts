import type { NamedRequest } from '../../requests/slack-request.ts';
import type { Message, ShownMessage } from '../../ui/blocks.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';

/** A slash command, read. */
export interface CommandRequest extends NamedRequest {
  inDirectMessage: boolean;
  /** The first word as typed, and the words after it with their spaces and line breaks. */
  word: string;
  rest: string;
  /** Answers the person, visible to them only. */
  reply(message: Message | ShownMessage): Promise<void>;
}

export type CommandHandler = (deps: SlackDeps, request: CommandRequest) => Promise<void>;
