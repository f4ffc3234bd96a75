import type { RejectedRecipient } from '../../../core/jobs/job-results.ts';
import type { JobView } from '../../../core/jobs/job-view.ts';
import { expandEmoji } from '../../../core/texts/emoji.ts';
import { numberInCell } from '../../../core/texts/phone-format.ts';
import { handOverFile } from '../../files/upload-file.ts';
import { openBulkForm } from '../../forms/open-sending-form.ts';
import { notYours, unknownRefused } from '../../ui/draft-refusals.ts';
import { bulkDraftMessage } from '../../ui/lists/bulk-draft.ts';
import * as sentences from '../../ui/lists/job-sentences.ts';
import { readUnknownValue } from '../../ui/lists/job-unknown.ts';
import { REJECTED_COLUMNS, rejectedComment } from '../../ui/lists/words-in-files.ts';
import { INPUT_MAX } from '../../ui/modal.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { ClickHandler } from '../click.ts';

/** **Resend the unknown…**: drafts all unknown texts again, with a warning that people may get them twice. */
export const resendUnknown: ClickHandler = async (deps, { person, value, to, answer }) => {
  const job = await deps.core.jobs.view(value);
  const refusal = job && (await deps.rights.membershipRefusal(person, job.channel));
  if (refusal) return answer(refusal);
  const drafted = await deps.core.jobs.draftResend(value, person, to);
  switch (drafted.kind) {
    case 'draft':
      deps.log.info({ send: drafted.preview.view.id, resends: value }, 'a draft was made');
      return answer(bulkDraftMessage({ preview: drafted.preview }));
    case 'too_early':
      return answer(unknownRefused('too_early', drafted.at));
    case 'resent_already':
    case 'said_sent':
    case 'not_unknown':
    case 'forgotten':
    case 'none_unknown':
      return answer(unknownRefused(drafted.kind));
    default:
      return answer(await deps.rights.refusalMessage(person, drafted, job));
  }
};

/** **They arrived**, after Slack's confirm dialog: marks all unknown texts as sent. The card then updates: no answer. */
export const theyArrived = decideUnknown('saySent');

/** **Leave them**, after the same dialog: the unknown texts stay as they are. The card then updates: no answer. */
export const leaveThem = decideUnknown('leaveUnknown');

function decideUnknown(decision: 'saySent' | 'leaveUnknown'): ClickHandler {
  return async (deps, { person, value, answer }) => {
    const { id, seen } = readUnknownValue(value);
    const job = await deps.core.jobs.view(id);
    const refusal = job && (await deps.rights.membershipRefusal(person, job.channel));
    if (refusal) return answer(refusal);
    const decided = await deps.core.jobs[decision](id, person, seen);
    if (job)
      deps.log.info({ send: job.id, decision, result: decided.kind }, 'somebody decided about unknown texts');
    switch (decided.kind) {
      case 'decided':
        return;
      case 'too_late':
        return answer(unknownRefused(decided.why));
      default:
        return answer(await deps.rights.refusalMessage(person, decided, job));
    }
  };
}

/** **Try the rejected again**: opens the list form with the rejected recipients. Only the sender may see the numbers. */
export const tryRejected: ClickHandler = async (deps, click) => {
  const { person, value, answer } = click;
  const job = await deps.core.jobs.view(value);
  if (!job) return answer(sentences.JOB_GONE);
  if (job.details.by !== person.id) return answer(notYours(job.details.by, 'do'));
  const rejected = await deps.core.jobs.rejected(value);
  if (!rejected || rejected.length === 0)
    return answer(job.counts.rejected > 0 ? sentences.REJECTED_DELETED : sentences.NONE_REJECTED);
  await openBulkForm(deps, { ...click, channel: job.channel }, () => prefillWith(deps, job, rejected));
};

/**
 * Puts the rejected recipients into the form if they fit, and if the form keeps their words: it reads `:smile:` as an emoji,
 * and a list ends its rows at a carriage return. Otherwise sends them as a file in a direct message.
 */
async function prefillWith(deps: SlackDeps, job: JobView, rejected: RejectedRecipient[]) {
  // Loads the library only when somebody needs it.
  const { stringify } = await import('csv-stringify/sync');
  const rows = rejected.map(({ e164, text }) => [e164, text]);
  const lines = stringify([['phone', 'message'], ...rows]).trimEnd();
  const { text: read, custom } = expandEmoji(lines);
  const isKept = read === lines && custom.length === 0 && !lines.includes('\r');
  if (isKept && lines.length <= INPUT_MAX)
    return { recipients: lines, notice: sentences.rejectedNotice(rejected.length, 'prefilled') };
  const file = rejected.map(({ e164, text, reason }) => [numberInCell(e164), text, reason]);
  const { toCsv } = await import('../../../core/lists/csv-format.ts');
  const bytes = toCsv(REJECTED_COLUMNS, file);
  const comment = rejectedComment(job);
  const at = await handOverFile(deps, job.details.by, { name: 'rejected.csv', bytes, comment });
  return { notice: sentences.rejectedNotice(rejected.length, at) };
}

/** **Show the service's words**: they may quote a number, so the channel does not see them. */
export const showWords: ClickHandler = async ({ core }, { person, value, answer }) => {
  const view = await core.jobs.view(value);
  if (!view) return answer(sentences.JOB_GONE);
  if (view.details.by !== person.id) return answer(notYours(view.details.by, 'do'));
  const { pause } = view;
  const words = pause && 'message' in pause ? pause.message : undefined;
  return answer(words === undefined ? sentences.NO_SERVICE_WORDS : sentences.serviceWords(view, words));
};
