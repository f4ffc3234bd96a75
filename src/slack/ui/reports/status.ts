import type { InstanceView, LinkedView } from '../../../core/accounts/instance-view.ts';
import { type KeyTrouble, keyTroubleOf } from '../../../core/accounts/key-trouble.ts';
import type { UnknownFacts } from '../../../core/homes/unknown-facts.ts';
import type { JobView } from '../../../core/jobs/job-view.ts';
import type { LastBalance } from '../../../core/sends/send-details.ts';
import type { SendView } from '../../../core/sends/send-view.ts';
import { maskNumber } from '../../../core/texts/phone-format.ts';
import { button, type Fact, figures, joined, type Message, message } from '../blocks.ts';
import { isLow, replaceKeyButton, topUpButton } from '../draft-refusals.ts';
import { ACTIONS } from '../ids.ts';
import { KEY_TROUBLE, REPLACE_KEY_HERE } from '../key-trouble.ts';
import { jobLine } from '../lists/job-headline.ts';
import { likelyOf, senderOf } from '../outcome-words.ts';
import { escaped, quoted } from '../safe-text.ts';
import { type RefusalFacts, refusalRuleLine } from '../setup/refusal-rule.ts';
import { itArrivedButton, leaveItButton } from '../texts/unknown-receipt.ts';
import { capitalised, count, credits, inLines, mention, mentions, plural, present, when } from '../words.ts';

const MOST_JOBS = 5;

interface StatusFacts extends LinkedView {
  /** Who asked: only the sender of an unknown text can resend it. */
  askedBy: string;
  balance: LastBalance | undefined;
  /** Whether the service gave no usable answer just now, when we asked for the balance. */
  isServiceSilent: boolean;
  /** Texts of this channel that need a decision. */
  unknown: UnknownFacts;
  /** The channel's running and paused jobs. */
  jobs: readonly JobView[];
  /** How many texts the repeat guard held back in this channel within the last 7 days. */
  heldBack: number;
  /** The rules for a text from here, a line each. */
  rules: string;
  /** For admins: the rule for refused lists, and the last check. */
  refusals: RefusalFacts | undefined;
}

/** The status of a channel; what needs a person comes first. Numbers are masked: somebody else may have sent the texts. */
export function statusMessage(status: StatusFacts): Message {
  const { link, instance, balance, unknown, jobs } = status;
  const { threshold, people, leaving } = link;
  const trouble = keyTroubleOf(instance);
  const who = {
    everyone: 'everyone in this channel',
    admins: 'only admins',
    chosen: people.length === 0 ? 'chosen people (nobody yet) and admins' : `${mentions(people)} and admins`,
  };
  const facts: Fact[] = [
    ['Instance', quoted(instance.name)],
    ['Account', instance.userName !== instance.name && quoted(instance.userName)],
    ['API key', `${escaped(instance.keyHint)} · ${keyState(instance)}`],
    ['Balance', balance ? `${credits(balance.credits)}\nread ${when(balance.at)}` : 'not known yet'],
    ['Low-credit threshold', threshold === 0 ? 'off' : credits(threshold)],
    ['Who can send', who[link.whoCanSend]],
    ['Guests and other workspaces', link.guests ? 'can send too' : 'can’t send'],
    ['Linked', `by ${mention(link.linkedBy)}, ${when(link.linkedAt)}`],
    ['Jobs', jobs.length === 0 && 'none'],
    ['Unknown', unknown.singles + unknown.inJobs === 0 && 'none'],
  ];
  return joined(
    trouble &&
      message(
        `⛔ *${capitalised(KEY_TROUBLE[trouble]('the API key'))}.* ${REPLACE_KEY_HERE}`,
        replaceKeyButton(instance.id),
      ),
    status.isServiceSilent && '⚠️ *The service did not answer as it should.* Texts may not go out for now.',
    balance &&
      isLow(balance.credits, link) &&
      message(
        balance.credits <= 0
          ? '⛔ *No credits left.* Please top up the account.'
          : `⚠️ *Credits are running low:* ${credits(balance.credits)} left. Please top up the account.`,
        topUpButton(link),
      ),
    ...unknownOf(unknown, status.askedBy),
    jobLines(jobs.filter(({ state }) => state === 'paused')),
    figures(facts),
    jobLines(jobs.filter(({ state }) => state !== 'paused')),
    leaving && `*Unlinking:* ${mention(leaving.by)} asked to unlink this channel once its jobs are done.`,
    status.rules,
    status.heldBack > 0 && `*Repeats held back:* ${plural(status.heldBack, 'text')} in the last 7 days`,
    status.refusals && refusalRuleLine(status.refusals),
  );
}

const STATES: { [trouble in KeyTrouble]: string } = {
  key_refused: '*refused by the service*',
  other_account: '*belongs to another account*',
};

export function keyState(instance: InstanceView): string {
  const { lastGoodCheckAt, keyRefusedAt = 0 } = instance;
  const good = `last good check ${when(lastGoodCheckAt)}`;
  const trouble = keyTroubleOf(instance);
  return trouble ? `${STATES[trouble]} since ${when(keyRefusedAt)}, ${good}` : `works, ${good}`;
}

function jobLines(jobs: readonly JobView[]): string {
  const more = jobs.length - MOST_JOBS;
  return inLines(...jobs.slice(0, MOST_JOBS).map(jobLine), more > 0 && `and ${count(more)} more`);
}

/** An unknown text in a list: its number, its sender, its time, and the outcome that the balance makes likely. */
export function unknownLine(view: SendView): string {
  const at = view.decidedAt === undefined ? '' : `, ${when(view.decidedAt)}`;
  return present(maskNumber(view.e164), `${senderOf(view)}${at}`, likelyOf(view)?.outcome).join(' · ');
}

/** `more than 100 texts`, if there are more than we counted. */
export function countedTexts(texts: number, areMore: boolean): string {
  return `${areMore ? 'more than ' : ''}${plural(texts, 'text')}`;
}

/** The unknown texts of lists; undefined if there are none. */
export function unknownInJobs({ inJobs, areMoreInJobs }: UnknownFacts): string | undefined {
  if (inJobs === 0) return undefined;
  return `${countedTexts(inJobs, areMoreInJobs)} of jobs: their cards have the buttons`;
}

/** The newest unknown texts with their buttons, and how many there are. */
function unknownOf(unknown: UnknownFacts, askedBy: string) {
  const { newest, singles, areMoreSingles } = unknown;
  const inJobs = unknownInJobs(unknown);
  const more = singles - newest.length;
  const listed = newest.map((view) =>
    message(
      unknownLine(view),
      itArrivedButton(ACTIONS.itArrivedInList, view.id),
      view.mayResend && view.details.by === askedBy && button(ACTIONS.sendAgain, 'Resend…', view.id),
      leaveItButton(ACTIONS.leaveItInList, view.id),
    ),
  );
  const need = singles === 1 ? 'needs' : 'need';
  return [
    singles > 0 &&
      `⚠️ *Unknown* · ${countedTexts(singles, areMoreSingles)} ${need} a decision\nOnly the person who sent a text can resend it. We won’t resend it automatically.`,
    ...listed,
    more > 0 && `and ${areMoreSingles ? 'more than ' : ''}${count(more)} older`,
    inJobs && `⚠️ *Unknown* · ${inJobs}`,
  ];
}
