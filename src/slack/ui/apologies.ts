import { type Message, message } from './blocks.ts';
import { escaped } from './safe-text.ts';

/** What people read after an error that nobody foresaw. All but `broke` say what is wrong with the store. */
const UNFORESEEN = {
  broke:
    '⚠️ *Sorry, something went wrong in Switchboard, and this was not finished.*\n' +
    'If you pressed *Send*, wait for the receipt before you try again.',
  away:
    '⚠️ *Switchboard cannot use its own database right now, so this was not finished.*\n' +
    'No new text goes out meanwhile. Confirmed texts go on by themselves afterwards.\n' +
    'If you pressed *Send*, wait for the receipt before you try again.',
  emptied:
    '⛔ *Switchboard’s database was emptied: it no longer knows what it was sending.*\n' +
    'Nothing is sent until an admin has looked into this.',
  replaced:
    '⛔ *Switchboard’s database file was moved, removed or replaced while Switchboard used it.*\n' +
    'Nothing is sent until an admin has looked into this.',
} as const;

/** For an error that nobody foresaw. The log has it under the reference. */
export function unforeseen(trouble: keyof typeof UNFORESEEN, reference: string): Message {
  return message(
    `${UNFORESEEN[trouble]}\nAn admin finds more in the log, under the reference \`${escaped(reference)}\`.`,
  );
}

/** Slack did not say who somebody is, or what a channel is. */
export const SLACK_TROUBLE = message(
  '⚠️ *Slack did not answer as it should, so nothing was done.*\n' +
    'Nothing new was sent. A list that is under way goes on. Please try again in a moment.',
);

/** The bot was taken away from this workspace, or has lost its installation. */
export const NOT_INSTALLED = message(
  '⛔ *Switchboard is no longer installed in this workspace.*\n' +
    'Nothing was done. Please ask an admin to install it again.',
);

/** While bots restart one after another, a newer version may have made it. */
export const UNKNOWN_BUTTON = message(
  '⚠️ *Another version of Switchboard made this button, so nothing was done.*\n' +
    'Please press it again in a minute. If you read this again then, type `/sms`.',
);

/** Another version of the bot opened this form. */
export const UNKNOWN_FORM = message(
  '⚠️ *Switchboard was updated while this form was open, so nothing was done.*\n' +
    'Please close this form, and open it again.',
);
