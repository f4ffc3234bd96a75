import { type Message, message } from './blocks.ts';
import { escaped } from './safe-text.ts';

/** Something unforeseen; the log has it under the reference. */
export function somethingBroke(reference: string): Message {
  return message(
    'Sorry, something went wrong in Switchboard, and this was not finished. If you had pressed *Send*, wait for the receipt ' +
      `before you try again: no text is sent twice by itself. An admin can find out more with the reference \`${escaped(reference)}\`.`,
  );
}

/** The bot's own store does not answer, for now. */
export function storeAway(reference: string): Message {
  return message(
    'Switchboard cannot use its own database at the moment, so this was not finished. No new text leaves while that lasts; ' +
      'what was confirmed goes on by itself afterwards. If you had pressed *Send*, wait for the receipt before you try again. ' +
      `An admin can find out more with the reference \`${escaped(reference)}\`.`,
  );
}

/** The store has lost what was in it. */
export function storeEmptied(reference: string): Message {
  return message(
    'Switchboard’s database was emptied, so what was being sent is not known any more. Nothing is sent until an admin has ' +
      `looked at it; the log says more under the reference \`${escaped(reference)}\`.`,
  );
}

/** Slack did not say who somebody is, or what a channel is. */
export function slackTrouble(): Message {
  return message(
    'Slack did not answer as it should, so nothing was done: nothing was sent and no credits were used. Please try again in a moment.',
  );
}

/** The bot was taken away from this workspace, or has lost its installation. */
export function notInstalled(): Message {
  return message(
    'Switchboard is not installed in this workspace any more, so nothing was sent and nothing was done. Please ask an admin to install it again.',
  );
}
