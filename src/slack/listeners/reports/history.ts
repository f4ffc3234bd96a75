import type { View } from '@slack/types';
import { mayAdminister, type Person } from '../../../core/accounts/permissions.ts';
import type { HistoryAsked } from '../../../core/history/history-query.ts';
import { readNumber } from '../../../core/texts/phone.ts';
import { RefusedError, refuseIf } from '../../answers/apology.ts';
import { exportHistory } from '../../files/export-history.ts';
import type { CommandHandler, SlackRequest } from '../../requests/slack-request.ts';
import { channelsOnly } from '../../ui/access-refusals.ts';
import { type Message, message } from '../../ui/blocks.ts';
import { HISTORY_GONE, HISTORY_USAGE, historyMessage } from '../../ui/reports/history.ts';
import { detailsView, NO_DETAILS } from '../../ui/reports/history-details.ts';
import { EXPORT_BEGUN, EXPORT_UNDER_WAY } from '../../ui/reports/history-export.ts';
import { type HistoryState, readHistoryState, readRowValue } from '../../ui/reports/history-state.ts';
import { lookedUpMessage, NO_CHANNEL_TO_READ } from '../../ui/reports/look-up.ts';
import { escaped } from '../../ui/safe-text.ts';
import { numberSentence } from '../../ui/texts/typed-problems.ts';
import { TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';

/** **Older**, **Newer**, **Remove filter**: another page in the place of this one. */
export const turnPage: ClickHandler = async (deps, click) => {
  await showHistory(deps, click, stateOf(click), { replaces: true });
};

/** What the button's page shows. @throws RefusedError if nobody knows */
export function stateOf({ value }: Click): HistoryState {
  const state = readHistoryState(value);
  if (!state) throw new RefusedError(HISTORY_GONE);
  return state;
}

/** **Details of …**: all that is kept of a send. Then shows the page again, with its menu empty for the next choice. */
export const openDetails: ClickHandler = async (deps, click) => {
  const { person, channel, value, block, open } = click;
  let shown: View | undefined;
  await open(TITLES.historyDetails, async () => {
    const { id, all } = readRowValue(value);
    shown = await detailsOf(deps, { person, channel: all ? undefined : channel }, id);
    return shown ?? HISTORY_GONE.text;
  });
  const state = shown && readHistoryState(block);
  if (state) await showHistory(deps, click, { ...state, turn: !state.turn }, { replaces: true });
};

/** **Details**, **Why?** of a receipt, which may be in direct messages: the same, for the channel of its text. */
export const openSendDetails: ClickHandler = async (deps, { person, value, open }) => {
  await open(TITLES.historyDetails, async () => {
    const view = await deps.core.sends.view(value);
    return (view && (await detailsOf(deps, { person, channel: view.channel }, value))) ?? NO_DETAILS;
  });
};

/** All that is kept of a send; undefined if nothing is. @throws RefusedError if this person may not see it */
async function detailsOf(deps: SlackDeps, reader: Reader, id: string): Promise<View | undefined> {
  refuseIf(await historyRefusal(deps, reader));
  const found = await deps.core.history.details(reader, id);
  return found && detailsView(found);
}

/** **Export CSV**: everything that the filter finds, to the person's direct messages. */
export const clickExport: ClickHandler = async (deps, click) => {
  const { person, answer } = click;
  const asked = askedBy(click, stateOf(click));
  refuseIf(await historyRefusal(deps, asked));
  const { exporting } = deps;
  if (exporting.has(person.id)) return answer(EXPORT_UNDER_WAY);
  exporting.add(person.id);
  try {
    await answer(EXPORT_BEGUN);
    await exportHistory(deps, asked, async () => {
      const now = await deps.access.again(person);
      // At the click, the bot decided whether the files show full phone numbers.
      if (mayAdminister(person) && !mayAdminister(now)) return false;
      return (await historyRefusal(deps, { ...asked, person: now })) === undefined;
    });
  } finally {
    exporting.delete(person.id);
  }
};

/** `/sms history`: this channel's. `… all`: the whole workspace's, for admins. `… <number>`: whether it was texted. */
export const historyCommand: CommandHandler = async (deps, request) => {
  const { person, channel, rest, inDirectMessage, answer } = request;
  const words = rest.trim();
  if (/\p{Nd}/u.test(words)) return answer(await showLookUp(deps, { person, channel, typed: words }));
  const all = words.toLowerCase() === 'all';
  if (words !== '' && !all) return answer(HISTORY_USAGE);
  if (inDirectMessage && !all) return answer(channelsOnly('history'));
  await showHistory(deps, request, { ...(all && { all }) }, { replaces: false });
};

/** Whether a number was texted: to admins from any channel, to others from those that they can send from. */
async function showLookUp(
  { core, conversations, rights }: SlackDeps,
  { person, channel, typed }: { person: Person; channel: string; typed: string },
): Promise<Message> {
  const read = readNumber(typed, await rights.countryIn(channel));
  if (read.kind !== 'number') return message(`⛔ ${escaped(numberSentence(read))}`);
  const isAdmin = mayAdminister(person);
  const readable = isAdmin ? [] : await conversations.sendableBy(person);
  if (!isAdmin && readable.length === 0) return NO_CHANNEL_TO_READ;
  const ids = new Set(readable.map(({ id }) => id));
  const found = await core.lookUp(read.digits, (id) => isAdmin || ids.has(id));
  return lookedUpMessage(read, found, { isAdmin });
}

/** Shows a page of the history to who may see it; `replaces`: in the place of the page before. */
export async function showHistory(
  deps: SlackDeps,
  request: Pick<SlackRequest, 'person' | 'channel' | 'to'>,
  state: HistoryState,
  { replaces }: { replaces: boolean },
): Promise<void> {
  const { to } = request;
  const asked = askedBy(request, state);
  const refusal = await historyRefusal(deps, asked, { isHere: !replaces });
  if (refusal) return deps.replies.toPerson(to, refusal);
  const page = await deps.core.history.page(asked, state.cursor);
  await deps.replies.toPerson(to, historyMessage(page, state), { replace: replaces });
}

function askedBy({ person, channel }: Reader, { all, filter = {} }: HistoryState): HistoryAsked {
  return { person, filter, channel: all ? undefined : channel };
}

/** Who reads the history of a channel, or without one of the whole workspace. */
type Reader = Pick<HistoryAsked, 'person' | 'channel'>;

/** Why this person may not see the history. `isHere`: they have just typed in the channel, so they are in it. */
async function historyRefusal(
  deps: SlackDeps,
  { person, channel }: Reader,
  { isHere = false } = {},
): Promise<Message | undefined> {
  if (channel === undefined) return mayAdminister(person) ? undefined : deps.rights.adminsOnly('history all');
  const usable = await deps.rights.usableLink(person, channel, 'history');
  if ('refusal' in usable) return usable.refusal;
  return isHere ? undefined : deps.rights.membershipRefusal(person, channel);
}
