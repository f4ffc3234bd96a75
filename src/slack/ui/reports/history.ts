import type { ActionsBlock, DataTableBlock, RichTextElement } from '@slack/types';
import { OPERATOR } from '../../../core/accounts/instances.ts';
import type { HistoryPage } from '../../../core/history/history-pages.ts';
import type { HistoryFilter } from '../../../core/history/history-query.ts';
import type { HistoryRow } from '../../../core/history/history-rows.ts';
import { maskNumber } from '../../../core/texts/phone-format.ts';
import { button, joined, type Message, message, type Part, section, small } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { menu, option } from '../modal.ts';
import { formButton } from '../prefill.ts';
import { escaped } from '../safe-text.ts';
import { credits, dateWords, inLines, mention, present, when } from '../words.ts';
import { type Cell, numberCell, textCell } from './charts.ts';
import { type HistoryState, writeHistoryState, writeRowValue } from './history-state.ts';
import { OUTCOME_WORDS, outcomeWords, recipientWords } from './history-words.ts';

const BLOCK_ID_MAX = 255;

/** A page of the history. `plainer`: the same without a table, for a Slack that takes none. */
export function historyMessage(page: HistoryPage, state: HistoryState): { shown: Message; plainer: Message } {
  const { rows } = page;
  const looked = filterWords(state.filter);
  const headline = inLines(`*${captionOf(state)}*`, looked);
  const lines = rows.map((row, index) => lineOf(row, index, state));
  const note = noteOf(page, state);
  const after = joined(
    note && small(note),
    rows.length > 0 && detailsMenu(rows, state),
    ...pageButtons(page, state),
  );
  const plainer = joined(headline, ...lines, after);
  if (rows.length === 0) return { shown: plainer, plainer };
  // The table's caption is the headline.
  const blocks = present(looked && section(looked), tableOf(rows, state), ...after.blocks);
  return { shown: { ...plainer, blocks }, plainer };
}

function captionOf({ all }: HistoryState): string {
  return all ? 'Texts from all channels' : 'Texts from this channel';
}

/** The filter in words; undefined without one. */
function filterWords({ by, e164, outcome, from, to }: HistoryFilter = {}): string | undefined {
  const looked = present(
    by !== undefined && `by ${mention(by)}`,
    e164 !== undefined && `to ${maskNumber(e164)}`,
    outcome !== undefined && `outcome: ${OUTCOME_WORDS[outcome]}`,
    from !== undefined && `from ${when(from)}`,
    to !== undefined && `before ${when(to)}`,
  );
  return looked.length === 0 ? undefined : `*Only* ${looked.join(' · ')}`;
}

function noteOf(
  { rows, searchedTo, newer }: HistoryPage,
  { filter = {}, cursor, all }: HistoryState,
): string | undefined {
  if (searchedTo !== undefined) {
    const way = cursor?.way === 'newer' ? 'Newer' : 'Older';
    const found = rows.length === 0 ? 'Nothing found so far. ' : '';
    return `${found}We searched as far as ${when(searchedTo)}. Press *${way}* to continue.`;
  }
  if (rows.length > 0) return undefined;
  if (newer !== undefined) return 'There is nothing older.';
  if (Object.keys(filter).length > 0) return 'No text matches.';
  return all ? 'Nothing was sent yet.' : 'Nothing was sent from here yet.';
}

function lineOf(row: HistoryRow, index: number, { all }: HistoryState): string {
  return present(
    `${index + 1}. ${when(row.at)}`,
    all && `<#${row.channel}>`,
    mention(row.by),
    escaped(recipientWords(row)),
    escaped(outcomeWords(row)),
    isCostKnown(row) ? credits(row.credits) : 'cost not known',
  ).join(' · ');
}

/** docs.slack.dev/reference/block-kit/blocks/data-table-block: the header takes plain cells only. */
function tableOf(rows: HistoryRow[], state: HistoryState): DataTableBlock {
  const { all } = state;
  const header = present('#', 'When', all && 'Channel', 'Who', 'To', 'Outcome', 'Credits');
  return {
    type: 'data_table',
    caption: captionOf(state),
    page_size: rows.length,
    rows: [
      header.map(textCell),
      ...rows.map((row, index) =>
        present(
          numberCell(index + 1),
          rich({ type: 'date', timestamp: Math.floor(row.at / 1000), ...dateWords(row.at) }),
          all && rich({ type: 'channel', channel_id: row.channel }),
          row.by === OPERATOR ? textCell(mention(row.by)) : rich({ type: 'user', user_id: row.by }),
          textCell(recipientWords(row)),
          textCell(outcomeWords(row)),
          isCostKnown(row) ? numberCell(row.credits) : { ...numberCell(0), text: '–' },
        ),
      ),
    ],
  };
}

/** A list's figure counts its known texts. */
function isCostKnown(row: HistoryRow): boolean {
  return row.kind === 'job' || row.outcome !== 'unknown';
}

function rich(element: RichTextElement): Cell {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [element] }] };
}

/** A table's rows can have no buttons, so this menu names the rows again. Its block's id is the page's state, if that fits. */
function detailsMenu(rows: HistoryRow[], state: HistoryState): ActionsBlock {
  const id = writeHistoryState(state);
  const options = rows.map((row, index) =>
    option(writeRowValue(row.id, state.all), `${index + 1}. ${recipientWords(row)} · ${outcomeWords(row)}`),
  );
  return {
    type: 'actions',
    ...(id.length <= BLOCK_ID_MAX && { block_id: id }),
    elements: [menu(ACTIONS.historyDetails, { options }, { placeholder: 'Details of …' })],
  };
}

function pageButtons(
  { rows, searchedTo, newer, older }: HistoryPage,
  { cursor: _page, turn: _menu, ...state }: HistoryState,
): Part[] {
  const value = writeHistoryState(state);
  const isFiltered = Object.keys(state.filter ?? {}).length > 0;
  const hasNothing = rows.length === 0 && searchedTo === undefined && !newer;
  if (hasNothing && !isFiltered) return [formButton('Write a text')];
  return [
    newer && button(ACTIONS.historyNewer, 'Newer', writeHistoryState({ ...state, cursor: newer })),
    older && button(ACTIONS.historyOlder, 'Older', writeHistoryState({ ...state, cursor: older })),
    button(ACTIONS.historyFilter, 'Filter', value),
    isFiltered && button(ACTIONS.historyAll, 'Remove filter', writeHistoryState({ ...state, filter: {} })),
    !hasNothing && button(ACTIONS.historyExport, 'Export CSV', value),
  ];
}

/** For a button of another version. */
export const HISTORY_GONE = message('This page is out of date. Please type `/sms history` again.');

/** For words after `/sms history` that we can't read. */
export const HISTORY_USAGE = message(
  '⛔ After `/sms history`, write a phone number, `all`, or nothing.\n`/sms history` shows what was sent from this channel.\n`/sms history +44 20 7946 0958` says whether a number was texted.\nAdmins can type `/sms history all`.',
);
