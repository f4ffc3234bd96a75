import { noNumberLookUp } from '../../ui/history.ts';
import type { CommandHandler } from './command.ts';

/** `/sms history <number>`: whether a number was texted. */
export const lookUpNumber: CommandHandler = (_deps, { reply }) => reply(noNumberLookUp());
