import { countryOf } from '../../../core/accounts/links.ts';
import { readSend } from '../../../core/sends/typed-send.ts';
import { replyWithDraft } from '../../answers/reply-with-draft.ts';
import { openBulkForm, openSendForm } from '../../forms/open-sending-form.ts';
import { keepWords, usableLink } from '../../people/usable-link.ts';
import { needsChannel } from '../../ui/access-refusals.ts';
import type { Message } from '../../ui/blocks.ts';
import { type Prefill, withWords } from '../../ui/prefill.ts';
import { readingMessage } from '../../ui/texts/typed-send.ts';
import type { CommandHandler } from './command-types.ts';

/** `/sms send <number> <text>`: the preview, whose draft marks the command as seen. `/sms send` alone: the form. */
export const sendCommand: CommandHandler = async (deps, command) => {
  const { person, channel, rest, to, request, isFirst } = command;
  if (rest.trim() === '') {
    if (await isFirst()) await openSendForm(deps, command);
    return;
  }
  const answer = async (message: Message) => {
    if (await isFirst()) await command.answer(message);
  };

  const usable = await usableLink(deps, person, channel);
  if ('refusal' in usable) {
    const given = typedWords(rest);
    if (!command.inDirectMessage) return answer(await keepWords(deps, person, usable.refusal, given));
    const choice = needsChannel(await deps.conversations.sendableBy(person), given);
    return answer(withWords(choice, given));
  }
  const reading = readSend(rest, countryOf(usable.linked.link));
  if (reading.kind !== 'send') return answer(readingMessage(reading));
  await replyWithDraft(deps, { person, channel, number: reading.number, text: reading.text, to, request });
};

/** The number and the text that were typed after `/sms send`, as far as both can be recognised. */
export function typedWords(rest: string): Prefill {
  const asked = readSend(rest);
  return 'given' in asked ? { recipient: asked.given.number, message: asked.given.text } : {};
}

/** `/sms bulk`: the form for a whole list. Words behind it are not needed, and not kept. */
export const bulkCommand: CommandHandler = (deps, request) => openBulkForm(deps, request);
