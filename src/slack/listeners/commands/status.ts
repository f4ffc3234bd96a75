import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { refusalFacts } from '../../refusal-facts.ts';
import { channelsOnly } from '../../ui/refusals.ts';
import { statusMessage } from '../../ui/status.ts';
import { usableLink } from '../../usable-link.ts';
import type { CommandHandler } from './command.ts';

/** `/sms status`: what stands behind this channel and how it is doing. */
export const statusCommand: CommandHandler = async (deps, { person, channel, inDirectMessage, reply }) => {
  if (inDirectMessage) return reply(channelsOnly('status'));
  const usable = await usableLink(deps, person, channel);
  if ('refusal' in usable) return reply(usable.refusal);
  const { link, instance } = usable.linked;
  const known = await deps.core.credit.known(instance);
  const unknown = (await deps.core.unknownSends(person.team)).filter((view) => view.channel === channel);
  const jobs = await deps.core.jobs.open(person.team, channel);
  const refusals = mayAdminister(person) ? await refusalFacts(deps, instance) : undefined;
  await reply(
    statusMessage({
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
    }),
  );
};
