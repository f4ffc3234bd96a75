import { countryOf } from '../../../core/accounts/links.ts';
import { readSend } from '../../../core/sends/typed-send.ts';
import { replyWithDraft } from '../../answers/reply-with-draft.ts';
import { openSendForm } from '../../forms/open-send-form.ts';
import { keepWords, usableLink } from '../../people/usable-link.ts';
import { typedWords } from '../../requests/typed-words.ts';
import { needsChannel } from '../../ui/access-refusals.ts';
import type { Message } from '../../ui/blocks.ts';
import { withWords } from '../../ui/prefill.ts';
import { readingMessage } from '../../ui/texts/typed-send.ts';
import type { CommandHandler } from './command.ts';

/** `/sms send <number> <text>`: the preview, whose draft marks the command as seen. `/sms send` alone: the form. */
export const sendCommand: CommandHandler = async (deps, command) => {
  const { person, channel, rest, triggerId, to, request, isFirst } = command;
  if (rest.trim() === '') {
    if (await isFirst()) await openSendForm(deps, { person, channel, triggerId, to });
    return;
  }
  const reply = async (message: Message) => {
    if (await isFirst()) await command.reply(message);
  };

  const usable = await usableLink(deps, person, channel);
  if ('refusal' in usable) {
    const given = typedWords(rest);
    if (!command.inDirectMessage) return reply(await keepWords(deps, person, usable.refusal, given));
    const choice = needsChannel(await deps.conversations.sendableBy(person), given);
    return reply(withWords(choice, given));
  }
  const reading = readSend(rest, countryOf(usable.linked.link));
  if (reading.kind !== 'send') return reply(readingMessage(reading));
  await replyWithDraft(deps, { person, channel, number: reading.number, text: reading.text, to, request });
};
