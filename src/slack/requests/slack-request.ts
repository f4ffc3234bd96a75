import { setImmediate } from 'node:timers/promises';
import type { Person } from '../../core/accounts/permissions.ts';
import type { ReplyTo } from '../answers/replies.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/** What a person asked for in Slack: a command, a click, a shortcut. */
export interface SlackRequest {
  person: Person;
  /** Empty where Slack names none. */
  channel: string;
  triggerId: string;
  to: ReplyTo;
}

/** One that Slack may deliver again. */
export interface NamedRequest extends SlackRequest {
  /** Names this request, also if Slack delivers it again. */
  request: string;
  /** Whether Slack delivers it for the first time. To be asked once, before anything comes of it. */
  isFirst(): Promise<boolean>;
}

type Handler<Request> = (deps: SlackDeps, request: Request) => Promise<void>;

/** A request that Slack delivers again is the same request, not a second wish. */
export function once<Request extends NamedRequest>(handler: Handler<Request>): Handler<Request> {
  return async (deps, request) => {
    if (await request.isFirst()) await handler(deps, request);
  };
}

/** Lets requests that wait at the door be acknowledged first: the store's writes hold them up. */
export function afterAcks(): Promise<void> {
  return setImmediate();
}
