import type { JobView, PauseReason } from '../../core/jobs/job-details.ts';
import { isOver, textsOf } from './job-figures.ts';
import { count, credits, mention, plural } from './words.ts';

/** Who pressed Send. */
export function senderOf({ decidedBy, details }: JobView): string {
  return mention(decidedBy ?? details.by);
}

/** What the job is doing, whose it is, and of a paused one why and how it goes on. */
export function jobHeadline(view: JobView): string {
  const whose = `${textsOf(view)} for ${senderOf(view)}`;
  switch (view.state) {
    case 'paused':
      return `*Paused* · ${whose}\n${view.pause ? reasonOf(view.pause, view) : waiting(view)}`;
    case 'finished':
      return `*Finished* · ${whose}`;
    case 'stopped':
      return isOver(view)
        ? `*Stopped* · ${whose}`
        : `*Stopped* · ${whose}\n${plural(view.counts.left, 'text')} on the way when it was stopped: the answer follows here.`;
    default:
      return `*Sending* · ${whose}`;
  }
}

function reasonOf(pause: PauseReason, view: JobView): string {
  switch (pause.why) {
    case 'person':
      return `${mention(pause.by)} pressed Pause. ${waiting(view)} *Resume* goes on.`;
    case 'key_refused':
      return `The service refuses the instance’s API key. ${waiting(view)} An admin replaces the key in \`/sms settings\`, then press *Resume*.`;
    case 'credits':
      return `The credits have run out${shortBy(pause)}. ${waiting(view)} Top up the account, then press *Resume*.`;
    case 'refused':
      return `The service refuses these texts, with words of its own. ${waiting(view)} Once what they say is mended, press *Resume*; or *Stop*.`;
    case 'all_invalid':
      return `The service refused the first texts of this job, all of them, as invalid. ${waiting(view)} Please look at the numbers and the text: *Stop* it and correct the list, or *Resume* to go on with the rest.`;
    case 'unknown_answers':
      return `Two requests in a row left without a clear answer: the service may be in trouble. ${waiting(view)} If it works again, press *Resume*.`;
  }
}

/** What a pause means for texts and credits. */
function waiting({ counts }: JobView): string {
  const rest = counts.left - counts.inFlight;
  if (rest <= 0) return 'What was on the way gets its answer.';
  return `${rest === 1 ? 'The text that is left waits' : `The ${count(rest)} texts that are left wait`}, nothing is lost and no credits are used meanwhile.`;
}

function shortBy({
  required,
  available,
}: {
  required?: number | undefined;
  available?: number | undefined;
}): string {
  if (required === undefined || available === undefined) return '';
  return `: the next request needs ${credits(required)}, and ${count(available)} ${available === 1 ? 'is' : 'are'} left`;
}
