import type { Button } from '@slack/types';
import type { Link } from '../../core/accounts/links.ts';
import type { SendRefusal } from '../../core/accounts/permissions.ts';
import type { CreditsShort, Undecidable } from '../../core/sends/decision-answers.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { button, buttons, factLines, facts, type Message, message, section } from './blocks.ts';
import { ACTIONS } from './ids.ts';
import { formButton, type Prefill } from './prefill.ts';
import { escaped, quoted } from './safe-text.ts';
import { capitalised, count, credits, estimatedCredits, mention, mentions, PRICE_UNKNOWN } from './words.ts';

/** At most this many channels get a button. */
const MOST_CHANNELS = 20;

/** The channel has no link: admins get the button, members learn who can link it. */
export function notLinked({ isAdmin, admins }: { isAdmin: boolean; admins: readonly string[] }): Message {
  const fact = '⛔ *This channel is not linked yet, so no texts can be sent from here.*';
  if (isAdmin) {
    return message(
      `${fact}\nLink it, and everybody here can send.`,
      buttons(button(ACTIONS.linkChannel, 'Link this channel')),
    );
  }
  return message(`${fact}\nPlease ask ${adminsToAsk(admins)} to type \`/sms link\` in this channel.`);
}

/** The admins by name, where some are known. */
export function adminsToAsk(admins: readonly string[]): string {
  return admins.length === 0 ? 'an admin of this workspace' : mentions(admins);
}

/** The link's rules do not let this person send or confirm. */
export function sendRefused(why: SendRefusal, link: Link): Message {
  return message(`⛔ ${whyNoTexts(why, link)} Nothing was sent.\n${whoCanChange(link)}`);
}

/** The same for the balance, the status and the history: only those who may send see them. */
export function seeRefused(what: 'balance' | 'status' | 'history', link: Link): Message {
  return message(
    `⛔ You can’t see the ${what} of this channel: only those who may send from it can.\n${whoCanChange(link)}`,
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

/** The upper estimate is more than the balance. The service was not asked to send. */
export function creditsShort({ needed, least, available }: Omit<CreditsShort, 'kind'>): Message {
  const headline = '⛔ *Not enough credits*';
  const need = estimatedCredits({ credits: needed, ...(least !== undefined && { least }) });
  const figures: [string, string][] = [
    ['Needed', need],
    ['Available', credits(available)],
  ];
  const next = [
    ...(least === undefined ? [] : [`${capitalised(PRICE_UNKNOWN)}.`]),
    'Top up the account, then try again.',
  ].join('\n');
  return {
    text: [headline, ...factLines(figures), next].join('\n'),
    blocks: [section(headline), facts(figures), section(next)],
  };
}

export function keyRefused(instanceName: string): Message {
  return message(
    `⛔ *The service refuses the API key of ${quoted(instanceName)}.*\n` +
      'Nothing was sent and no credits were used.\n' +
      'The admins were told. An admin can replace it in `/sms settings`.',
  );
}

/** **Replace key**, at what says that the service refuses an instance's key. Only admins can use it. */
export function replaceKeyButton(instanceId: string): Button {
  return button(ACTIONS.replaceRefusedKey, 'Replace key', instanceId);
}

/** To somebody else who pressed it. */
export function keyIsForAdmins(admins: readonly string[]): Message {
  return message(`⛔ Only admins can replace an API key.\nPlease ask ${adminsToAsk(admins)}.`);
}

/** Somebody else's draft. */
export function notYours(owner: string): Message {
  return message(`Sorry, only ${mention(owner)} can send this.`);
}

/** The draft of a button is not in the ledger (any more). `again`: the button to write another one. */
export function staleDraft(again: Button = formButton('Write a text')): Message {
  return message('This draft is gone. Nothing was sent.', buttons(again));
}

/** An unknown text can't be said to have arrived. */
export function saySentRefused(why: Undecidable): Message {
  const reasons = {
    resent_already: 'This text was resent meanwhile. The new receipt says what became of it.',
    said_sent: 'Somebody has said already that this text arrived.',
    not_unknown: 'The service has answered meanwhile, and that counts. The receipt has it.',
  };
  return message(reasons[why]);
}

/** An unknown text can't be sent again, or not yet. */
export function resendRefused(why: Undecidable | 'too_early'): Message {
  const reasons = {
    said_sent: 'Somebody has said that the first text arrived, so it was not sent again.',
    resent_already: 'This text was sent again already. Its own receipt says what became of it.',
    not_unknown:
      'The outcome of the first text is known by now, so it was not sent again. Its receipt has it.',
    too_early:
      'The answer to the first text may still come, so it was not sent again.\nPlease try again in a minute.',
  };
  return message(reasons[why]);
}

/** The number of an unknown text can no longer be sent to: the person corrects it. */
export function numberUnreadable({ e164, text }: Pick<SendView, 'e164' | 'text'>): Message {
  return message(
    '⚠️ *The number of this text is not right*: it may have a 0 too many after the country code.\n' +
      'Nothing was sent again. Correct the number in the form.\n' +
      'The first text may have arrived, so they may get it twice.',
    buttons(formButton('Open the form', { recipient: e164, message: text })),
  );
}

/** Words after `link`, `unlink` or `settings`: one might be a key, so none is repeated. */
export function takesNoArgument(word: string): Message {
  const command = `\`/sms ${escaped(word)}\``;
  return message(
    `⛔ ${command} takes no words after it. Nothing was done, and they were not kept.\n` +
      'If that was a key, rotate it: it has passed through Slack.\n' +
      `Then type ${command} alone.`,
  );
}

export function adminsOnly(word: string): Message {
  return message(`⛔ Only admins can use \`/sms ${escaped(word)}\`.\nPlease ask an admin of this workspace.`);
}

export function botNotInChannel(): Message {
  return message(
    '⛔ Switchboard is not in this channel, so it cannot post here.\nType `/invite @Switchboard`, then try again.',
  );
}

/** The bot must be in a channel before that is linked. */
export function inviteFirst(): Message {
  return message(
    '⛔ Switchboard is not in this channel yet, so it cannot post here.\nType `/invite @Switchboard` here, then press *Link this channel*.',
    buttons(button(ACTIONS.linkChannel, 'Link this channel')),
  );
}

/** The same for a form's field, which takes plain text only. */
export const BOT_NOT_IN_CHANNEL =
  'Switchboard is not in this channel. Type /invite @Switchboard there, then press Link again.';

/** The same for the list's field of the bulk form. */
export const BOT_NOT_IN_CHANNEL_FOR_LIST =
  'Switchboard is not in this channel. Type /invite @Switchboard there, then press Preview again.';

/** A command that is about a channel, typed in a direct message. */
export function channelsOnly(word: string): Message {
  return message(`\`/sms ${escaped(word)}\` is about a channel. Type it there, not in a direct message.`);
}

/** A form, draft or button for a channel that the person has left. */
export function notInChannel(channel: string): Message {
  return message(
    `⛔ You are not in <#${channel}>: only people who are can send from there.\nNothing was sent.`,
  );
}

/** The bot was removed from a private channel, so Slack does not tell it who is there. */
export function membersUnknown(channel: string): Message {
  return message(
    `⛔ Switchboard is no longer in <#${channel}>, so it cannot see whether you are.\n` +
      'Nothing was sent. Type `/invite @Switchboard` there, then try again.',
  );
}

/** In a direct message, or a channel without a link: the channels this person can send from. */
export function needsChannel(channels: readonly { id: string }[], prefill: Prefill = {}): Message {
  if (channels.length === 0) {
    return message(
      '⛔ *You are in no channel that you can send from.*\n' +
        'Nothing was sent. An admin can link a channel with `/sms link`.',
    );
  }
  const shown = channels.slice(0, MOST_CHANNELS);
  const more = channels.length - shown.length;
  const names = shown.map(({ id }) => `<#${id}>`);
  const opening = 'Texts are sent from a linked channel. You can write from these:';
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
