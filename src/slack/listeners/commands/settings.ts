import { openSettingsForm } from '../../forms/open-link-form.ts';
import { adminOnlyWord } from '../../people/admin-only.ts';
import { notLinkedFor } from '../../people/usable-link.ts';
import type { CommandHandler } from './command.ts';

/** `/sms settings`: this channel's threshold and rules, and its instance's key. */
export const settingsCommand: CommandHandler = async (deps, request) => {
  const refusal = adminOnlyWord(request);
  if (refusal) return request.reply(refusal);
  const linked = await deps.core.links.find(request.channel);
  if (!linked) return request.reply(await notLinkedFor(deps, request.person));
  await openSettingsForm(deps, { ...request, linked });
};
