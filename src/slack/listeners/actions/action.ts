import type {
  BlockAction,
  BlockButtonAction,
  BlockStaticSelectAction,
  Middleware,
  SlackActionMiddlewareArgs,
} from '@slack/bolt';
import { mayAdminister, type Person } from '../../../core/accounts/permissions.ts';
import { apologyView } from '../../answers/apology.ts';
import type { ReplyTo } from '../../answers/replies.ts';
import { isViewGone } from '../../connection/slack-error.ts';
import { type FormMetadata, readMetadata } from '../../forms/form-metadata.ts';
import type { NamedRequest } from '../../requests/slack-request.ts';
import { adminsOnly } from '../../ui/access-refusals.ts';
import type { Message, ShownMessage } from '../../ui/blocks.ts';
import { TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { depsAt } from '../../workspaces/deps-at.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import { inWorkspace } from '../in-workspace.ts';

/** A click, read. The person is looked up again: what they may do is decided now, not when the button was shown. */
export interface Click extends NamedRequest {
  /** The value of the button, or of what was chosen in a menu. */
  value: string;
  block: string;
  /** Answers beside the message that was clicked. */
  answer(message: Message | ShownMessage): Promise<void>;
  /** Puts the answer in the clicked message's place. */
  replace(message: Message | ShownMessage): Promise<void>;
}

export type ClickHandler = (deps: SlackDeps, click: Click) => Promise<void>;

/** Acks a click and hands it to its handler. */
export function onClick(workspaces: Workspaces, handler: ClickHandler) {
  return async ({
    ack,
    body,
    action,
  }: SlackActionMiddlewareArgs<BlockButtonAction | BlockStaticSelectAction>): Promise<void> => {
    await ack();
    const channel = body.channel?.id ?? '';
    const to: ReplyTo = {
      user: body.user.id,
      channel,
      issuedAt: Date.now(),
      responseUrl: body.response_url || undefined,
    };
    const request = `click:${body.trigger_id}`;
    await inWorkspace(workspaces, { body, to }, async (deps) => {
      deps.log.info({ click: action.action_id }, 'a button was pressed');
      await handler(deps, {
        person: await deps.access.person(body.user.id, body.user.team_id),
        channel,
        value: ('selected_option' in action ? action.selected_option?.value : action.value) ?? '',
        block: action.block_id,
        triggerId: body.trigger_id,
        to,
        request,
        isFirst: () => deps.core.firstTime(request),
        answer: (message) => deps.replies.toPerson(to, message),
        replace: (message) => deps.replies.toPerson(to, message, { replace: true }),
      });
    });
  };
}

/** A click that only admins may make; others read that. `word`: the command that does the same. */
export function forAdmins(word: string, handler: ClickHandler): ClickHandler {
  return (deps, click) =>
    mayAdminister(click.person) ? handler(deps, click) : click.answer(adminsOnly(word));
}

/** A click inside a view, read. */
interface ViewClick {
  person: Person;
  triggerId: string;
  view: NonNullable<BlockAction['view']>;
  metadata: FormMetadata;
}

export type ViewClickHandler = (deps: SlackDeps, click: ViewClick) => Promise<void>;

/**
 * Acks a click inside a view and hands it over where an admin clicked; others see nothing change. An error is shown on
 * top of the view, so nothing typed in it is lost. Whoever closed the view meanwhile wants nothing more of it.
 */
export function inView(
  workspaces: Workspaces,
  handler: ViewClickHandler,
): Middleware<SlackActionMiddlewareArgs<BlockAction>> {
  return async ({ ack, body }) => {
    await ack();
    // Without the workspace no view can be opened: such an error is only logged.
    const deps = await depsAt(workspaces, body);
    try {
      const person = await deps.access.person(body.user.id, body.user.team_id);
      const { view, trigger_id: triggerId } = body;
      if (!mayAdminister(person) || !view) return;
      await handler(deps, { person, triggerId, view, metadata: readMetadata(view.private_metadata) });
    } catch (error) {
      if (isViewGone(error)) return deps.log.info('a form was closed before its click was carried out');
      const view = apologyView(deps, error, TITLES.sorry);
      await deps.web.views.push({ trigger_id: body.trigger_id, view }).catch((failed: unknown) => {
        deps.log.error({ err: failed }, 'an apology could not be delivered');
      });
    }
  };
}
