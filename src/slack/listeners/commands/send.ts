import { countryOf } from '../../../core/accounts/links.ts';
import { readSend } from '../../../core/sends/typed-send.ts';
import { openSendForm } from '../../forms/open-send-form.ts';
import { replyWithDraft } from '../../reply-with-draft.ts';
import { readingMessage } from '../../ui/reading.ts';
import { needsChannel } from '../../ui/refusals.ts';
import { usableLink } from '../../usable-link.ts';
import type { CommandHandler } from './command.ts';

/** `/sms send <number> <text>`: the preview. `/sms send` alone: the form. */
export const sendCommand: CommandHandler = async (deps, request) => {
  const { person, channel, rest, triggerId, to, reply } = request;
  if (rest.trim() === '') return openSendForm(deps, { person, channel, triggerId, to });

  const usable = await usableLink(deps, person, channel);
  if ('refusal' in usable) {
    if (!request.inDirectMessage) return reply(usable.refusal);
    const asked = readSend(rest);
    const given = 'given' in asked ? { recipient: asked.given.number, message: asked.given.text } : {};
    return reply(needsChannel(await deps.conversations.sendableBy(person), given));
  }
  const reading = readSend(rest, countryOf(usable.linked.link));
  if (reading.kind !== 'send') return reply(readingMessage(reading));
  await replyWithDraft(deps, { person, channel, number: reading.number, text: reading.text, to });
};
