import { mayAdminister, sendRefusal } from '../../core/accounts/permissions.ts';
import { suggestWord } from '../../core/texts/suggest.ts';
import type { CommandHandler, CommandRequest } from '../requests/slack-request.ts';
import { commandsFor, type HelpContext } from '../ui/command-list.ts';
import { helpMessage } from '../ui/help.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/** `/sms`, `/sms help`: what this person may do here, with buttons. */
export const helpCommand: CommandHandler = async (deps, request) => {
  await request.answer(helpMessage(await standingOf(deps, request)));
};

/** An unknown word: the same help, with the word that the person probably meant. */
export const unknownCommand: CommandHandler = async (deps, request) => {
  const { word, answer } = request;
  const standing = await standingOf(deps, request);
  const suggestion = suggestWord(word, ['help', ...commandsFor(standing).map((command) => command.word)]);
  await answer(helpMessage({ ...standing, unknownWord: word, ...(suggestion && { suggestion }) }));
};

async function standingOf(deps: SlackDeps, request: CommandRequest): Promise<HelpContext> {
  const { person, channel, inDirectMessage } = request;
  const linked = await deps.core.links.find(channel);
  const why = linked && sendRefusal(person, linked.link);
  return {
    linked: linked !== undefined,
    isAdmin: mayAdminister(person),
    inDirectMessage,
    linkers: linked ? [] : await deps.rights.admins(),
    ...(linked && why ? { refusal: { why, link: linked.link } } : {}),
  };
}
