import type { ModalView } from '@slack/types';
import type { HistoryDetails } from '../../../src/core/history/history-details.ts';
import { HISTORY_OUTCOMES, type OutcomeCounts } from '../../../src/core/history/history-outcomes.ts';
import type { HistoryPage } from '../../../src/core/history/history-pages.ts';
import type { HistoryRow } from '../../../src/core/history/history-rows.ts';
import type { Message } from '../../../src/slack/ui/blocks.ts';
import * as ui from '../../../src/slack/ui/reports/history.ts';
import { detailsView } from '../../../src/slack/ui/reports/history-details.ts';
import * as exported from '../../../src/slack/ui/reports/history-export.ts';
import { historyFilterForm } from '../../../src/slack/ui/reports/history-filter-form.ts';
import { manyJobs } from './bulk-samples.ts';
import { ACCEPTED, AT, evidence, settled } from './samples.ts';

/** The highest count of each outcome. An undone job has no other outcome, so `undone` is 0. */
const COUNTS = {
  ...Object.fromEntries(HISTORY_OUTCOMES.map((outcome, index) => [outcome, 1_000_000 + index])),
  undone: 0,
} as OutcomeCounts;
const NEWER = { way: 'newer' as const, place: { at: AT, id: 'JqCERd2dxGX_' } };
const OLDER = {
  way: 'older' as const,
  place: { at: AT, id: '-JqCERd2dxGX' },
  job: { id: 'job-1', chunk: 7 },
};
const FILTER = {
  by: 'UANA',
  e164: '+442079460958',
  outcome: 'other_status' as const,
  from: AT - 1,
  to: AT,
};

function rowsWith(nasty: string): HistoryRow[] {
  const common = { id: 'JqCERd2dxGX_', channel: 'C1', by: 'UANA', at: AT, credits: 4213 };
  return [
    { ...common, kind: 'single', number: '+44 20 7946 0958', outcome: 'sent' },
    { ...common, kind: 'single', number: undefined, outcome: 'unknown', by: 'operator' },
    { ...common, kind: 'single', number: undefined, outcome: 'undone', credits: 0 },
    ...Array.from({ length: 4 }, () => ({
      ...common,
      kind: 'single' as const,
      number: '···0958',
      outcome: 'other_status' as const,
      otherStatus: nasty,
    })),
    ...Array.from({ length: 4 }, () => ({
      ...common,
      kind: 'job' as const,
      file: nasty,
      isResend: false,
      counts: COUNTS,
      total: 7_000_000,
    })),
  ];
}

/** Every message of the history. Words of people and the service are `nasty`. */
export function historyMessagesWith(nasty: string): Message[] {
  const rows = rowsWith(nasty);
  const pages: HistoryPage[] = [
    { rows, older: OLDER, newer: NEWER },
    { rows: rows.slice(0, 1), older: OLDER, searchedTo: AT },
    { rows: [], older: OLDER, newer: NEWER, searchedTo: AT },
    { rows: [], newer: NEWER },
    { rows: [] },
  ];
  return [
    ...pages.flatMap((page) =>
      [{}, { all: true, filter: FILTER }].flatMap((state) => Object.values(ui.historyMessage(page, state))),
    ),
    ui.HISTORY_GONE,
    ui.HISTORY_USAGE,
    exported.EXPORT_BEGUN,
    exported.EXPORT_UNDER_WAY,
    exported.exportProgress(12_000),
    exported.exportFailed(12_000),
    exported.exportStopped(0),
    exported.exportStopped(2),
    ...[0, 1, 100_000].map((count) => exported.exportDone({ rows: count, files: Math.ceil(count / 50_000) })),
  ];
}

/** Every modal of the history, with `nasty` in the same places. */
export function historyViewsWith(nasty: string): ModalView[] {
  const chain = Array.from({ length: 11 }, () => ({
    id: 'JqCERd2dxGX_',
    at: AT,
    by: 'UANA',
    counts: COUNTS,
  }));
  const text = nasty || 'x';
  const words = { ...ACCEPTED, message: nasty, otherStatus: nasty };
  const singles = [
    settled('sent', ACCEPTED, { text }),
    settled('sent', words, { text, settledAt: AT }),
    settled('unknown', { cause: 'no_answer' }, { text, evidence: evidence('probably_sent', 998) }),
    settled('unknown', { cause: 'no_answer' }, { text, saidSentBy: 'UANA' }),
    settled('rejected', { cause: 'validation', message: nasty }, { text: '' }),
    settled('pending', undefined, { text }),
  ];
  const details: HistoryDetails[] = [
    ...singles.flatMap((view) => [
      { kind: 'single' as const, view, number: '+44 20 7946 0958', isWhole: true, chain },
      { kind: 'single' as const, view, number: undefined, isWhole: false, chain: [] },
    ]),
    ...manyJobs(nasty).map((view) => ({ kind: 'job' as const, view, chain })),
  ];
  return [
    ...details.map(detailsView),
    historyFilterForm({}, { timeZone: 'UTC', metadata: '{}' }),
    historyFilterForm(
      {
        by: 'UANA',
        e164: '+442079460958',
        outcome: 'unknown',
        from: Date.UTC(2026, 2, 4),
        to: Date.UTC(2026, 2, 6),
      },
      { timeZone: 'UTC', metadata: '{}' },
    ),
  ];
}
