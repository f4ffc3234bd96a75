import type { JobView } from '../../../core/jobs/job-view.ts';
import { isOpenDraft } from '../../../core/sends/send-view.ts';
import { type ListPrefill, openBulkForm } from '../../forms/open-sending-form.ts';
import { membershipRefusal } from '../../people/usable-link.ts';
import { checksFirst, creditsShort, notYours, staleDraft } from '../../ui/draft-refusals.ts';
import { draftOf, mayReopen } from '../../ui/expired-draft.ts';
import { bulkDraftMessage, sendListButton } from '../../ui/lists/bulk-draft.ts';
import { bulkSending, bulkWithdrawn } from '../../ui/lists/draft-answers.ts';
import { jobResendRefused } from '../../ui/lists/job-sentences.ts';
import { readBulkValue } from '../../ui/lists/list-repeats.ts';
import { LIST_BUTTON } from '../../ui/prefill.ts';
import { tooLateMessage } from '../../ui/texts/outcome-lines.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';
import { answerNotSent, decideInPlace } from '../decide-in-place.ts';

export const writeBulk: ClickHandler = (deps, click) => openBulkForm(deps, click);

/** **Send 4,213 messages**: the one decision. The card comes from the outbox, whatever happens to this process. */
export const confirmBulk: ClickHandler = async (deps, click) => {
  const { value, to, request, isFirst, answer, replace } = click;
  const { jobs } = deps.core;
  const { id, include } = readBulkValue(value);
  const draft = await jobs.view(id);
  const [person, away] = await Promise.all([
    deps.access.again(click.person),
    draft && membershipRefusal(deps, click.person, draft.channel),
  ]);
  if (away) return (await isFirst()) ? answer(away) : undefined;
  if (!draft) return (await isFirst()) ? replace(staleDraft(LIST_BUTTON)) : undefined;
  const { decided: confirmed, putBack } = await decideInPlace(deps, click, {
    decide: (onWait) => jobs.confirm(id, person, to, { request, include, onWait }),
    line: checksFirst(draft, sendListButton(draft, value)),
    draft: async () => {
      const preview = await jobs.preview(id, include);
      return preview ? bulkDraftMessage({ preview }) : staleDraft(LIST_BUTTON);
    },
  });
  deps.log.info({ send: draft.id, decision: confirmed.kind }, 'Send was pressed');
  if (confirmed.kind === 'running') return replace(bulkSending(confirmed.view, deps.core.now()));
  if (confirmed.kind === 'repeated' || !(await isFirst())) return;
  switch (confirmed.kind) {
    case 'missing':
      return replace(staleDraft(LIST_BUTTON));
    case 'credits_short': {
      // The credits went elsewhere since the preview: it comes again, with **Check again**.
      const preview = await jobs.preview(id, include);
      if (preview?.short) return replace(bulkDraftMessage({ preview }));
      await putBack();
      return answer(creditsShort(confirmed));
    }
    case 'too_late':
      return replace(tooLateMessage(confirmed.view));
    case 'resend_refused':
      await putBack();
      return answer(jobResendRefused(confirmed.why));
    default:
      return answerNotSent(deps, click, confirmed, { value, putBack });
  }
};

/** **Edit**: the form, prefilled; the draft stays valid until a new preview takes its place. */
export const editBulk: ClickHandler = async (deps, click) => {
  const view = await ownDraft(deps, click);
  if (!view) return;
  if (!isOpenDraft(view)) return click.replace(tooLateMessage(view));
  await openBulkForm(deps, { ...click, channel: view.channel, replaces: view.id }, prefillOf(view));
};

/**
 * **Open the form** at an expired draft, **Edit** at an undone list: opens the form with its template and list, for a
 * new draft.
 */
export const reopenBulk: ClickHandler = async (deps, click) => {
  const view = await ownDraft(deps, click);
  if (!view) return;
  if (!mayReopen(view) || view.resends || !draftOf(view).hasWords) return click.answer(tooLateMessage(view));
  await openBulkForm(deps, { ...click, channel: view.channel }, prefillOf(view));
};

/** The person's own draft; undefined if the answer has said why not. */
async function ownDraft({ core }: SlackDeps, click: Click): Promise<JobView | undefined> {
  const { person, value, answer, replace } = click;
  const view = await core.jobs.view(value);
  if (view?.details.by === person.id) return view;
  await (view ? answer(notYours(view.details.by)) : replace(staleDraft(LIST_BUTTON)));
  return undefined;
}

function prefillOf({ details }: JobView): ListPrefill {
  const { template, ...list } = details.given;
  return { message: template, ...list };
}

/** **Cancel**: nothing was sent and nothing will be. */
export const cancelBulk: ClickHandler = async ({ core }, { person, value, replace }) => {
  const withdrawn = await core.jobs.withdraw(value, person, 'cancelled');
  if (withdrawn.kind === 'withdrawn') return replace(bulkWithdrawn(withdrawn.view));
  return replace(withdrawn.kind === 'missing' ? staleDraft(LIST_BUTTON) : tooLateMessage(withdrawn.view));
};

/** **Check again**, **Leave them out**: the preview with the balance as it is now. */
export const checkBulk: ClickHandler = (deps, click) => showAgain(deps, click, readBulkValue(click.value));

/** **Include them**: the same, with those who got these words already. */
export const includeRepeats: ClickHandler = (deps, click) =>
  showAgain(deps, click, { id: click.value, include: true });

async function showAgain(
  { core }: SlackDeps,
  { person, answer, replace }: Click,
  { id, include }: { id: string; include: boolean },
): Promise<void> {
  const preview = await core.jobs.preview(id, include);
  if (!preview) return replace(staleDraft(LIST_BUTTON));
  const { view } = preview;
  if (view.details.by !== person.id) return answer(notYours(view.details.by));
  const stands = view.state === 'draft' && view.expiresAt > core.now();
  return replace(stands ? bulkDraftMessage({ preview }) : tooLateMessage(view));
}
