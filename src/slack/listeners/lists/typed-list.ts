import { numbersInText } from '../../../core/texts/numbers-in-text.ts';
import { openBulkForm, type Prefilled } from '../../forms/open-sending-form.ts';
import type { CommandHandler } from '../../requests/slack-request.ts';
import { TYPED_LIST_TOO_LONG } from '../../ui/lists/list-problems.ts';
import { INPUT_MAX } from '../../ui/modal.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';

/** `/sms bulk`: the form for a whole list. A list typed behind the command is in it. */
export const bulkCommand: CommandHandler = (deps, command) =>
  openBulkForm(deps, command, async () => (await listInWords(deps, command)) ?? {});

/** A list that somebody typed in a channel. Undefined if the words hold no number: they may be anything, even a key. */
export async function listInWords(
  { rights }: SlackDeps,
  { channel, rest: words }: { channel: string; rest: string },
): Promise<Prefilled | undefined> {
  if (numbersInText(words, await rights.countryIn(channel), 1).length === 0) return undefined;
  return words.length > INPUT_MAX ? { notice: TYPED_LIST_TOO_LONG } : { recipients: words };
}
