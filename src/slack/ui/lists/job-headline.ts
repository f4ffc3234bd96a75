import { troubleFrom } from '../../../core/accounts/key-trouble.ts';
import type { JobView } from '../../../core/jobs/job-view.ts';
import type { PauseReason } from '../../../core/jobs/pause-reason.ts';
import { KEY_TROUBLE } from '../key-trouble.ts';
import { dearerThanApproved } from '../limits/approve-rest.ts';
import { senderOf } from '../outcome-words.ts';
import { named, quoted } from '../safe-text.ts';
import { about, capitalised, count, credits, inLines, mention, plural, when } from '../words.ts';
import { isOver, progress } from './job-figures.ts';

const RESTORED =
  '⚠️ After a restore or a failover, Switchboard’s database may lack texts that were sent.\n*Resume* may text people again.';

/** Names the list: `summer.csv`, `a pasted list of 40`; `a list of 40` once nobody can tell. */
export function listOf({ details: { given }, counts: { total }, resends }: JobView): string {
  if (resends) return `a resend of ${count(total)}`;
  return given.file ? named(given.file.name) : `${namelessList(given)} of ${count(total)}`;
}

/** A list without a file, or whose file was forgotten. */
export function namelessList({ isForgotten = false }: { isForgotten?: boolean | undefined }): string {
  return isForgotten ? 'a list' : 'a pasted list';
}

/** A job that is running or paused, in one line. */
export function jobLine(view: JobView): string {
  const state = view.state === 'paused' ? '⏸ *Paused* ·' : '📤 *Sending*';
  return `${state} ${listOf(view)} · ${progress(view)} · ${count(view.counts.left)} left · by ${senderOf(view)}`;
}

/** The job's state and its list. If the job is paused: why, and what to do. */
export function jobHeadline(view: JobView): string {
  const list = listOf(view);
  switch (view.state) {
    case 'paused':
      return inLines(
        `⏸ *Paused* · ${list} · ${progress(view)}`,
        view.details.restored && view.pause?.why !== 'restored' && RESTORED,
        missingOf(view),
        view.pause ? reasonOf(view.pause, view) : waiting(view),
      );
    case 'finished':
      return `✅ *Finished* · ${list}`;
    case 'stopped':
      return inLines(
        `⏹ *Stopped* · ${list}`,
        !isOver(view) && `The answer to ${plural(view.counts.left, 'text')} on the way follows here.`,
      );
    case 'running':
    // No card is posted in the other states.
    case 'draft':
    case 'awaiting_approval':
    case 'cancelled':
    case 'superseded':
    case 'declined':
    case 'expired':
      return inLines(`📤 *Sending* ${list} · ${progress(view)}`, missingOf(view));
  }
}

function reasonOf(pause: PauseReason, view: JobView): string {
  switch (pause.why) {
    case 'person':
      return `${mention(pause.by)} pressed Pause. ${waiting(view)} Press *Resume* to go on.`;
    case 'key_refused':
      return `${capitalised(KEY_TROUBLE[troubleFrom(pause)]('the instance’s API key'))}. ${waiting(view)}\nOnce an admin has replaced it, press *Resume*.`;
    case 'credits':
      return `Not enough credits${shortBy(pause)}.\n${waiting(view)} Top up the account, then press *Resume*.`;
    case 'refused':
      return `The service refuses these texts. ${waiting(view)}\n*Show the service’s words* says why. Fix the cause, then press *Resume*. Or press *Stop*.`;
    case 'all_invalid':
      return `The service refused all the first texts of this job as invalid. ${waiting(view)}\nPlease look at the numbers and the text.\n*Stop* it and correct the list, or *Resume* to go on with the rest.`;
    case 'unknown_answers':
      return `Two requests in a row got no clear answer: the service may be in trouble.\n${waiting(view)} Once it works again, press *Resume*.`;
    case 'list_refused': {
      const reasons = {
        validation: ': it says that some are not valid',
        credits: ` for lack of credits${shortBy(pause)}`,
        other: '',
      };
      return `The service refused ${plural(pause.messages, 'text')} in one request${reasons[pause.reason]}.\nIt may have sent some of them, so they are *unknown*.`;
    }
    case 'away':
      return `This job has stood still ${pause.since === undefined ? 'for a while' : `since ${when(pause.since)}`}: Switchboard was off or out of reach.\n${waiting(view)} Press *Resume* to go on.`;
    case 'other_account':
      return `The instance’s key was replaced: the credits of another account, ${quoted(pause.now)}, would pay from here on.\n${waiting(view)} *Resume* lets that account pay for the rest.`;
    case 'books': {
      const lost =
        view.details.missing === undefined
          ? 'Switchboard has no sound record of the balance, so it can’t tell whether its data are an old copy.\n'
          : '';
      return `${lost}${waiting(view)} Look at what was sent before you press *Resume* or *Stop*.`;
    }
    case 'over_budget': {
      const [rule, whose] =
        pause.period === 'month'
          ? ['monthly budget', `<#${view.channel}>’s monthly budget`]
          : ['daily limit', `${senderOf(view)}’s daily limit`];
      return `The texts cost more than estimated, so the rest is over ${whose}. ${waiting(view)}\nOnce an admin has raised the ${rule} with \`/sms limits\`, press *Resume*. Or press *Stop*.`;
    }
    case 'above_approved':
      return `${dearerThanApproved(view)} ${waiting(view)}\nAn approver can let the rest go on with *Resume*. Or press *Stop*.`;
    case 'restored':
      return `${RESTORED}\n${waiting(view)}`;
  }
}

/** What a pause means for texts and credits. */
export function waiting({ counts }: JobView): string {
  const rest = counts.left - counts.inFlight;
  if (rest <= 0) return 'Texts on the way still get their answers.';
  return `${plural(rest, 'text')} ${rest === 1 ? 'waits' : 'wait'}.`;
}

/** The warning that the balance has fewer credits than the books. */
function missingOf({ details: { missing } }: JobView): string | undefined {
  if (missing === undefined) return undefined;
  const are = missing === 1 ? 'is' : 'are';
  return `⚠️ ${credits(missing)} ${are} missing: the balance is lower than Switchboard’s own records.\nSomebody used them elsewhere, or Switchboard runs on an old copy of its data. If the job goes on, people may get a text again.`;
}

/** After a refused list there are two ways to send the rest: a line for each button. Undefined if nothing is left. */
export function howToGoOn({ counts, msOneByOne, pause }: JobView): string | undefined {
  if (pause?.why !== 'list_refused' || counts.left <= counts.inFlight) return undefined;
  const takes = msOneByOne === undefined ? '' : `${about(msOneByOne)} · `;
  return (
    `*Continue one by one* · ${takes}each text gets its own answer\n` +
    '*Continue in bulk* · faster · if the service refuses again, more texts become unknown'
  );
}

function shortBy({ required, available, asOf }: Omit<PauseReason & { why: 'credits' }, 'why'>): string {
  if (required === undefined || available === undefined) return '';
  const needs = `: the next request needs ${count(required)}`;
  return asOf === undefined
    ? `${needs}, and the account has ${count(available)}`
    : `${needs}. The account had ${credits(available)} ${when(asOf)}; we can’t read the balance now`;
}
