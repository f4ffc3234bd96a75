import { mayAdminister, type Person, sendRefusal } from '../../core/accounts/permissions.ts';
import type { Message } from '../ui/blocks.ts';
import { OPT_OUTS_FOR_ADMINS, OPT_OUTS_FOR_SENDERS } from '../ui/limits/opt-outs.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { membershipRefusal } from './usable-link.ts';

/**
 * Why this person may not change opt-outs; undefined when they may. If the admins chose so, only admins may. Otherwise
 * everybody who can send from a linked channel may. It asks Slack again who the person is.
 */
export async function optOutRefusal(
  deps: SlackDeps,
  known: Person,
  channel: string,
): Promise<Message | undefined> {
  const person = await deps.access.again(known);
  if (mayAdminister(person)) return undefined;
  const { whoMayOptOut } = await deps.core.rules.now();
  return whoMayOptOut === 'admins' ? OPT_OUTS_FOR_ADMINS : notASender(deps, person, channel);
}

/** Why this person may not see opt-outs: they can send from nowhere. `channel`: where they have just acted. */
export async function notASender(
  { core, conversations }: Pick<SlackDeps, 'core' | 'conversations'>,
  person: Person,
  channel: string,
): Promise<Message | undefined> {
  const linked = await core.links.find(channel);
  const maySend = linked && !sendRefusal(person, linked.link);
  // They may have left it since the form or the button was shown.
  if (maySend && !(await membershipRefusal({ conversations }, person, channel))) return undefined;
  return (await conversations.sendableBy(person)).length > 0 ? undefined : OPT_OUTS_FOR_SENDERS;
}
