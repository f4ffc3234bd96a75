import { openSettingsForm } from '../../forms/open-link-form.ts';
import type { CommandHandler } from './command.ts';
import { linkedForAdmin } from './linked-for-admin.ts';

/** `/sms settings`: this channel's threshold and rules, and its instance's key. */
export const settingsCommand: CommandHandler = async (deps, request) => {
  const linked = await linkedForAdmin(deps, request);
  if (linked) await openSettingsForm(deps, { ...request, linked });
};
