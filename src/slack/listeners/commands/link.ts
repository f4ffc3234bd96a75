import { openLinkForm } from '../../forms/open-link-form.ts';
import { adminOnlyWord } from '../../people/admin-only.ts';
import type { CommandHandler } from './command.ts';

/** `/sms link`: the form that ties this channel to an instance. Takes no words: one might be a key. */
export const linkCommand: CommandHandler = async (deps, request) => {
  const refusal = adminOnlyWord(request);
  if (refusal) return request.reply(refusal);
  await openLinkForm(deps, request);
};
