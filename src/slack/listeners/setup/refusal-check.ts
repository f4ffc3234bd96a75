import type { ModalView } from '@slack/types';
import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import { ARRIVALS, proposalOf } from '../../../core/accounts/list-refusal-seen.ts';
import type { CheckProgress } from '../../../core/accounts/list-refusal-steps.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import { readNumber } from '../../../core/texts/phone.ts';
import { chosenOf, type FormMetadata, fieldOf, writeMetadata } from '../../forms/form-data.ts';
import { readRefusalFields } from '../../forms/read-link-fields.ts';
import { FIELDS } from '../../ui/ids.ts';
import { INSTANCE_REMOVED } from '../../ui/setup/key-forms.ts';
import * as checks from '../../ui/setup/refusal-check-forms.ts';
import { refusalRuleLine } from '../../ui/setup/refusal-rule.ts';
import { notNowInWords } from '../../ui/setup/refusal-words.ts';
import { SAVED } from '../../ui/setup/settings-form.ts';
import { numberSentence } from '../../ui/texts/typed-problems.ts';
import { CHECKING_REFUSALS_VIEW, noticeView, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import {
  adminOf,
  answered,
  answeredWith,
  type FormHandler,
  type FormResult,
  type Submission,
} from '../submission.ts';
import { instanceForm, instanceOf, refusalFacts } from './instance-forms.ts';

const views = { waiting: () => CHECKING_REFUSALS_VIEW, again };

/** **Start the check**: sends the two texts, once, and asks what arrived. */
export const submitRefusalCheck = answeredWith(views, async (deps, form) => {
  const { metadata } = form;
  const person = await adminOf(deps, form);
  const instance = await instanceOf(deps, metadata);
  if (!instance) return { notice: INSTANCE_REMOVED };
  const country = await deps.rights.countryIn(metadata.channel ?? '');
  const own = readNumber(fieldOf(form.values, FIELDS.ownPhone)?.value ?? '', country);
  if (own.kind === 'problem') return { errors: { [FIELDS.ownPhone]: numberSentence(own) } };
  if (own.kind === 'ambiguous') return { errors: { [FIELDS.ownPhone]: checks.NO_OWN_NUMBER } };
  const wish = { count: metadata.checks ?? 0, phone: own.digits, by: person.id };
  const begun = await deps.core.refusalChecks
    .begin(instance, wish)
    .catch((error: unknown) => deps.log.error({ err: error }, 'a check of refused lists broke off'));
  if (!begun) return { notice: checks.CHECK_BROKE };
  if (!('progress' in begun)) return { errors: { [FIELDS.ownPhone]: notNowInWords(begun) } };
  const { progress } = begun;
  return {
    view: progressView(progress, metadata),
    elsewhere: checks.checkResultMessage(instance, progress),
  };
});

async function again(deps: SlackDeps, { metadata }: Submission, notice: string) {
  const instance = await instanceOf(deps, metadata);
  return instance && refusalCheckView(deps, instance, metadata, notice);
}

/** **Next**: whether the text arrived. Proposes a rule, or says that the check could not tell. */
export const submitArrival = answering(async (deps, { metadata, values }, { person, instance, progress }) => {
  const { finding, count } = progress;
  const arrived = chosenOf(values, FIELDS.arrived, ARRIVALS) ?? 'unsure';
  if (!finding) return { view: progressView(progress, metadata) };
  const proposal = proposalOf(finding.seen, arrived);
  if (proposal) {
    const own = writeMetadata({ ...metadata, arrived });
    return { view: checks.refusalCheckDecision({ finding, arrived, proposal }, own) };
  }
  await deps.core.refusalChecks.end(instance, { count, arrived, by: person.id });
  return { notice: checks.couldNotTell(finding) };
});

/** **Save**: the rule that the admin chose. */
export const submitRefusalRule = answering(async (deps, form, { person, instance, progress: { count } }) => {
  const { arrived = 'unsure' } = form.metadata;
  const { refusals: mode } = readRefusalFields(form.values);
  await deps.core.refusalChecks.end(instance, { count, arrived, by: person.id, ...(mode && { mode }) });
  return { notice: `${SAVED}\n${refusalRuleLine(await refusalFacts(deps, instance))}` };
});

/** Does a form's work while its check waits for an answer; otherwise shows how far the check has come. */
function answering(
  work: (
    deps: SlackDeps,
    form: Submission,
    asked: { person: Person; instance: InstanceView; progress: CheckProgress },
  ) => Promise<FormResult>,
): FormHandler {
  return answered(async (deps, form) => {
    const { metadata } = form;
    const person = await adminOf(deps, form);
    const instance = await instanceOf(deps, metadata);
    if (!instance) return { notice: INSTANCE_REMOVED };
    const progress = await deps.core.refusalChecks.progress(instance);
    if (progress.step !== 'asked' || progress.count !== metadata.checks)
      return { view: progressView(progress, metadata) };
    return work(deps, form, { person, instance, progress });
  });
}

/** **How does my provider refuse?** in the settings and on a job's card, **Finish the check** in direct messages. */
export const checkForm = instanceForm(TITLES.refusalCheck, refusalCheckView);

/** The form for the check's present step: another admin, or a restart, may have moved it on. */
async function refusalCheckView(
  { core }: SlackDeps,
  instance: InstanceView,
  metadata: FormMetadata,
  notice?: string,
): Promise<ModalView> {
  const progress = await core.refusalChecks.progress(instance);
  if (progress.step === 'sending' || progress.step === 'asked') return progressView(progress, metadata);
  return checks.refusalCheckForm({
    instanceName: instance.name,
    mostCredits: await core.refusalChecks.mostCredits(instance),
    brokenOffBy: progress.step === 'broken_off' ? progress.by : undefined,
    metadata: writeMetadata({ ...metadata, checks: progress.count }),
    notice,
  });
}

function progressView({ step, count, by, finding }: CheckProgress, metadata: FormMetadata): ModalView {
  if (step === 'asked' && finding)
    return checks.refusalCheckQuestion(finding, writeMetadata({ ...metadata, checks: count }));
  if (step === 'over' && finding) return noticeView(TITLES.refusalCheck, checks.checkIsOver(finding));
  return checks.checkIsRunning(by);
}
