import { statusOf } from '../../answers/show-status.ts';
import { usableLink } from '../../people/usable-link.ts';
import { channelsOnly } from '../../ui/access-refusals.ts';
import type { CommandHandler } from './command-types.ts';

/** `/sms status`: what is behind this channel's link and how it is doing. */
export const statusCommand: CommandHandler = async (deps, { person, channel, inDirectMessage, answer }) => {
  if (inDirectMessage) return answer(channelsOnly('status'));
  const usable = await usableLink(deps, person, channel, 'status');
  await answer('refusal' in usable ? usable.refusal : await statusOf(deps, usable.linked, person));
};
