import type { ModalView } from '@slack/types';
import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import type { FormMetadata } from '../../forms/form-data.ts';
import { message } from '../../ui/blocks.ts';
import { INSTANCE_REMOVED } from '../../ui/setup/key-forms.ts';
import type { RefusalFacts } from '../../ui/setup/refusal-rule.ts';
import { noticeView } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { ClickHandler, ViewClickHandler } from '../click.ts';

type InstanceForm = (deps: SlackDeps, instance: InstanceView, metadata: FormMetadata) => Promise<ModalView>;

/** The instance that a form is about; undefined if it was removed. */
export function instanceOf({ core }: SlackDeps, { instance = '' }: FormMetadata) {
  return core.instances.get(instance);
}

/** A form about an instance: on top of the settings, or by a button of a message or of Home, which names the instance. */
export function instanceForm(
  title: string,
  form: InstanceForm,
): { onSettings: ViewClickHandler; byButton: ClickHandler } {
  return {
    async onSettings(deps, { push, metadata }) {
      const instance = await instanceOf(deps, metadata);
      await push(instance ? await form(deps, instance, metadata) : noticeView(title, INSTANCE_REMOVED));
    },
    async byButton(deps, { value, open, to, answer }) {
      const instance = await deps.core.instances.get(value);
      if (!instance) return answer(message(INSTANCE_REMOVED));
      await open(title, () => form(deps, instance, { to, instance: instance.id }));
    },
  };
}

/** What admins read about how the instance's provider refuses lists. */
export async function refusalFacts({ core }: SlackDeps, instance: InstanceView): Promise<RefusalFacts> {
  const { finding } = await core.refusalChecks.progress(instance);
  return { rule: await core.refusals.of(instance), lastCheck: finding };
}
