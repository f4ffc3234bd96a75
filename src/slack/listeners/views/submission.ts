import { setTimeout } from 'node:timers/promises';
import type { Middleware, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import type { View } from '@slack/types';
import { mayAdminister, type Person } from '../../../core/accounts/permissions.ts';
import { apologyView } from '../../answers/apology.ts';
import { isViewGone } from '../../connection/slack-error.ts';
import type { FieldErrors } from '../../forms/view-values.ts';
import { adminsOnly } from '../../ui/access-refusals.ts';
import { closedForm, loadingView, noticeView } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';

/**
 * What a submitted form leads to: errors at its fields, another view in its place, or its end. A `view` with fields asks
 * for more, and nothing was saved. `closes`: the result was told elsewhere, and the form closes. If that took too long,
 * this view takes its place.
 */
export type FormResult = { errors: FieldErrors } | { view: View } | { closes: View };

/** Middleware for a submitted form. */
export type ViewHandler = Middleware<SlackViewMiddlewareArgs<ViewSubmitAction>>;

/** Slack gives 3 s; a check that takes longer than this goes on behind a view that says so. */
const ANSWER_WITHIN_MS = 2000;

/**
 * Answers a submission in time. If `work` takes longer than 2 s, the form shows `waiting` until the result replaces it.
 * Slack takes errors at fields only in time: after that, `again` makes the form again, with the errors in a notice.
 */
export async function answerInTime(
  deps: SlackDeps,
  { ack, body, view }: Parameters<ViewHandler>[0],
  work: (person: Person) => Promise<FormResult>,
  forms: {
    title: string;
    waiting?: View;
    again?(notice: string): Promise<View>;
    /** Begins to show how far the work is, in `waiting`'s place; what it returns ends that. */
    follow?(viewId: string): () => Promise<void>;
    /** Tells the result if the person closed the view meanwhile. Without it, a direct message does. */
    whenClosed?(late: FormResult): Promise<void>;
  },
): Promise<void> {
  const result = deps.access
    .person(body.user.id, body.user.team_id)
    .then(work)
    .catch((error: unknown): FormResult => ({ view: apologyView(deps, error, forms.title) }));
  const soon = await Promise.race([result, setTimeout(ANSWER_WITHIN_MS)]);
  if (soon) {
    if ('closes' in soon) return ack();
    return 'errors' in soon
      ? ack({ response_action: 'errors', errors: soon.errors })
      : ack({ response_action: 'update', view: soon.view });
  }
  await ack({ response_action: 'update', view: forms.waiting ?? loadingView(forms.title) });
  const unfollow = forms.follow?.(view.id);
  const late = await result;
  await unfollow?.();
  try {
    await deps.web.views.update({ view_id: view.id, view: await viewOf(late, forms) });
  } catch (error) {
    if (!isViewGone(error)) throw error;
    const tell = forms.whenClosed ?? ((missed) => tellDirectly(deps, body.user.id, forms.title, missed));
    await tell(late);
  }
}

/** Tells a person what came of a form that they closed. */
async function tellDirectly({ replies }: SlackDeps, user: string, title: string, late: FormResult) {
  if ('closes' in late) return;
  await replies.direct(user, closedForm(title, 'errors' in late ? inWords(late.errors) : late.view));
}

async function viewOf(
  late: FormResult,
  {
    title,
    again = async (notice) => noticeView(title, notice),
  }: { title: string; again?(notice: string): Promise<View> },
): Promise<View> {
  if ('errors' in late) return again(inWords(late.errors));
  return 'closes' in late ? late.closes : late.view;
}

/** Errors at fields as one text; several fields may have the same error. */
export function inWords(errors: FieldErrors): string {
  return [...new Set(Object.values(errors))].join(' ');
}

/** As `answerInTime`, for a form that only admins may submit; others read that, and nothing is changed. */
export async function answerAdmin(
  deps: SlackDeps,
  args: Parameters<ViewHandler>[0],
  work: (person: Person) => Promise<FormResult>,
  {
    word = 'settings',
    ...forms
  }: Parameters<typeof answerInTime>[3] & { word?: 'link' | 'settings' | 'limits' | 'statement' },
): Promise<void> {
  const asAdmin = async (person: Person) =>
    mayAdminister(person) ? work(person) : { view: noticeView(forms.title, adminsOnly(word).text) };
  await answerInTime(deps, args, asAdmin, forms);
}
