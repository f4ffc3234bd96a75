import { viewOfLinked } from '../accounts/instance-view.ts';
import type { Linked } from '../accounts/links.ts';
import { segmentsOf } from '../lists/list.ts';
import { balanceFor, shortBalance } from '../sends/draft-balance.ts';
import type { JobDraftDeps } from './job-drafts.ts';
import type { JobView } from './job-view.ts';
import { msToSend } from './read-job.ts';

export type JobPreview = Awaited<ReturnType<typeof previewOf>>;

/** What it would mean to send a draft now, by a fresh balance. */
export async function previewOf(
  { credit, budgets, limits, bulk }: JobDraftDeps,
  view: JobView,
  linked: Linked,
) {
  const { link, instance } = linked;
  const { estimate, list } = view.details;
  const known = await balanceFor(credit, instance, estimate);
  return {
    view,
    linked: viewOfLinked(linked),
    ...known,
    /** Credits are short: nothing can be sent before they are topped up. */
    short: shortBalance(estimate, known.balance) !== undefined,
    /** What is left of the channel's month, and of this person's day. */
    budgets: await budgets.of(link, view.details.by),
    /** About how long it takes under the rate limit. */
    msToSend: msToSend(view.details.oneByOne ? list.toSend : Math.ceil(list.toSend / bulk.chunkSize), limits),
  };
}

/** How many segments each text of a list has. */
export function segmentsOfJob({ details }: JobView): number[] {
  return segmentsOf(details.list);
}

/** The draft of a list with the texts that repeat other sends, as it is sent after **Include them**. */
export function withRepeats(view: JobView): JobView {
  const { repeats } = view.details;
  if (!repeats?.whole) return view;
  const { whole } = repeats;
  const details = { ...view.details, ...whole, repeats: { ...repeats, included: true } };
  return { ...view, details, counts: { ...view.counts, total: whole.list.toSend } };
}
