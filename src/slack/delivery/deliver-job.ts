import { z } from 'zod';
import { requestCardOf } from '../../core/approvals/approvals.ts';
import type { OutboxRow } from '../../core/core.ts';
import { type JobView, pauseToTell, wasConfirmed } from '../../core/jobs/job-view.ts';
import type { Delivery } from '../../core/post-or-retry.ts';
import { TOPICS } from '../../core/topics.ts';
import { slackErrorOf } from '../connection/slack-error.ts';
import { UploadError } from '../files/upload-file.ts';
import type { Message } from '../ui/blocks.ts';
import { isBeforeStart } from '../ui/limits/undo.ts';
import { jobCard, pauseNews } from '../ui/lists/job-card.ts';
import { isOver, withOutcomes } from '../ui/lists/job-figures.ts';
import { UPLOAD_FAILED, UPLOAD_REFUSALS } from '../ui/lists/list-problems.ts';
import { resultsComment, resultsName } from '../ui/lists/words-in-files.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { deliverExpired, hopelessWordOf, Posted, postCard, toPerson } from './posting.ts';

/** What became of the results file. The card's row keeps this, so that the bot uploads the same outcomes once. */
const Results = z.object({
  /** The outcomes in the file. */
  of: z.string(),
  updated: z.boolean(),
  failed: z.string().optional(),
});
type Results = z.infer<typeof Results>;

const JobPosted = z.object({
  card: Posted.optional(),
  results: Results.optional(),
  /** The pause that people were told of. */
  pause: z.string().optional(),
});

/** How long to try to deliver the results before the card ends without them, in ms. */
const UPLOAD_FOR_MS = 600_000;
/** How long to wait for a list that Slack does not hand out again, before its results go without its columns, in ms. */
const COLUMNS_FOR_MS = 60_000;
/** How long after its time a list may begin before its card says that it still waits, in ms. */
const BEGINS_WITHIN_MS = 1000;

/** Posts a job's card, and the file of its outcomes once it is over. Says of an expired draft that it expired. */
export async function deliverJob(deps: SlackDeps, row: OutboxRow): Promise<Delivery> {
  const { core, log } = deps;
  const view = await core.jobs.view(row.subject);
  if (view?.state === 'expired') return deliverExpired(deps, row, view);
  const isTold = view && (wasConfirmed(view) || view.undoneBy !== undefined);
  if (!view || !isTold) return { kind: 'dropped', why: 'the job is gone or was never confirmed' };
  const before = JobPosted.safeParse(row.posted).data ?? {};
  const results = isOver(view) ? await deliverResults(deps, view, before.results, row.since) : before.results;
  const pause = pauseToTell(view);
  // Slack notifies nobody of a card that changes: whoever sent the list, and its approvers, get messages of their own.
  if (pause !== before.pause) {
    const { id, team, approval } = view;
    await core.announce({ id: `${row.id}:pause`, topic: TOPICS.pause, subject: id, details: { team } });
    if (approval) await core.announce(requestCardOf(view, approval));
  }
  const kept = JobPosted.parse({ ...before, results, pause });
  const now = core.now();
  const message = jobCard(view, { now, ...(results && { results }) });
  const againAt = againAtOf(view, now);
  const again = againAt === undefined ? {} : { againMs: againAt - now };
  try {
    const card = await postToChannelOrSender(deps, view, before.card, message);
    return { kind: 'posted', posted: { ...kept, card }, ...again };
  } catch (error) {
    if (results === before.results) throw error;
    // The file has arrived: note that now, and make the card due once more.
    log.warn({ send: view.id, err: error }, 'a job’s results were delivered, its card not yet');
    await core.announce({ id: row.id, topic: row.topic, subject: row.subject, details: row.details });
    return { kind: 'posted', posted: kept };
  }
}

/** When the card says something else though nothing has happened, in ms since 1970. */
function againAtOf(view: JobView, now: number): number | undefined {
  // If something keeps the list from beginning, its card must stop saying when it begins.
  if (isBeforeStart(view, now)) return view.startsAt + BEGINS_WITHIN_MS;
  const { resendableAt = 0 } = view;
  return resendableAt > now ? resendableAt : undefined;
}

/** Delivers the results file, unless it has these outcomes already. `since`: when the card became due. */
async function deliverResults(
  deps: SlackDeps,
  view: JobView,
  before: Results | undefined,
  since: number,
): Promise<Results> {
  const { core, access, files, log } = deps;
  const of = outcomesOf(view);
  if (before?.of === of) return before;
  const updated = before !== undefined && before.failed === undefined;
  try {
    const results = await core.jobs.results(view.id);
    if (!results) throw new Error(`the results of the job ${view.id} are gone`);
    const { by, given } = view.details;
    // Loaded only if it is wanted.
    const { ownColumns, resultsCsv } = await import('../files/results-file.ts');
    const found = await ownColumns(deps, view, results);
    if (found === 'later' && core.now() - since < COLUMNS_FOR_MS)
      throw new UploadError('Slack did not hand out a list again, so its results wait for it');
    const list = found === 'later' ? undefined : found;
    await files.toPerson(by, {
      name: resultsName(view),
      bytes: await resultsCsv(results, await access.timeZone(by), list),
      comment: resultsComment(view, { updated, columns: given.file && list !== undefined }),
    });
    return { of, updated };
  } catch (error) {
    const why = UPLOAD_REFUSALS[slackErrorOf(error) ?? ''] ?? (hopelessWordOf(error) && UPLOAD_FAILED);
    if (why === undefined && core.now() - since < UPLOAD_FOR_MS) throw error;
    log.error({ err: error, send: view.id }, 'the results of a job could not be delivered');
    return { of, updated: false, failed: why ?? UPLOAD_FAILED };
  }
}

/** Posts the card to the channel. If that can't be done any more, the person who asked for the job gets it. */
async function postToChannelOrSender(
  { web, replies }: SlackDeps,
  view: JobView,
  before: Posted | undefined,
  message: Message,
): Promise<Posted> {
  try {
    return await postCard(web, before, view.channel, withOutcomes(message, view));
  } catch (error) {
    if (hopelessWordOf(error) === undefined) throw error;
    return replies.direct(view.details.by, message);
  }
}

/** Sends the list's sender a new message for each pause. Later that message says that the list went on. */
export async function deliverPause(deps: SlackDeps, row: OutboxRow): Promise<Delivery> {
  const view = await deps.core.jobs.view(row.subject);
  const paused = view && pauseToTell(view);
  if (!view || (!row.posted && paused === undefined))
    return { kind: 'dropped', why: 'the list is not paused' };
  return toPerson(deps, row, view.details.by, { message: pauseNews(view), pause: paused });
}

/** The outcomes in short. If they have changed, the person gets a new file. */
function outcomesOf({ counts, creditsUsed }: JobView): string {
  const { sent, rejected, notSent, optedOut, repeated, unknown, cancelled, otherStatuses } = counts;
  const figures = [sent, rejected, notSent, optedOut, repeated, unknown, cancelled, creditsUsed];
  return JSON.stringify([...figures, Object.entries(otherStatuses)]);
}
