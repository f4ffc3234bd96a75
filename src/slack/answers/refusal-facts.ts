import type { InstanceView } from '../../core/accounts/instance-view.ts';
import type { RefusalFacts } from '../ui/setup/refusal-rule.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/** What is known of how the instance's provider refuses lists, for admins to read. */
export async function refusalFacts({ core }: SlackDeps, instance: InstanceView): Promise<RefusalFacts> {
  const { finding } = await core.refusalChecks.standing(instance);
  return { rule: await core.refusals.of(instance), lastCheck: finding };
}
