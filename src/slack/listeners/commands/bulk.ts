import { openBulkForm } from '../../forms/open-bulk-form.ts';
import type { CommandHandler } from './command.ts';

/** `/sms bulk`: the form for a whole list. Words behind it are not needed, and not kept. */
export const bulkCommand: CommandHandler = (deps, { person, channel, triggerId, to }) =>
  openBulkForm(deps, { person, channel, triggerId, to });
