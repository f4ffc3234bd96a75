import { whoCanChange, whyNoTexts } from './access-refusals.ts';
import { button, context, joined, type Message, small } from './blocks.ts';
import { commandsFor, type HelpContext, usageOf } from './command-list.ts';
import { ACTIONS, COMMAND } from './ids.ts';
import { fitsButton, formButton, LIST_BUTTON, type Prefill } from './prefill.ts';
import { escaped } from './safe-text.ts';
import { inLines } from './words.ts';

const IN_DIRECT_MESSAGE =
  '*Write a text* and *Text a list* work here: each asks for the channel.\nType everything else in a channel.';

/** Short help. The answer repeats an unknown word only if that has letters alone: anything else might be a key. */
export function helpMessage(
  asked: HelpContext & { unknownWord?: string; suggestion?: string; given?: Prefill | undefined },
): Message {
  const { notLinked, isAdmin, inDirectMessage = false, refusal, unknownWord, suggestion, given } = asked;
  const linked = !notLinked;
  const keeps = given && !refusal && fitsButton(given);
  const opening =
    unknownWord === undefined
      ? '*Text messages from Slack*, on shared prepaid credits.'
      : inLines(unknown(unknownWord, suggestion), keeps && '*Write a text* has your words.');
  if (refusal)
    return joined(opening, `${whyNoTexts(refusal.why, refusal.link)}\n${whoCanChange(refusal.link)}`);
  const commands = commandsFor(asked)
    .map((command) => escaped(`\`${usageOf(command)}\` – ${command.does}`))
    .join('\n');
  return joined(
    opening,
    !inDirectMessage && notLinked,
    commands,
    linked && context('Nothing is sent before you press *Send*.'),
    inDirectMessage && small(IN_DIRECT_MESSAGE),
    context(
      'From anywhere: *Write a text* or *Text a list* in Slack’s *+* menu.\nOn a message: *Text this message* or *Text this list*.',
    ),
    formButton('Write a text', given),
    LIST_BUTTON,
    linked && button(ACTIONS.showBalance, 'Show balance'),
    isAdmin && linked && button(ACTIONS.openSettings, 'Settings'),
  );
}

function unknown(word: string, suggestion: string | undefined): string {
  const there = /^\p{L}{1,16}$/u.test(word)
    ? `There is no \`/sms ${escaped(word)}\`.`
    : 'There is no such command.';
  return suggestion === undefined
    ? `${there} These are the commands:`
    : `${there} Did you mean \`/sms ${escaped(suggestion)}\`?`;
}

/** Slack's settings of the app name a slash command that is none of ours. */
export const UNKNOWN_SLASH_COMMAND = `Switchboard does not know this command. Type \`${COMMAND}\`.`;
