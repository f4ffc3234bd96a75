import type { CheckStanding } from '../../../core/accounts/check-steps.ts';
import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import { ARRIVALS, proposalOf } from '../../../core/accounts/refusal-seen.ts';
import { refusalFacts } from '../../answers/refusal-facts.ts';
import { type FormMetadata, readMetadata, writeMetadata } from '../../forms/form-metadata.ts';
import { readRefusalFields } from '../../forms/read-settings-fields.ts';
import { standingView } from '../../forms/refusal-check-view.ts';
import { chosenOf, type ViewValues } from '../../forms/view-values.ts';
import { FIELDS } from '../../ui/ids.ts';
import { INSTANCE_REMOVED } from '../../ui/setup/key-forms.ts';
import { couldNotTell, refusalCheckDecision } from '../../ui/setup/refusal-check-forms.ts';
import { refusalRuleLine } from '../../ui/setup/refusal-rule.ts';
import { SAVED } from '../../ui/setup/settings-form.ts';
import { noticeView, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answerAdmin, type FormResult, type ViewHandler } from './submission.ts';

const TITLE = TITLES.refusalCheck;

/** A check that waits for an answer, and what was submitted. */
interface Answer {
  deps: SlackDeps;
  person: Person;
  instance: InstanceView;
  standing: CheckStanding;
  metadata: FormMetadata;
  values: ViewValues;
}

/** **Next**: whether the text arrived. Proposes a rule, or says that the check could not tell. */
export const submitArrival = answering(async ({ deps, person, instance, standing, metadata, values }) => {
  const { finding, count } = standing;
  const arrived = chosenOf(values, FIELDS.arrived, ARRIVALS) ?? 'unsure';
  if (!finding) return { view: standingView(standing, metadata) };
  const proposal = proposalOf(finding.seen, arrived);
  if (proposal) {
    const own = writeMetadata({ ...metadata, arrived });
    return { view: refusalCheckDecision({ finding, arrived, proposal }, own) };
  }
  await deps.core.refusalChecks.end(instance, { count, arrived, by: person.id });
  return { view: noticeView(TITLE, couldNotTell(finding)) };
});

/** **Save**: the rule that the admin chose. */
export const submitRefusalRule = answering(async ({ deps, person, instance, standing, metadata, values }) => {
  const { count } = standing;
  const { arrived = 'unsure' } = metadata;
  const { refusals: mode } = readRefusalFields(values);
  await deps.core.refusalChecks.end(instance, { count, arrived, by: person.id, ...(mode && { mode }) });
  return { view: noticeView(TITLE, `${SAVED}\n${refusalRuleLine(await refusalFacts(deps, instance))}`) };
});

/** Does a form's work while its check waits for an answer; else shows how far the check has come. */
function answering(work: (answer: Answer) => Promise<FormResult>): (deps: SlackDeps) => ViewHandler {
  return (deps) => async (args) => {
    const { view } = args;
    const metadata = readMetadata(view.private_metadata);

    async function asked(person: Person): Promise<FormResult> {
      const instance = await deps.core.instances.get(metadata.instance ?? '');
      if (!instance) return { view: noticeView(TITLE, INSTANCE_REMOVED) };
      const standing = await deps.core.refusalChecks.standing(instance);
      if (standing.step !== 'asked' || standing.count !== metadata.checks)
        return { view: standingView(standing, metadata) };
      return work({ deps, person, instance, standing, metadata, values: view.state.values });
    }

    await answerAdmin(deps, args, asked, { title: TITLE });
  };
}
