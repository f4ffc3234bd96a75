import { setImmediate } from 'node:timers/promises';
import type { View } from '@slack/types';
import type { Person } from '../../core/accounts/permissions.ts';
import type { ReplyTo } from '../answers/replies.ts';
import type { Message, ShownMessage } from '../ui/blocks.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/** A command, click or shortcut. `person`: as Slack said at most five minutes ago. */
export interface SlackRequest {
  person: Person;
  /** Empty if Slack names none. */
  channel: string;
  /** Whether the channel is direct messages, which nobody can link. */
  inDirectMessage: boolean;
  to: ReplyTo;
  /** Names this request, also if Slack delivers it again. */
  request: string;
  /** Whether Slack delivers it for the first time. Ask once, before you act on it. */
  isFirst(): Promise<boolean>;
  /** Answers the person, visible to them only. */
  answer(message: Message | ShownMessage): Promise<void>;
  /** Puts the answer in the clicked message's place. */
  replace(message: Message | ShownMessage): Promise<void>;
  /** Opens a modal: see `openModal`. */
  open(title: string, make: MakeView): Promise<void>;
}

/** Makes a view, or words (mrkdwn) that are shown in its place. */
export type MakeView = () => View | string | Promise<View | string>;

const MOST_REMEMBERED = 10_000;

export type Handler<Request extends SlackRequest> = (deps: SlackDeps, request: Request) => Promise<void>;

/** Runs the handler once, however often Slack delivers the request. */
export function once<Request extends SlackRequest>(handler: Handler<Request>): Handler<Request> {
  return async (deps, request) => {
    if (await request.isFirst()) await handler(deps, request);
  };
}

/** Whether a request of Slack's comes for the first time, without the store: in this process, of the last 10,000. */
export function createFirstHere(): (request: string) => boolean {
  const seen = new Set<string>();
  return (request) => {
    if (seen.has(request)) return false;
    seen.add(request);
    const [oldest] = seen;
    if (seen.size > MOST_REMEMBERED && oldest !== undefined) seen.delete(oldest);
    return true;
  };
}

/** Lets the bot acknowledge other requests first: the store's writes would hold them up. */
export function afterAcks(): Promise<void> {
  return setImmediate();
}

export interface CommandRequest extends SlackRequest {
  /** The first word as typed, and the words after it with their spaces and line breaks. */
  word: string;
  rest: string;
}

export type CommandHandler = Handler<CommandRequest>;
