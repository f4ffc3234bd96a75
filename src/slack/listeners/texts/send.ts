import { countryOf } from '../../../core/accounts/links.ts';
import type { DraftInput } from '../../../core/sends/draft-text.ts';
import { readSend } from '../../../core/sends/typed-send.ts';
import { readMessage } from '../../../core/texts/message-text.ts';
import { readNumber } from '../../../core/texts/phone.ts';
import { formatNumber } from '../../../core/texts/phone-format.ts';
import { apologise } from '../../answers/apology.ts';
import type { ReplyTo } from '../../answers/replies.ts';
import { answerTo, chosenIn, type FieldErrors, fieldOf } from '../../forms/form-data.ts';
import { openSendForm } from '../../forms/open-sending-form.ts';
import { afterAcks, type CommandHandler } from '../../requests/slack-request.ts';
import { needsChannel } from '../../ui/access-refusals.ts';
import type { Message } from '../../ui/blocks.ts';
import { EDIT_CHECKS_FIRST, NOT_CHANGED_YET } from '../../ui/draft-refusals.ts';
import { mayBeOld, mayReopen } from '../../ui/expired-draft.ts';
import { FIELDS } from '../../ui/ids.ts';
import { optedOutRefusal } from '../../ui/limits/opt-outs.ts';
import { NO_LONGER_LINKED } from '../../ui/payer.ts';
import { type Prefill, withWords, withWordsAndForm } from '../../ui/prefill.ts';
import { draftMessage } from '../../ui/texts/draft.ts';
import { tooLateMessage } from '../../ui/texts/outcome-lines.ts';
import { recipientSentence, textSentence } from '../../ui/texts/typed-problems.ts';
import { readingMessage } from '../../ui/texts/typed-send.ts';
import { previewIsIn, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { FormHandler } from '../submission.ts';

/** The send form: shows each error at its field, or the preview where the person asked for the form. */
export const submitSend: FormHandler = async (deps, form) => {
  const { ack, body, view, values, showErrors } = form;
  const { to: asked, replaces, ...metadata } = form.metadata;
  const channel = metadata.channel ?? chosenIn(values, FIELDS.channel) ?? '';
  const to = answerTo(asked, channel);
  const linked = await deps.core.links.find(channel);
  const number = readNumber(fieldOf(values, FIELDS.recipient)?.value ?? '', countryOf(linked?.link));
  const message = readMessage(fieldOf(values, FIELDS.message)?.value ?? '');
  const errors: FieldErrors = {};
  if (metadata.channel === undefined && !linked) errors[FIELDS.channel] = NO_LONGER_LINKED;
  if (number.kind !== 'number') errors[FIELDS.recipient] = recipientSentence(number);
  if (message.kind === 'problem') errors[FIELDS.message] = textSentence(message);
  if (Object.keys(errors).length > 0 || number.kind !== 'number' || message.kind !== 'text') {
    return showErrors(errors);
  }
  await (asked.channel === ''
    ? ack({ response_action: 'update', view: previewIsIn(TITLES.sendForm, channel) })
    : ack());

  const given = { recipient: formatNumber(number.e164), message: message.text, channel };
  const work = async () => {
    await afterAcks();
    if (!(await deps.core.firstTime(`view:${view.id}:${view.hash}`))) return;
    const person = await deps.access.person(body.user.id, body.user.team_id);
    const refusal = await deps.rights.membershipRefusal(person, channel);
    if (refusal) return deps.replies.toPerson(to, await deps.rights.keepWords(person, refusal, given));
    if (replaces !== undefined) {
      const onWait = async () => void (await deps.replies.byUrl(to, EDIT_CHECKS_FIRST));
      const old = await deps.core.sends.supersede(replaces, person, onWait);
      if (old.kind === 'no_balance') return deps.replies.toPerson(to, withWords(NOT_CHANGED_YET, given));
      const isUnsent = old.kind !== 'too_late' || (mayReopen(old.view) && !mayBeOld(old.view));
      // The old text was sent while the form was open, or may have been. A second text needs a new decision: offer no edit.
      if (!isUnsent) return deps.replies.toPerson(to, withWords(tooLateMessage(old.view), given));
    }
    const wish = { person, channel, number, text: message.text, to, replaces };
    await replyWithDraft(deps, wish, { replace: replaces !== undefined });
  };
  await work().catch((error: unknown) =>
    apologise(deps, error, (sorry) => deps.replies.toPerson(to, withWordsAndForm(sorry, given))),
  );
};

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

  const usable = await deps.rights.usableLink(person, channel);
  if ('refusal' in usable) {
    const given = typedWords(rest);
    if (!command.inDirectMessage) return answer(await deps.rights.keepWords(person, usable.refusal, given));
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

/** Shows a new draft's preview, or says why there is none. Ignores a `request` that Slack delivered before. */
export async function replyWithDraft(
  deps: SlackDeps,
  { to, ...asked }: Omit<DraftInput, 'reply'> & { to: ReplyTo },
  options: { replace?: boolean } = {},
): Promise<void> {
  const { person, channel, number, resends, request } = asked;
  const say = (message: Message) => deps.replies.toPerson(to, message, options);
  const drafted = await deps.core.sends.draft({ ...asked, reply: to });
  if (drafted.kind === 'draft') {
    deps.log.info({ send: drafted.view.id }, 'a draft was made');
    return say(draftMessage(drafted));
  }
  if (drafted.kind === 'repeated' || (request !== undefined && !(await deps.core.firstTime(request)))) return;
  const given = {
    recipient: formatNumber(number.e164),
    message: asked.text,
    ...(channel !== to.channel && { channel }),
  };
  if (drafted.kind === 'opted_out') return say(withWords(optedOutRefusal(number, drafted.optOut), given));
  const refusal = await deps.rights.refusalMessage(person, drafted, asked);
  // The form would make a new text of a resend, without the warning that it may come twice.
  if (resends) return say(refusal);
  switch (drafted.kind) {
    case 'credits_short':
    case 'key_refused':
    case 'other_account':
      return say(withWordsAndForm(refusal, given));
    default:
      return say(await deps.rights.keepWords(person, refusal, given));
  }
}
