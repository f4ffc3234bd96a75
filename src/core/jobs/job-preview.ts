import { viewOfLinked } from '../accounts/instance-view.ts';
import { crossesThreshold, type Linked } from '../accounts/links.ts';
import { balanceFor, shortBalance } from '../sends/draft-balance.ts';
import type { JobPreview } from './job-answers.ts';
import type { JobDraftDeps } from './job-drafts.ts';
import type { JobView } from './job-view.ts';
import { msToSend } from './read-job.ts';

/** Says of a draft what sending it now would mean, with a fresh balance. */
export type PreviewOf = (view: JobView, linked: Linked) => Promise<JobPreview>;

export function createPreviewOf({ credit, budgets, limits, bulk }: JobDraftDeps): PreviewOf {
  return async (view, linked) => {
    const { link, instance } = linked;
    const { estimate, list } = view.details;
    const known = await balanceFor(credit, instance, estimate);
    return {
      view,
      linked: viewOfLinked(linked),
      ...known,
      short: shortBalance(estimate, known.balance) !== undefined,
      crossesThreshold: crossesThreshold(link, known.balance, estimate.credits),
      budgets: await budgets.of(link, view.details.by),
      msToSend: msToSend(
        view.details.oneByOne ? list.toSend : Math.ceil(list.toSend / bulk.chunkSize),
        limits,
      ),
    };
  };
}

/** The draft of a list as it goes out: with what others sent already where `include` says so, else without. */
export function withRepeats(view: JobView, include: boolean): JobView {
  const { repeats } = view.details;
  if (!repeats?.whole || !include) return view;
  const { whole } = repeats;
  const details = { ...view.details, ...whole, repeats: { ...repeats, included: true } };
  return { ...view, details, counts: { ...view.counts, total: whole.list.toSend } };
}
