import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { helpMessage } from '../../ui/help.ts';
import type { CommandHandler } from './command.ts';

/** `/sms`, `/sms help`: what there is, with buttons. */
export const helpCommand: CommandHandler = async ({ core }, { person, channel, inDirectMessage, reply }) => {
  const linked = await core.links.find(person.team, channel);
  await reply(helpMessage({ linked: linked !== undefined, isAdmin: mayAdminister(person), inDirectMessage }));
};

/** Anything unknown: the same help, with the word that was probably meant. */
export const unknownCommand: CommandHandler = async (
  { core },
  { person, channel, inDirectMessage, word, suggestion, reply },
) => {
  const linked = await core.links.find(person.team, channel);
  await reply(
    helpMessage({
      linked: linked !== undefined,
      isAdmin: mayAdminister(person),
      inDirectMessage,
      unknownWord: word,
      ...(suggestion === undefined ? {} : { suggestion }),
    }),
  );
};
