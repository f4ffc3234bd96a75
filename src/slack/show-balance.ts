import type { Linked } from '../core/accounts/links.ts';
import type { Person } from '../core/accounts/permissions.ts';
import type { BalanceSaid } from '../core/accounts/read-balance.ts';
import type { SlackDeps } from './deps.ts';
import { balanceMessage, balanceUnavailable } from './ui/balance.ts';
import type { Message } from './ui/words.ts';
import { usableLink } from './usable-link.ts';

/**
 * Says the channel's balance, read now; or why it can't be had, with the last known figure. It is said before it is
 * recorded: what goes wrong there is for the log.
 */
export async function showBalance(
  deps: SlackDeps,
  { person, channel, sharedBy }: { person: Person; channel: string; sharedBy?: string },
  say: (message: Message) => Promise<void>,
): Promise<void> {
  const usable = await usableLink(deps, person, channel);
  if ('refusal' in usable) return say(usable.refusal);
  const { instance } = usable.linked;
  const { said, recorded } = await deps.core.credit.ask(instance, 'interactive');
  const followed = recorded.catch((error: unknown) => {
    deps.log.error({ err: error, instance: instance.id }, 'a balance that was said could not be recorded');
  });
  try {
    await say(await messageOf(deps, usable.linked, said, sharedBy));
  } finally {
    await followed;
  }
}

async function messageOf(
  { core }: SlackDeps,
  { link, instance }: Linked,
  said: BalanceSaid,
  sharedBy: string | undefined,
): Promise<Message> {
  if (said.kind === 'ok') {
    return balanceMessage({
      credits: said.credits,
      userName: said.userName,
      instanceName: instance.name,
      threshold: link.threshold,
      readAt: Date.now(),
      ...(sharedBy === undefined ? {} : { sharedBy }),
    });
  }
  const known = await core.credit.known(instance);
  return balanceUnavailable({
    why: said.kind,
    ...(said.kind === 'busy' ? { seconds: said.seconds } : {}),
    ...(known ? { lastKnown: { credits: known.credits, at: known.asOf } } : {}),
  });
}
