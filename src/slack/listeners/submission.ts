import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import type { View } from '@slack/types';
import { mayAdminister, type Person } from '../../core/accounts/permissions.ts';
import { apology, refuseIf } from '../answers/apology.ts';
import { isViewGone } from '../connection/slack-error.ts';
import { type FieldErrors, readMetadata } from '../forms/form-data.ts';
import { replaceView } from '../forms/open-modal.ts';
import { openHome } from '../home/publish-home.ts';
import { afterAcks } from '../requests/slack-request.ts';
import type { AdminTask } from '../ui/access-refusals.ts';
import type { Message } from '../ui/blocks.ts';
import { escaped } from '../ui/safe-text.ts';
import { ANSWERED_ELSEWHERE, lateAnswer, loadingView, noticeView } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

export type FormHandler = (deps: SlackDeps, form: Submission) => Promise<void>;
export type Submission = ReturnType<typeof readSubmission>;

/** Reads a submitted form. Its handler acks: see `answeredWith`. */
export function readSubmission({ ack, body, view }: SlackViewMiddlewareArgs<ViewSubmitAction>) {
  return {
    ack,
    body,
    view,
    values: view.state.values,
    metadata: readMetadata(view.private_metadata),
    /** Acks with errors at the form's fields. Slack takes them within 3 s only. */
    showErrors: (errors: FieldErrors) => ack({ response_action: 'errors', errors }),
  };
}

/**
 * The result of a submitted form: errors at its fields; or words (mrkdwn) or another view in its place. If that view has
 * fields, it asks for more, and nothing was saved. `closes`: the form closes, since the person reads the result elsewhere;
 * if the work took too long, the form says so. `elsewhere`: a message in place of the errors or the view,
 * if the form can't show them. `afterwards`: what to do once the errors are shown at their fields.
 */
export type FormResult =
  | { notice: string }
  | { closes: true }
  | { errors: FieldErrors; elsewhere?: Message | undefined; afterwards?(): Promise<void> }
  | { view: View; elsewhere?: Message | undefined };

/** Slack gives 3 s; a check that takes longer than this goes on behind a view that says so. */
const ANSWER_WITHIN_MS = 2000;
/** The waiting view changes at most once in this time, in ms. */
const PROGRESS_EVERY_MS = 1000;

/** Does what a form asks for. Calls `onRows` with how many rows of a list it has read. */
type Work = (deps: SlackDeps, form: Submission, onRows: (rows: number) => void) => Promise<FormResult>;

/** The views of a form besides its own. */
interface Forms {
  /** Shown while the work goes on; `rows` were read. */
  waiting?(rows: number, form: Submission): View;
  /** The form once more, with a notice; undefined if it makes no sense any more. */
  again?(deps: SlackDeps, form: Submission, notice: string): Promise<View | undefined>;
}

/**
 * Answers a form in time. If `work` takes longer than 2 s, the form shows `waiting` until the result replaces it.
 * By then Slack takes no errors at fields any more. So `again` makes the form again, with the errors in a notice.
 * If the form was opened from a Home, the Home shows at once what changed.
 */
export function answeredWith(forms: Forms, work: Work): FormHandler {
  return async (deps, form) => {
    const { ack, body, view, metadata, showErrors } = form;
    let rows = 0;
    const onRows = (read: number) => {
      rows = read;
    };
    const result = afterAcks()
      .then(() => work(deps, form, onRows))
      .catch((error: unknown): FormResult => ({ notice: apology(deps, error).text }));
    const soon = await Promise.race([result, setTimeout(ANSWER_WITHIN_MS)]);
    if (!soon) {
      const waiting = () => forms.waiting?.(rows, form) ?? loadingView(view.title.text);
      await ack({ response_action: 'update', view: waiting() });
      const hash = await showProgress(deps, view.id, result, waiting);
      await showLate(deps, form, { late: await result, hash }, forms);
    } else if ('errors' in soon) {
      await showErrors(soon.errors);
      await soon.afterwards?.();
    } else if ('closes' in soon) await ack();
    else await ack({ response_action: 'update', view: await viewOf(deps, form, soon, forms) });

    if (!('notice' in (await result)) || metadata.to.channel !== '') return;
    await openHome(deps, body.user.id).catch((error: unknown) => {
      deps.log.warn({ err: error }, 'a Home could not be refreshed; the next look tries again');
    });
  };
}

/** The same, for a form without such views. */
export function answered(work: Work): FormHandler {
  return answeredWith({}, work);
}

/** Shows how far the work is, until its result is there. Returns the hash of the waiting view, if Slack named it. */
async function showProgress(
  { web }: SlackDeps,
  viewId: string,
  result: Promise<FormResult>,
  waiting: () => View,
): Promise<string | undefined> {
  let shown: View | undefined;
  let hash: string | undefined;
  for (;;) {
    const isOver = (await Promise.race([result, setTimeout(PROGRESS_EVERY_MS)])) !== undefined;
    const view = waiting();
    // Even if the work is over: without a hash, a repeated answer could cover a newer form.
    const mustShow = isOver ? hash === undefined : !isDeepStrictEqual(view, shown);
    if (mustShow) {
      shown = view;
      // If the view is closed, or Slack is slow, the work goes on.
      const updated = await web.views.update({ view_id: viewId, view }).catch(() => undefined);
      hash = updated?.view?.hash;
    }
    if (isOver) return hash;
  }
}

/** Puts a late result in the waiting view's place. If the form was closed, or Slack fails, a direct message tells it. */
async function showLate(
  deps: SlackDeps,
  form: Submission,
  { late, hash }: { late: FormResult; hash: string | undefined },
  forms: Forms,
): Promise<void> {
  const { body, view } = form;
  try {
    await replaceView(deps, { id: view.id, hash }, await viewOf(deps, form, late, forms));
  } catch (error) {
    const isClosed = isViewGone(error);
    if (!isClosed) deps.log.warn({ err: error }, 'what came of a form could not be shown in it');
    if ('closes' in late) return;
    const shown = 'errors' in late ? inWords(late.errors) : await viewOf(deps, form, late, forms);
    const better = 'elsewhere' in late ? late.elsewhere : undefined;
    const title = view.title.text;
    await deps.replies.direct(body.user.id, better ?? lateAnswer({ title, isClosed }, shown));
  }
}

async function viewOf(
  deps: SlackDeps,
  form: Submission,
  result: FormResult,
  { again }: Forms,
): Promise<View> {
  if ('view' in result) return result.view;
  const title = form.view.title.text;
  if ('errors' in result) {
    const words = inWords(result.errors);
    return (await again?.(deps, form, words)) ?? noticeView(title, escaped(words));
  }
  return noticeView(title, 'notice' in result ? result.notice : ANSWERED_ELSEWHERE);
}

/** Errors at fields as one text; several fields may have the same error. */
function inWords(errors: FieldErrors): string {
  return [...new Set(Object.values(errors))].join(' ');
}

/** Who submitted a form. @throws AccessError */
export function submitterOf({ access }: SlackDeps, { body: { user } }: Submission): Promise<Person> {
  return access.person(user.id, user.team_id);
}

/** Who submitted a form for admins, as of now. `task`: the command that does the same. @throws RefusedError for others */
export async function adminOf(deps: SlackDeps, form: Submission, task: AdminTask = 'settings') {
  const person = await deps.access.again(await submitterOf(deps, form));
  refuseIf(!mayAdminister(person) && (await deps.rights.adminsOnly(task)));
  return person;
}
