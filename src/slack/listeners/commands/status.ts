import { showStatus } from '../../show-status.ts';
import type { CommandHandler } from './command.ts';

/** `/sms status`. */
export const statusCommand: CommandHandler = async (deps, { person, channel, reply }) => {
  await reply(await showStatus(deps, person, channel));
};
