import { expect, test } from 'vitest';
import type { HistoryPage } from '../../../src/core/history/history-pages.ts';
import type { HistoryRow } from '../../../src/core/history/history-rows.ts';
import { historyMessage } from '../../../src/slack/ui/reports/history.ts';
import { detailsView } from '../../../src/slack/ui/reports/history-details.ts';
import { aJob } from './bulk-samples.ts';
import { AT, labelsOf, objectsIn, wordsOf } from './samples.ts';

const PAGE: HistoryPage = {
  rows: [
    {
      id: 'JqCERd2dxGX_',
      channel: 'C1',
      by: 'UANA',
      at: AT,
      credits: 1,
      kind: 'single',
      number: '···0958',
      outcome: 'sent',
    },
  ],
};
/** A message's first words, and its table's caption. */
function opening(state: Parameters<typeof historyMessage>[1]) {
  const { blocks } = historyMessage(PAGE, state).shown;
  const [table] = [...objectsIn(blocks)].filter(({ type }) => type === 'data_table');
  const [first] = blocks as { type: string; text?: { text: string } }[];
  return { first: first?.text?.text ?? first?.type, caption: table?.caption };
}

test('a table says once whose texts they are, and a line above it names the filter', () => {
  expect(opening({})).toEqual({ first: 'data_table', caption: 'Texts from this channel' });
  expect(opening({ all: true }).caption).toBe('Texts from all channels');
  expect(opening({ filter: { e164: '+442079460958', outcome: 'sent' } }).first).toBe(
    '*Only* to ···0958 · outcome: sent',
  );
});

test('a search that found nothing so far says so, and how far it got', () => {
  const older = { id: 'JqCERd2dxGX_', at: AT } as never;
  const { text } = historyMessage({ rows: [], older, searchedTo: AT }, {}).shown;
  expect(text).toMatch(/\nNothing found so far\. We searched as far as .+\. Press \*Older\* to continue\.$/);
  expect(historyMessage({ ...PAGE, older, searchedTo: AT }, {}).shown.text).not.toContain('Nothing found');
});

test('without a table, the headline comes first', () => {
  expect(historyMessage(PAGE, {}).plainer.text).toMatch(/^\*Texts from this channel\*\n1\. /);
  expect(historyMessage({ rows: [] }, {}).shown.text).toMatch(/^\*Texts from this channel\*\n/);
});

test('if nothing was sent, it says from where', () => {
  expect(historyMessage({ rows: [] }, {}).shown.text).toMatch(/\nNothing was sent from here yet\.$/);
  expect(historyMessage({ rows: [] }, { all: true }).shown.text).toMatch(/\nNothing was sent yet\.$/);
  expect(labelsOf(historyMessage({ rows: [] }, {}).shown)).toEqual(['Write a text']);
  const filter = { outcome: 'unknown' } as const;
  expect(labelsOf(historyMessage({ rows: [] }, { filter }).shown)).toEqual(['Filter', 'Remove filter']);
});

test('the cost of an unknown text is not known; a person’s word that it arrived is shown as such', () => {
  const unknown = { ...PAGE.rows[0], outcome: 'unknown', credits: 0 } as HistoryRow;
  const lines = historyMessage({ rows: [unknown, { ...unknown, saidSent: true } as HistoryRow] }, {});
  expect(lines.plainer.text).toMatch(
    / · unknown · cost not known\n.* · sent \(somebody said so\) · cost not known$/,
  );
  const cells = [...objectsIn(lines.shown.blocks)].filter(({ type }) => type === 'raw_number');
  expect(cells.map(({ text }) => text)).toEqual(['1', '–', '2', '–']);
});

test('the details of a paused list say where its buttons are', () => {
  const detailsIn = (state: 'paused' | 'running') =>
    wordsOf(detailsView({ kind: 'job', view: aJob({ state }), chain: [] }).blocks);
  expect(detailsIn('paused')).toContain('Its card in <#C1> has the buttons.');
  expect(detailsIn('running')).not.toContain('buttons');
});
