import type { Handler, SlackRequest } from '../requests/slack-request.ts';

/** A slash command, read. */
export interface CommandRequest extends SlackRequest {
  inDirectMessage: boolean;
  /** The first word as typed, and the words after it with their spaces and line breaks. */
  word: string;
  rest: string;
}

export type CommandHandler = Handler<CommandRequest>;
