import type { DriftNotice } from '../../../core/accounts/drift.ts';
import type { KeyNotice } from '../../../core/accounts/key-health.ts';
import { type KeyTrouble, troubleFrom } from '../../../core/accounts/key-trouble.ts';
import type { RefusalNotice } from '../../../core/accounts/list-refusals.ts';
import { type LowCreditCard, SPENT_DAYS } from '../../../core/accounts/low-credit-warnings.ts';
import type { LostRecord } from '../../../core/sends/lost-record.ts';
import { button, context, joined, type Message, message } from '../blocks.ts';
import { replaceKeyButton, topUpButton } from '../draft-refusals.ts';
import { ACTIONS } from '../ids.ts';
import { KEY_TROUBLE, REPLACE_KEY_HERE } from '../key-trouble.ts';
import { reference } from '../outcome-words.ts';
import { escaped, quoted } from '../safe-text.ts';
import { capitalised, count, credits, plural, runwayWords, span } from '../words.ts';

/** A channel's low-credit card: a warning, a stronger one at zero credits, or the end of a warning. */
export function lowCreditMessage(card: LowCreditCard): Message {
  const sentence = sentenceOf(card);
  if (card.level === 'past') return message(sentence);
  const spent = `Spent from this channel in the last ${SPENT_DAYS} days: ${credits(card.spentCredits)} for ${plural(card.spentMessages, 'text')}`;
  const runway = card.runway ? `\n${capitalised(runwayWords(card.runway))}.` : '';
  const facts = context(`Instance ${quoted(card.instanceName)} · ${spent}${runway}`);
  if (card.level === 'over') return message(sentence, facts);
  const change = button(ACTIONS.openSettings, 'Change threshold', card.channel);
  return message(sentence, topUpButton(card), change, facts);
}

function sentenceOf({ level, credits: left, threshold, toppedUp }: LowCreditCard): string {
  switch (level) {
    case 'low':
      return `⚠️ *Credits are running low*: ${credits(left)} left, below this channel’s threshold of ${count(threshold)}.\nTexts can still be sent. Please top up the account.`;
    case 'zero':
      return left <= 0
        ? '⛔ *No credits left*: no text can be sent until the account is topped up.\nAfter that, the bot sends nothing by itself: each receipt and card says what to do.'
        : `⛔ *Too few credits*: ${credits(left)} left, and the service refused a request for lack of credits.\nPlease top up the account. Then do what the receipt or card says.`;
    case 'over':
      return toppedUp && threshold > 0
        ? `✅ Enough credits again: ${credits(left)}.`
        : `This low-credit warning is over: ${credits(left)} left, and this channel’s threshold is ${threshold === 0 ? 'off' : count(threshold)}.`;
    case 'past':
      return 'This low-credit warning is over.';
  }
}

/** A channel's news for a person, if the bot can't post in the channel. */
export function insteadOf(channel: string, news: Message): Message {
  const why = `Switchboard cannot post in <#${channel}>, so you get this instead.\nTo change that, unarchive the channel, or type \`/invite @Switchboard\` there.`;
  return joined(why, news);
}

const ON_THE_SERVER = 'To keep it out of Slack, use `npm run admin -- set-key` on the server.';

const FOR_ADMINS: { [trouble in KeyTrouble]: string } = {
  key_refused:
    'Copy the current key from your account settings at the service.\n' +
    `Then press *Replace key* here, or in \`/sms settings\` of a linked channel.\n${ON_THE_SERVER}`,
  other_account:
    'The other account would pay, so Switchboard sends nothing with this key.\n' +
    'To let that account pay, press *Replace key*, and paste the same key.\n' +
    `Otherwise ask the service, or paste a key of the old account.\n${ON_THE_SERVER}`,
};

/** A key stopped working, or works again. A channel reads one line; an admin reads what to do, too. */
export function keyNoticeMessage(notice: KeyNotice): Message {
  const { to, instance, instanceName, keyHint, works } = notice;
  const key = `the API key ${escaped(keyHint)} of ${quoted(instanceName)}`;
  if (works) return message(`✅ *Texts can be sent again*: ${key} works.`);
  const trouble = troubleFrom(notice);
  const fact = `⛔ *Texts cannot be sent*: ${KEY_TROUBLE[trouble](key)}.`;
  const next = 'user' in to ? FOR_ADMINS[trouble] : `The admins were told. ${REPLACE_KEY_HERE}`;
  return message(`${fact}\n${next}`, instance !== undefined && replaceKeyButton(instance));
}

/** To an admin: we do not trust an instance to refuse lists as a whole any more. */
export function refusalNoticeMessage({ instanceName, missing }: RefusalNotice): Message {
  return message(
    `⚠️ *${quoted(instanceName)} may send a part of a list that it refuses.*\n` +
      `After a job, ${plural(missing, 'more credit')} ${missing === 1 ? 'was' : 'were'} gone than its receipts say.\n` +
      'From now on the texts of a refused list are unknown, and their job pauses.\n' +
      'You can change this in `/sms settings`.',
  );
}

/** To an admin: somebody else uses the credits of an instance's account. */
export function driftMessage(notice: DriftNotice): Message {
  const { instance, instanceName, credits: used, from, to, left } = notice;
  return message(
    `⚠️ *Somebody else uses the credits of ${quoted(instanceName)}.*\n` +
      `${credits(used)} used ${span(from, to)}, not by this bot. ${credits(left)} ${left === 1 ? 'was' : 'were'} left then.\n` +
      'If other programs use this key, say so in `/sms settings`. If none should, replace the key.',
    button(ACTIONS.showStatement, 'Statement', instance),
  );
}

const LOST_RECORD: { [became in LostRecord['became']]: (from: string) => string } = {
  sent: (from) =>
    `⚠️ *Sent, but its record is lost* · a text${from}\nThe service accepted the text. Please don’t send it again.`,
  not_sent: (from) =>
    `⛔ *Not sent, and its record is lost* · a text${from}\nNo credits were used. You can write the text again.`,
  unknown: (from) =>
    `⚠️ *Unknown, and its record is lost* · a text${from}\nThe service may have sent it. Before you send it again, ask the recipient.`,
  unknown_list: (from) =>
    `⚠️ *Unknown, and its record is lost* · a list${from}\nA part of it may have been sent, or all of it. Nothing more of it is sent.\nBefore you send it again, ask some recipients.`,
};

/** To the sender: the database has lost a text or a list, and an answer to it came. */
export function lostRecordMessage(id: string, { channel, to, became }: LostRecord): Message {
  const words = LOST_RECORD[became](`${to ? ` to ${to}` : ''} that you sent from <#${channel}>`);
  return message(`${words}\nSwitchboard’s database has lost data: please tell an admin.`, reference({ id }));
}
