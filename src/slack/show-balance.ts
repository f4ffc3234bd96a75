import type { Person } from '../core/accounts/permissions.ts';
import type { SlackDeps } from './deps.ts';
import { balanceMessage, balanceUnavailable } from './ui/balance.ts';
import type { Message } from './ui/words.ts';
import { usableLink } from './usable-link.ts';

/** The channel's balance, read now; or why it can't be had, with the last known figure. */
export async function showBalance(
  deps: SlackDeps,
  person: Person,
  channel: string,
  options: { sharedBy?: string } = {},
): Promise<Message> {
  const usable = await usableLink(deps, person, channel);
  if ('refusal' in usable) return usable.refusal;
  const { link, instance } = usable.linked;
  const read = await deps.core.credit.read(instance, 'interactive');
  if (read.kind === 'ok') {
    return balanceMessage({
      credits: read.credits,
      userName: read.userName,
      instanceName: instance.name,
      threshold: link.threshold,
      readAt: Date.now(),
      ...options,
    });
  }
  const known = await deps.core.credit.known(instance);
  return balanceUnavailable({
    why: read.kind,
    ...(read.kind === 'busy' ? { seconds: read.seconds } : {}),
    ...(known ? { lastKnown: { credits: known.credits, at: known.asOf } } : {}),
  });
}
