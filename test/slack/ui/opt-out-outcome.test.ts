import { expect, test } from 'vitest';
import type { JobResult } from '../../../src/core/jobs/job-results.ts';
import { resultsCsv } from '../../../src/slack/files/results-file.ts';
import { importedWords } from '../../../src/slack/ui/limits/opt-out-forms.ts';
import { jobCard } from '../../../src/slack/ui/lists/job-card.ts';
import { outcomeWord } from '../../../src/slack/ui/lists/words-in-files.ts';
import { historyMessage } from '../../../src/slack/ui/reports/history.ts';
import { detailsView } from '../../../src/slack/ui/reports/history-details.ts';
import { lineMessage, tooLateMessage } from '../../../src/slack/ui/texts/outcome-lines.ts';
import { receiptMessage } from '../../../src/slack/ui/texts/receipt.ts';
import { aJob } from './bulk-samples.ts';
import { AT, settled } from './samples.ts';

const view = settled('not_sent', { cause: 'opted_out' }, { barredFor: 'opted_out' });
const WORDS = 'not sent: opted out';

test('a text to a number that opted out meanwhile is called so in its receipt, at a second click, and in the channel', () => {
  expect(receiptMessage(view).text).toMatch(/^⛔ \*Not sent: opted out\* · text to /);
  expect(tooLateMessage(view).text).toContain(`· *${WORDS}*, no credits used`);
  expect(lineMessage(view, { posted: true })?.text).toContain(`· *${WORDS}*, no credits used`);
});

test('and in the history: its table, its details and its file', () => {
  const row = {
    kind: 'single' as const,
    id: 'send-1',
    channel: 'C1',
    by: 'UANA',
    at: AT,
    credits: 0,
    number: '···0958',
    outcome: 'opted_out' as const,
  };
  expect(historyMessage({ rows: [row] }, {}).shown.text).toContain(`· ${WORDS}`);
  const details = detailsView({ kind: 'single', view, number: '···0958', isWhole: false, chain: [] });
  expect(JSON.stringify(details)).toContain(`*Outcome*\\n${WORDS}`);
  expect(outcomeWord({ e164: '+442079460958', state: 'not_sent', barredFor: 'opted_out' })).toBe(WORDS);
});

test('of a list: on its card, in its results, and counted in the history', async () => {
  const card = jobCard(aJob({ state: 'finished' }, { sent: 2, optedOut: 1, left: 0, total: 3 }), { now: AT });
  expect(card.text).toContain('Opted out: 1');
  const result: JobResult = { row: 3, e164: '+442079460958', state: 'not_sent', barredFor: 'opted_out' };
  expect(Buffer.from(await resultsCsv([result], 'UTC')).toString()).toContain(`3,(+44) 2079460958,${WORDS},`);
});

test('an import of one number says so of one', () => {
  const wrong = { wrong_number: 0, duplicate: 0, empty_placeholder: 0, too_long: 0 };
  const words = (changed: number) =>
    importedWords({ kind: 'imported', numbers: changed, changed, wrong }, undefined);
  expect(words(1)).toBe('✅ *1 number opted out.* Nobody here can text it from now on.');
  expect(words(2)).toBe('✅ *2 numbers opted out.* Nobody here can text them from now on.');
});
