import type { BlockAction, BlockElementAction } from '@slack/bolt';
import type { View } from '@slack/types';
import { mayAdminister, type Person } from '../../core/accounts/permissions.ts';
import { apologise } from '../answers/apology.ts';
import { isViewChanged, isViewGone } from '../connection/slack-error.ts';
import { type FormMetadata, readMetadata } from '../forms/form-data.ts';
import { showView } from '../forms/show-view.ts';
import type { Handler, SlackRequest } from '../requests/slack-request.ts';
import { noticeView, TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { depsAt, type Workspaces } from '../workspaces/workspaces.ts';
import { inWorkspace } from './in-workspace.ts';

/** A click in a message, as read from its payload. Its answer appears beside that message. */
export interface Click extends SlackRequest {
  /** The value of the button, or of what was chosen in a menu. */
  value: string;
  block: string;
}

export type ClickHandler = Handler<Click>;

/** Hands a click in a message to its handler. */
export async function onClick(
  workspaces: Workspaces,
  { body, action }: { body: BlockAction; action: BlockElementAction },
  handler: ClickHandler,
): Promise<void> {
  const chosen = 'selected_option' in action ? action.selected_option : action;
  const value = (chosen && 'value' in chosen && chosen.value) || '';
  const arrival = { kind: 'click', name: action.action_id } as const;
  await inWorkspace(workspaces, arrival, body, (deps, request) =>
    handler(deps, { ...request, value, block: action.block_id }),
  );
}

interface ViewClick {
  person: Person;
  view: NonNullable<BlockAction['view']>;
  metadata: FormMetadata;
  /** Puts a view on top of the clicked one. */
  push(view: View): Promise<unknown>;
}

export type ViewClickHandler = (deps: SlackDeps, click: ViewClick) => Promise<void>;

/**
 * Hands an admin's click inside a view to its handler; for others nothing changes. An error appears on top of the view,
 * so nothing typed in it is lost. If the person has closed the view, or submitted it, nothing appears.
 */
export async function inView(
  workspaces: Workspaces,
  body: BlockAction,
  handler: ViewClickHandler,
): Promise<void> {
  // Without the workspace no view can be opened: such an error is only logged.
  const deps = await depsAt(workspaces, body);
  const { user, view, trigger_id } = body;
  const push = (added: View) => showView(added, (each) => deps.web.views.push({ trigger_id, view: each }));
  try {
    const person = await deps.access.person(user.id, user.team_id);
    if (!mayAdminister(person) || !view) return;
    await handler(deps, { person, push, view, metadata: readMetadata(view.private_metadata) });
  } catch (error) {
    if (isViewGone(error)) return deps.log.info('a form was closed before its click was carried out');
    if (isViewChanged(error)) return deps.log.info('a form changed before its click was carried out');
    await apologise(deps, error, ({ text }) => push(noticeView(TITLES.sorry, text)));
  }
}
