import type { Person } from '../core/permissions.ts';
import type { SlackDeps } from './deps.ts';
import { usableLink } from './linked.ts';
import { statusMessage } from './ui/status.ts';
import type { Message } from './ui/words.ts';

/** What stands behind the channel and how it is doing. */
export async function showStatus(deps: SlackDeps, person: Person, channel: string): Promise<Message> {
  const usable = await usableLink(deps, person, channel);
  if ('refusal' in usable) return usable.refusal;
  const { link, instance } = usable.linked;
  const known = await deps.core.credit.known(instance);
  const unknown = (await deps.core.unknownSends(person.team)).filter((view) => view.channel === channel);
  return statusMessage({
    instanceName: instance.name,
    keyHint: instance.keyHint,
    lastGoodCheckAt: instance.lastGoodCheckAt,
    ...(instance.keyRefusedAt === undefined ? {} : { keyRefusedAt: instance.keyRefusedAt }),
    ...(known ? { balance: { credits: known.credits, at: known.asOf } } : {}),
    userName: instance.userName,
    threshold: link.threshold,
    whoCanSend: link.whoCanSend,
    people: link.people,
    guests: link.guests,
    unknown,
    linkedBy: link.linkedBy,
    linkedAt: link.linkedAt,
  });
}
