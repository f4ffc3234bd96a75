import type { ModalView } from '@slack/types';
import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import { CHECK_TEXT } from '../../../core/accounts/list-refusal-check.ts';
import type { Arrived, Finding } from '../../../core/accounts/list-refusal-seen.ts';
import type { CheckProgress } from '../../../core/accounts/list-refusal-steps.ts';
import type { RefusalMode } from '../../../core/accounts/list-refusals.ts';
import { button, context, type Message, message } from '../blocks.ts';
import { ACTIONS, FIELDS, VIEWS } from '../ids.ts';
import { field, modal, optionsOf, radios, textInput } from '../modal.ts';
import { escaped, quoted } from '../safe-text.ts';
import { noticeBlock, noticeView, TITLES } from '../views.ts';
import { count, mention } from '../words.ts';
import { refusalField } from './refusal-rule.ts';
import * as refusals from './refusal-words.ts';

const ANSWERS: { [arrived in Arrived]: string } = {
  yes: 'Yes, it arrived',
  no: 'No, I have waited a minute',
  unsure: 'I can’t tell',
};

/** The form before the check: what it does and what it costs. Asks for the admin's own phone. */
export function refusalCheckForm(facts: {
  instanceName: string;
  mostCredits: number;
  /** Who began the last check, if its process died: its texts may have been sent. */
  brokenOffBy?: string | undefined;
  metadata: string;
  /** Why the form comes again. Plain text. */
  notice?: string | undefined;
}): ModalView {
  const { instanceName, mostCredits, brokenOffBy, metadata, notice } = facts;
  const steps = refusals.whatItDoes(mostCredits).map((sentence) => `• ${sentence}`);
  return modal(VIEWS.refusalCheckForm, { title: TITLES.refusalCheck, submit: 'Start the check', metadata }, [
    `*How does the provider of ${quoted(instanceName)} refuse a list?*`,
    steps.join('\n'),
    brokenOffBy !== undefined &&
      `⚠️ The last check, by ${mention(brokenOffBy)}, broke off. Its texts may have been sent.`,
    notice && noticeBlock(notice),
    field(FIELDS.ownPhone, 'Your own phone', textInput({ placeholder: '+44 20 7946 0958' }), {
      hint: 'With + and country code. This number gets one text. We do not keep the number.',
    }),
  ]);
}

/** The list was refused: only the admin knows whether the first text arrived all the same. */
export function refusalCheckQuestion(finding: Finding, metadata: string): ModalView {
  return modal(VIEWS.refusalCheckQuestion, { title: TITLES.refusalCheck, submit: 'Next', metadata }, [
    `*The service refused the two texts.*\n${balancesIn(finding)}`,
    field(FIELDS.arrived, 'Did the text arrive?', radios(optionsOf(ANSWERS))),
    context(`On the phone of ${mention(finding.by)}:\n“${escaped(CHECK_TEXT)}”`),
  ]);
}

/** The rule that the check proposes; the admin decides. */
export function refusalCheckDecision(
  { finding, arrived, proposal }: { finding: Finding; arrived: Arrived; proposal: RefusalMode },
  metadata: string,
): ModalView {
  return modal(VIEWS.refusalCheckDecision, { title: TITLES.refusalCheck, submit: 'Save', metadata }, [
    `${refusals.proposalInWords(proposal)}\nSeen: ${refusals.seenInWords({ ...finding, arrived })}.`,
    refusalField(proposal),
    context('This rule holds for every channel of this instance. You can change it in `/sms settings`.'),
  ]);
}

/** The check proved nothing: why, and that the rule stays. */
export function couldNotTell({ seen }: Finding): string {
  return `⚠️ *Could not tell*\n${refusals.WHY_NOTHING_TOLD[seen.answer]}\nThe rule for refused lists stays as it was.`;
}

/** For a check that needs no answer any more. */
export function checkIsOver(finding: Finding): string {
  if (finding.arrived === undefined) return couldNotTell(finding);
  return `✅ *This check is over*\nResult: ${refusals.seenInWords(finding)}.\nThe settings show which rule applies.`;
}

export function checkIsRunning(by: string | undefined): ModalView {
  const whose = by === undefined ? 'A check' : `A check by ${mention(by)}`;
  return noticeView(TITLES.refusalCheck, `${whose} is running. Please look again in a minute.`);
}

/** To the admin who closed the form while the check was running; undefined while it has no result. */
export function checkResultMessage(
  { name, id }: Pick<InstanceView, 'name' | 'id'>,
  { finding, step }: Pick<CheckProgress, 'finding' | 'step'>,
): Message | undefined {
  if (!finding) return undefined;
  const about = `*Check of refused lists, ${quoted(name)}*`;
  if (step !== 'asked') return message(`${about}\n${couldNotTell(finding)}`);
  return message(
    `${about}\nThe service refused the two texts.\n${balancesIn(finding)}\nDid the text arrive on your phone?`,
    button(ACTIONS.checkRefusals, 'Finish the check', id, 'primary'),
  );
}

/** mrkdwn */
export const CHECK_BROKE =
  '⚠️ *Something went wrong, and the check of refused lists was not finished.*\n' +
  'Its texts may have been sent. `/sms settings` shows how far it got.';

function balancesIn({ seen }: Finding): string {
  const figures = [seen.before, ...seen.after].map(count).join(' → ');
  return `Seen: ${refusals.seenInWords({ seen })}.\nBalance before the request, then after it: ${figures}`;
}

/** At the field for the admin's own phone, as plain text. */
export const NO_OWN_NUMBER = 'Write the number with + and its country code, such as +44 20 7946 0958.';
