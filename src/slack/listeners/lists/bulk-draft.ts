import type { JobView } from '../../../core/jobs/job-view.ts';
import { isOpenDraft } from '../../../core/sends/send-view.ts';
import { openBulkForm, type Prefilled } from '../../forms/open-sending-form.ts';
import { staleDraft } from '../../ui/draft-refusals.ts';
import { draftOf, mayReopen } from '../../ui/expired-draft.ts';
import { bulkDraftMessage } from '../../ui/lists/bulk-draft.ts';
import { bulkSending } from '../../ui/lists/draft-answers.ts';
import { readBulkValue } from '../../ui/lists/list-repeats.ts';
import { LIST_BUTTON } from '../../ui/prefill.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';
import { answerNotSent, answerTooLate, answerWithdrawn, sayWaiting, whoPresses } from '../press-send.ts';
import { ownDraft } from '../texts/text-draft.ts';

const GONE = staleDraft(LIST_BUTTON);

/** **Send 4,213 messages**: the one decision. The card comes from the outbox, whatever happens to this process. */
export const confirmBulk: ClickHandler = async (deps, click) => {
  const { value, to, request, isFirst, replace } = click;
  const { jobs } = deps.core;
  const { id, include, evenIfSent } = readBulkValue(value);
  const view = await jobs.view(id);
  const person = await whoPresses(deps, click, view, GONE);
  if (!view || !person) return;
  const how = { request, include, evenIfSent, onWait: () => sayWaiting(deps, click) };
  const decided = await jobs.confirm(id, person, to, how);
  deps.log.info({ send: id, result: decided.kind }, 'somebody pressed Send');
  if (decided.kind === 'running') return replace(bulkSending(decided.view, deps.core.now()));
  if (decided.kind === 'repeated' || !(await isFirst())) return;
  switch (decided.kind) {
    case 'may_be_sent': {
      const preview = await jobs.preview(id, include);
      return replace(preview ? bulkDraftMessage({ preview }) : GONE);
    }
    case 'credits_short': {
      // The credits went elsewhere since the preview: show it again, with **Check again**.
      const preview = await jobs.preview(id, include);
      if (preview?.short) return replace(bulkDraftMessage({ preview }));
    }
  }
  await answerNotSent(deps, { ...click, person }, decided, { draft: view, gone: GONE, value });
};

/** **Edit**: the form, prefilled; the draft stays valid until a new preview takes its place. */
export const editBulk: ClickHandler = async (deps, click) => {
  const view = await ownDraft(click, await deps.core.jobs.view(click.value), GONE);
  if (!view) return;
  if (!isOpenDraft(view)) return answerTooLate(click, view);
  await openBulkForm(deps, { ...click, channel: view.channel, replaces: view.id }, () => prefillOf(view));
};

/** **Open the form** at an expired draft, **Edit** at an undone list: the form, prefilled, for a new draft. */
export const reopenBulk: ClickHandler = async (deps, click) => {
  const view = await ownDraft(click, await deps.core.jobs.view(click.value), GONE);
  if (!view) return;
  if (!mayReopen(view) || view.resends || !draftOf(view).hasWords) return answerTooLate(click, view);
  await openBulkForm(deps, { ...click, channel: view.channel }, () => prefillOf(view));
};

function prefillOf({ details }: JobView): Prefilled {
  const { template, ...list } = details.given;
  return { message: template, ...list };
}

/** **Cancel**: nothing more will be sent. */
export const cancelBulk: ClickHandler = async ({ core: { jobs } }, click) => {
  const view = await ownDraft(click, await jobs.view(click.value), GONE);
  if (view) await answerWithdrawn(click, await jobs.withdraw(view.id, click.person), GONE);
};

/** **Check again**, **Leave them out**: the preview with the balance as it is now. */
export const checkBulk: ClickHandler = (deps, click) => showAgain(deps, click, readBulkValue(click.value));

/** **Include them**: the same, with the people who got these words already. */
export const includeRepeats: ClickHandler = (deps, click) =>
  showAgain(deps, click, { id: click.value, include: true });

async function showAgain(
  { core }: SlackDeps,
  click: Click,
  { id, include }: { id: string; include: boolean },
) {
  const preview = await core.jobs.preview(id, include);
  const view = await ownDraft(click, preview?.view, GONE);
  if (!preview || !view) return;
  const isOpen = view.state === 'draft' && view.expiresAt > core.now();
  await (isOpen ? click.replace(bulkDraftMessage({ preview })) : answerTooLate(click, view));
}
