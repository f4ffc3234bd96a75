import type { Button } from '@slack/types';
import type { Link } from '../../core/accounts/links.ts';
import type { SendRefusal } from '../../core/accounts/permissions.ts';
import type { CreditsShort, Undecidable } from '../../core/sends/decisions.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { button, buttons, type Message, message, section } from './blocks.ts';
import { ACTIONS } from './ids.ts';
import { formButton, type Prefill } from './prefill.ts';
import { escaped, quoted } from './safe-text.ts';
import { count, mention, mentions, neededCredits, shortfall } from './words.ts';

/** How many channels that one can send from get a button. */
const MOST_CHANNELS = 20;

/** The channel has no link: admins get the button, members learn who can link it. */
export function notLinked({ isAdmin, admins }: { isAdmin: boolean; admins: readonly string[] }): Message {
  const fact = 'This channel is not linked to a messaging instance yet, so no texts can be sent from here.';
  if (isAdmin) {
    return message(
      `${fact} Link it, and everybody here can send.`,
      buttons(button(ACTIONS.linkChannel, 'Link this channel')),
    );
  }
  return message(`${fact} Please ask ${adminsToAsk(admins)} to type \`/sms link\` in this channel.`);
}

/** The admins by name, where some are known. */
export function adminsToAsk(admins: readonly string[]): string {
  return admins.length === 0 ? 'an admin of this workspace' : mentions(admins);
}

/** The link's rules do not let this person send or confirm. */
export function sendRefused(why: SendRefusal, link: Link): Message {
  return message(`${whyNoTexts(why, link)} Nothing was sent. ${whoCanChange(link)}`);
}

/** The same for who asks for the balance or the status, which only those see who may send. */
export function seeRefused(what: 'balance' | 'status', link: Link): Message {
  return message(
    `You can’t see the ${what} of this channel: only those who may send from it can. ${whoCanChange(link)}`,
  );
}

/** Why this person can't send from the channel. */
export function whyNoTexts(why: SendRefusal, link: Link): string {
  const reasons = {
    outsider: 'Texts from this channel are for people of its own workspace only.',
    guest: 'Guests cannot send texts from this channel.',
    admins_only: 'Only admins can send texts from this channel.',
    not_chosen:
      link.people.length === 0
        ? 'Only chosen people can send texts from this channel, and nobody is chosen yet.'
        : `Only chosen people can send texts from this channel: ${mentions(link.people)}.`,
  };
  return reasons[why];
}

/** Who can change what somebody may do in a channel. */
export function whoCanChange(link: Link): string {
  return `Please ask ${mention(link.linkedBy)}, who linked this channel, or another admin.`;
}

/** The estimate, at its most, is more than what there is: said before anything is asked of the service. */
export function creditsShort({ needed, least, available }: Omit<CreditsShort, 'kind'>): Message {
  const need = neededCredits({ credits: needed, ...(least !== undefined && { least }) });
  return message(
    `*Not enough credits*: ${shortfall(need, available)}. ` +
      'Nothing was sent and no credits were used. Top up the account, then try again.',
  );
}

export function keyRefused(instanceName: string): Message {
  return message(
    `The service refuses the API key of ${quoted(instanceName)}, so nothing can be sent. No credits were used. ` +
      'The admins have been told: one of them replaces the key in `/sms settings`, then it works again.',
  );
}

/** Somebody else's draft. */
export function notYours(owner: string): Message {
  return message(`Sorry, only ${mention(owner)} can send this. Nothing was changed.`);
}

/** The draft of a button is not in the ledger (any more). `again`: the button to write another one. */
export function staleDraft(again: Button = formButton('Write a text')): Message {
  return message('This draft is gone: nothing was sent.', buttons(again));
}

/** An unknown text can't be said to have arrived. */
export function saySentRefused(why: Undecidable): Message {
  const reasons = {
    resent_already: 'This text was sent again meanwhile: the new one’s receipt says what became of it.',
    said_sent: 'Somebody has said already that this text arrived.',
    not_unknown: 'The service’s answer has come meanwhile, and it counts: the receipt has it.',
  };
  return message(`${reasons[why]} Nothing was changed.`);
}

/** An unknown text can't be sent again, or not yet. */
export function resendRefused(why: Undecidable | 'too_early'): Message {
  const reasons = {
    said_sent: 'Somebody has said meanwhile that the first text arrived, so it was not sent again.',
    resent_already:
      'This text was sent again already. Nothing more was sent; its own receipt says what became of it.',
    not_unknown:
      'The outcome of the first text is known by now, so it was not sent again. Its receipt has the answer.',
    too_early:
      'The answer to the first text may still come, so it was not sent again. Please try again in a minute.',
  };
  return message(reasons[why]);
}

/** The number of an unknown text is not one that can be sent to any more: the person writes it out again. */
export function numberUnreadable({ e164, text }: Pick<SendView, 'e164' | 'text'>): Message {
  return message(
    '*The number of this text is not right*: it may have a 0 too many after the country code. Nothing was sent again. ' +
      'Correct the number in the form. The first text may have arrived, so they may get it twice.',
    buttons(formButton('Open the form', { recipient: e164, message: text })),
  );
}

/** Words behind `link`, `unlink` or `settings`: one of them might be a key, so none is repeated. */
export function takesNoArgument(word: string): Message {
  const command = `\`/sms ${escaped(word)}\``;
  return message(
    `${command} takes no words after it, so nothing was done, and they were not kept. If that was a key, rotate it: ` +
      `it has passed through Slack. Then type ${command} alone.`,
  );
}

export function adminsOnly(word: string): Message {
  return message(
    `Only admins can use \`/sms ${escaped(word)}\`. Nothing was changed. Please ask an admin of this workspace.`,
  );
}

export function botNotInChannel(): Message {
  return message(
    'Switchboard is not in this channel, so it cannot post here. Type `/invite @Switchboard`, then try again.',
  );
}

/** The bot must be in a channel before that is linked. */
export function inviteFirst(): Message {
  return message(
    'Switchboard is not in this channel yet, and can only post where it is. Type `/invite @Switchboard` here, then press *Link this channel*.',
    buttons(button(ACTIONS.linkChannel, 'Link this channel')),
  );
}

/** The same for a form's field, which takes plain text only. */
export const BOT_NOT_IN_CHANNEL =
  'Switchboard is not in this channel, so it cannot post here. Nothing was saved. Type /invite @Switchboard there, then press Link again.';

/** The same for the list's field of the bulk form. */
export const BOT_NOT_IN_CHANNEL_FOR_LIST =
  'Switchboard is not in this channel, so it could not post the job’s card. Nothing was sent. Type /invite @Switchboard there, then press Preview again.';

/** A command that is about a channel, typed in a direct message. */
export function channelsOnly(word: string): Message {
  return message(
    `\`/sms ${escaped(word)}\` is about a channel: type it there, not in a direct message. Nothing was changed.`,
  );
}

/** A form, draft or button for a channel that the person has left. */
export function notInChannel(channel: string): Message {
  return message(
    `You are not in <#${channel}>, and texts from there can be sent only by people who are. Nothing was sent.`,
  );
}

/** The bot was put out of a private channel, so Slack does not tell it who is in there. */
export function membersUnknown(channel: string): Message {
  return message(
    `Switchboard is not in <#${channel}> any more, so it cannot see whether you are. Nothing was sent. ` +
      'Type `/invite @Switchboard` there, then try again.',
  );
}

/** In a direct message, or a channel without a link: the channels this person can send from. */
export function needsChannel(channels: readonly { id: string }[], prefill: Prefill = {}): Message {
  if (channels.length === 0) {
    return message(
      'Texts are sent from a channel that is linked, and there is none that you are in and can send from. ' +
        'Nothing was sent. An admin can link a channel with `/sms link`.',
    );
  }
  const shown = channels.slice(0, MOST_CHANNELS);
  const more = channels.length - shown.length;
  const names = shown.map(({ id }) => `<#${id}>`);
  const opening = 'Texts are sent from a linked channel. Nothing was sent yet; you can write from these:';
  const others = more > 0 ? [`and ${count(more)} more: type \`/sms send\` there`] : [];
  return {
    text: [opening, names.join(', '), ...others].join('\n'),
    blocks: [
      section(opening),
      ...shown.map(({ id }, index) =>
        section(names[index] ?? '', formButton('Write a text', { ...prefill, channel: id })),
      ),
      ...others.map((line) => section(line)),
    ],
  };
}
