import type { LinkedView } from '../../../core/accounts/instance-view.ts';
import { adminOnlyWord } from '../../people/admin-only.ts';
import { notLinkedFor } from '../../people/usable-link.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { CommandRequest } from './command.ts';

/** The channel's link, for a command of admins. Where it can't be used, answers why and returns undefined. */
export async function linkedForAdmin(
  deps: SlackDeps,
  request: CommandRequest,
): Promise<LinkedView | undefined> {
  const refusal = adminOnlyWord(request);
  const linked = refusal ? undefined : await deps.core.links.find(request.channel);
  if (!linked) await request.reply(refusal ?? (await notLinkedFor(deps, request.person)));
  return linked;
}
