import type { Person } from '../core/accounts/permissions.ts';
import type { SlackDeps } from './deps.ts';
import { balanceMessage, balanceUnavailable } from './ui/balance.ts';
import type { Message } from './ui/words.ts';
import { usableLink } from './usable-link.ts';

/**
 * Says the channel's balance, read now; or why it can't be had, with the last known figure. It is said before it is
 * booked, so what goes wrong with the books is for the log.
 */
export async function showBalance(
  deps: SlackDeps,
  { person, channel, sharedBy }: { person: Person; channel: string; sharedBy?: string },
  say: (message: Message) => Promise<void>,
): Promise<void> {
  const usable = await usableLink(deps, person, channel);
  if ('refusal' in usable) return say(usable.refusal);
  const { link, instance } = usable.linked;
  const { said, booked } = await deps.core.credit.ask(instance, 'interactive');
  if (said.kind === 'ok') {
    const message = balanceMessage({
      credits: said.credits,
      userName: said.userName,
      instanceName: instance.name,
      threshold: link.threshold,
      readAt: Date.now(),
      ...(sharedBy === undefined ? {} : { sharedBy }),
    });
    await say(message);
  } else {
    const known = await deps.core.credit.known(instance);
    const message = balanceUnavailable({
      why: said.kind,
      ...(said.kind === 'busy' ? { seconds: said.seconds } : {}),
      ...(known ? { lastKnown: { credits: known.credits, at: known.asOf } } : {}),
    });
    await say(message);
  }
  await booked.catch((error: unknown) => {
    deps.log.error({ err: error, instance: instance.id }, 'a balance that was said could not be booked');
  });
}
