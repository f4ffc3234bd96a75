import { openLimitsForm } from '../../forms/open-limits-form.ts';
import type { CommandHandler } from './command.ts';
import { linkedForAdmin } from './linked-for-admin.ts';

/** `/sms limits`: what this channel may spend, and who has to agree. */
export const limitsCommand: CommandHandler = async (deps, request) => {
  const linked = await linkedForAdmin(deps, request);
  if (linked) await openLimitsForm(deps, { ...request, linked, user: request.person.id });
};
