import { mayAdminister, sendRefusal } from '../../core/accounts/permissions.ts';
import { readSend } from '../../core/sends/typed-send.ts';
import { suggestWord } from '../../core/texts/suggest.ts';
import type { CommandHandler, CommandRequest } from '../requests/slack-request.ts';
import { commandsFor, type HelpContext } from '../ui/command-list.ts';
import { helpMessage } from '../ui/help.ts';
import type { Prefill } from '../ui/prefill.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/** `/sms`, `/sms help`: what this person may do here, with buttons. */
export const helpCommand: CommandHandler = async (deps, request) => {
  await request.answer(helpMessage(await contextOf(deps, request)));
};

/** An unknown word: the same help, with the word that the person probably meant. */
export const unknownCommand: CommandHandler = async (deps, request) => {
  const { word, rest, answer } = request;
  const context = await contextOf(deps, request);
  const suggestion = suggestWord(word, ['help', ...commandsFor(context).map((command) => command.word)]);
  const given = textIn(`${word} ${rest}`) ?? textIn(rest);
  await answer(helpMessage({ ...context, unknownWord: word, given, ...(suggestion && { suggestion }) }));
};

/** The number and the text in these words; undefined without both: such words may hold a key. */
function textIn(words: string): Prefill | undefined {
  const read = readSend(words);
  return read.kind === 'send' ? { recipient: read.given.number, message: read.given.text } : undefined;
}

async function contextOf({ core, rights }: SlackDeps, request: CommandRequest): Promise<HelpContext> {
  const { person, channel, inDirectMessage } = request;
  const asked = { isAdmin: mayAdminister(person), inDirectMessage };
  const linked = await core.links.find(channel);
  if (!linked) return { ...asked, notLinked: await rights.notLinkedFor(person, channel) };
  const { link } = linked;
  const why = sendRefusal(person, link);
  return { ...asked, ...(why && { refusal: { why, link } }) };
}
