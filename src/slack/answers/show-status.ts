import type { LinkedView } from '../../core/accounts/instance-view.ts';
import { mayAdminister, type Person } from '../../core/accounts/permissions.ts';
import type { Message } from '../ui/blocks.ts';
import { statusMessage } from '../ui/status.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { refusalFacts } from './refusal-facts.ts';

/** What is behind a channel's link and how it is doing, as of now; to admins also how its provider refuses lists. */
export async function statusOf(
  deps: Pick<SlackDeps, 'core'>,
  { link, instance }: LinkedView,
  person: Person,
): Promise<Message> {
  const { core } = deps;
  const refusals = mayAdminister(person) ? await refusalFacts(deps, instance) : undefined;
  const { channel } = link;
  const known = await core.credit.known(instance);
  const unknown = (await core.unknownSends()).filter((view) => view.channel === channel);
  const jobs = await core.jobs.open(channel);
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
    jobs,
    ...(link.leaving ? { leavingBy: link.leaving.by } : {}),
    linkedBy: link.linkedBy,
    linkedAt: link.linkedAt,
    ...(refusals ? { refusals } : {}),
  });
}
