import { openLimitsForm } from '../../forms/open-limits-form.ts';
import { adminOnlyWord } from '../../people/admin-only.ts';
import { notLinkedFor } from '../../people/usable-link.ts';
import type { CommandHandler } from './command.ts';

/** `/sms limits`: what this channel may spend, and who has to agree. */
export const limitsCommand: CommandHandler = async (deps, request) => {
  const refusal = adminOnlyWord(request);
  if (refusal) return request.reply(refusal);
  const linked = await deps.core.links.find(request.channel);
  if (!linked) return request.reply(await notLinkedFor(deps, request.person));
  await openLimitsForm(deps, { ...request, linked, user: request.person.id });
};
