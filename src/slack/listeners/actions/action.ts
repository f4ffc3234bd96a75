import type { BlockButtonAction, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { Person } from '../../../core/accounts/permissions.ts';
import type { ReplyTo } from '../../answers/replies.ts';
import { isFirstTime } from '../../requests/first-time.ts';
import type { Message } from '../../ui/blocks.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import { inWorkspace } from '../in-workspace.ts';

/** A click, read. The person is looked up again: what they may do is decided now, not when the button was shown. */
export interface Click {
  person: Person;
  channel: string;
  /** The button's value. */
  value: string;
  triggerId: string;
  to: ReplyTo;
  /** Answers beside the message that was clicked. */
  answer(message: Message): Promise<void>;
  /** Puts the answer in the clicked message's place. */
  replace(message: Message): Promise<void>;
}

/** What a click does. */
export type ClickHandler = (deps: SlackDeps, click: Click) => Promise<void>;

/** Acks a click, drops repeats of it, and hands it to its handler. */
export function onClick(workspaces: Workspaces, handler: ClickHandler) {
  return async ({ ack, body, action }: SlackActionMiddlewareArgs<BlockButtonAction>): Promise<void> => {
    await ack();
    const channel = body.channel?.id ?? '';
    const to: ReplyTo = {
      user: body.user.id,
      channel,
      issuedAt: Date.now(),
      ...(body.response_url ? { responseUrl: body.response_url } : {}),
    };
    await inWorkspace(workspaces, { body, to }, async (deps) => {
      if (!(await isFirstTime(deps, `click:${body.trigger_id}`))) return;
      deps.log.info({ click: action.action_id }, 'a button was pressed');
      await handler(deps, {
        person: await deps.access.person(body.user.id, body.user.team_id),
        channel,
        value: action.value ?? '',
        triggerId: body.trigger_id,
        to,
        answer: (message) => deps.replies.toPerson(to, message),
        replace: (message) => deps.replies.toPerson(to, message, { replace: true }),
      });
    });
  };
}
