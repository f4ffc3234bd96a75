import type { ModalView } from '@slack/types';
import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import type { FormMetadata } from '../../forms/form-data.ts';
import { message } from '../../ui/blocks.ts';
import { INSTANCE_REMOVED } from '../../ui/setup/key-forms.ts';
import type { RefusalFacts } from '../../ui/setup/refusal-rule.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { ClickHandler, ViewClickHandler } from '../click.ts';

type InstanceForm = (deps: SlackDeps, instance: InstanceView, metadata: FormMetadata) => Promise<ModalView>;

/** The instance that a form is about; undefined if it was removed. */
export function instanceOf({ core }: SlackDeps, { instance = '' }: FormMetadata) {
  return core.instances.get(instance);
}

/** Puts a form about the settings' instance on top of them. */
export function pushForm(form: InstanceForm): ViewClickHandler {
  return async (deps, { push, metadata }) => {
    const instance = await instanceOf(deps, metadata);
    if (instance) await push(await form(deps, instance, metadata));
  };
}

/** Opens a form about the instance that a message's button names. */
export function openForm(title: string, form: InstanceForm): ClickHandler {
  return async (deps, { value, open, to, answer }) => {
    const instance = await deps.core.instances.get(value);
    if (!instance) return answer(message(INSTANCE_REMOVED));
    await open(title, () => form(deps, instance, { to, instance: instance.id }));
  };
}

/** What admins read about how the instance's provider refuses lists. */
export async function refusalFacts({ core }: SlackDeps, instance: InstanceView): Promise<RefusalFacts> {
  const { finding } = await core.refusalChecks.progress(instance);
  return { rule: await core.refusals.of(instance), lastCheck: finding };
}
