import type { ModalView } from '@slack/types';
import { DEFAULT_SETTINGS } from '../../../src/core/accounts/links.ts';
import type { JobPreview } from '../../../src/core/jobs/job-preview.ts';
import type { JobView } from '../../../src/core/jobs/job-view.ts';
import type { PauseReason } from '../../../src/core/jobs/pause-reason.ts';
import type { ListSummary } from '../../../src/core/lists/list.ts';
import type { NothingToSend } from '../../../src/core/lists/row-pass.ts';
import type { Message } from '../../../src/slack/ui/blocks.ts';
import { withdrawnMessage } from '../../../src/slack/ui/expired-draft.ts';
import { restNeedsApproval } from '../../../src/slack/ui/limits/approve-rest.ts';
import { bulkDraftMessage } from '../../../src/slack/ui/lists/bulk-draft.ts';
import { bulkForm } from '../../../src/slack/ui/lists/bulk-form.ts';
import * as draftAnswers from '../../../src/slack/ui/lists/draft-answers.ts';
import { jobCard, pauseNews } from '../../../src/slack/ui/lists/job-card.ts';
import * as sentences from '../../../src/slack/ui/lists/job-sentences.ts';
import { tooLateMessage } from '../../../src/slack/ui/texts/outcome-lines.ts';
import { ANSWERED_ELSEWHERE, checkingListView, noticeView } from '../../../src/slack/ui/views.ts';
import { AT, evidence, NO_BUDGETS } from './samples.ts';

/** A list of 4,247 rows, 4,213 of them to send. */
export function aList(fields: Partial<ListSummary> = {}): ListSummary {
  return {
    rows: 4247,
    toSend: 4213,
    wrong: { wrong_number: 12, duplicate: 20, empty_placeholder: 1, too_long: 1 },
    countries: [
      { name: 'United Kingdom', messages: 4000 },
      { name: 'Germany', messages: 213 },
    ],
    bySegments: { 1: 4000, 2: 213 },
    ucs2: 13,
    samples: {
      first: { row: 2, e164: '+442079460958', text: 'Hello Ana' },
      dearest: { row: 17, e164: '+447700900123', text: `Hello Zoë’s ${'x'.repeat(80)}` },
      fallback: { row: 40, e164: '+12025550123', text: 'Hello there' },
    },
    wrongRows: [
      { row: 3, problem: 'wrong_number', reason: '"+44 7700" is too short' },
      { row: 9, problem: 'duplicate', reason: 'the same number as row 2' },
    ],
    ...fields,
  };
}

/** @ana's job of that list. She pressed Send at 14:02, and the bot has sent nothing yet. */
export function aJob(
  fields: Partial<JobView> = {},
  counts: Partial<JobView['counts']> = {},
  details: Partial<JobView['details']> = {},
): JobView {
  const list = details.list ?? aList();
  return {
    id: 'job-1',
    team: 'T1',
    channel: 'C1',
    instance: 'acme',
    state: 'running',
    createdAt: AT,
    expiresAt: AT + 900_000,
    decidedBy: 'UANA',
    decidedAt: AT,
    creditsUsed: 0,
    ...fields,
    counts: {
      total: list.toSend,
      sent: 0,
      rejected: 0,
      notSent: 0,
      optedOut: 0,
      repeated: 0,
      unknown: 0,
      cancelled: 0,
      left: 0,
      inFlight: 0,
      otherStatuses: {},
      ...counts,
    },
    details: {
      by: 'UANA',
      accountId: 'https://sms.example/api/v1#1',
      estimate: { credits: 4426, basis: 'receipts' },
      list,
      given: { template: 'Hello {name|there}', file: { id: 'F1', name: 'list.csv' } },
      ...details,
    },
  };
}

/** The job's preview, with 10,000 credits in the account. */
export function aPreview(
  fields: Partial<JobPreview> = {},
  view: JobView = aJob({ state: 'draft' }),
  instanceName = 'Sales',
): JobPreview {
  const link = {
    ...DEFAULT_SETTINGS,
    team: 'T1',
    channel: 'C1',
    instanceId: 'acme',
    linkedBy: 'UADMIN',
    linkedAt: AT,
  };
  return {
    view,
    linked: { link, instance: { name: instanceName } as JobPreview['linked']['instance'] },
    balance: 10_000,
    short: false,
    msToSend: 120_000,
    budgets: NO_BUDGETS,
    ...fields,
  };
}

/** A list with the most of everything: 100,000 rows, 20 quoted wrong rows, three long texts with `nasty` in them. */
export function hugeList(nasty: string): ListSummary {
  const text = nasty.repeat(Math.ceil(1000 / Math.max(1, nasty.length))) || 'x';
  return aList({
    rows: 100_000,
    toSend: 4213,
    wrong: { wrong_number: 40_000, duplicate: 30_000, empty_placeholder: 20_000, too_long: 5787 },
    countries: Array.from({ length: 240 }, (_, index) => ({
      name: `${nasty}${index}`,
      messages: 999 - index,
    })),
    bySegments: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index + 1, 100])),
    samples: {
      first: { row: 2, e164: '+442079460958', text },
      dearest: { row: 99_999, e164: '+447700900123', text: `${text}!` },
      fallback: { row: 100_000, e164: '+12025550123', text: `${text}?` },
    },
    wrongRows: Array.from({ length: 20 }, (_, index) => ({
      row: 99_000 + index,
      problem: 'wrong_number' as const,
      reason: `"${nasty.repeat(3)}" is no phone number`,
    })),
  });
}

const REASONS = (nasty: string): PauseReason[] => [
  { why: 'person', by: 'UBEN' },
  { why: 'key_refused' },
  { why: 'key_refused', otherAccount: true },
  { why: 'credits' },
  { why: 'credits', required: 100, available: 1 },
  { why: 'refused', code: nasty, message: nasty },
  { why: 'all_invalid', message: nasty },
  { why: 'unknown_answers' },
  { why: 'over_budget', period: 'month' },
  { why: 'over_budget', period: 'day' },
  { why: 'above_approved' },
];

/** A list that a second person approved, and that needs more credits. */
function approvedJob(): JobView {
  const approval = { askedBy: 'UANA', askedAt: AT, topic: 'approval', by: 'UBEN', at: AT };
  const fields = { state: 'paused', pause: { why: 'above_approved' }, approval } as const;
  return aJob(fields, { left: 2341 }, { restApproved: { by: 'UBEN', upTo: 9000 } });
}

/** A card in every state. The service's words are `nasty`. */
export function cardsWith(nasty: string): JobView[] {
  const otherStatuses = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`${nasty}${index}`, 10]),
  );
  const counts = {
    sent: 1769,
    rejected: 3,
    unknown: 100,
    notSent: 1,
    repeated: 2,
    cancelled: 7,
    otherStatuses,
  };
  return [
    aJob({ msLeft: 180_000 }, { ...counts, left: 2341, inFlight: 100 }),
    ...REASONS(nasty).map((pause) => aJob({ state: 'paused', pause }, { ...counts, left: 2341 })),
    aJob({ startsAt: AT + 10_000 }, { left: 4213 }),
    aJob({ startsAt: AT - 1, canUndo: true }, { left: 4213 }),
    aJob({ state: 'cancelled', undoneBy: 'UBEN' }),
    approvedJob(),
    aJob({ state: 'paused' }, { left: 0 }),
    aJob({ servedAt: AT }, { ...counts, left: 2341 }, { outOfReachSince: AT - 60_000 }),
    aJob({}, { ...counts, left: 2341 }, { outOfReachSince: AT - 60_000 }),
    aJob({ state: 'stopped' }, { ...counts, left: 100, inFlight: 100 }),
    aJob({ state: 'stopped', endedAt: AT }, counts),
    ...(['probably_not_sent', 'probably_sent', 'undecided', 'topped_up', 'none'] as const).map((verdict) =>
      aJob(
        { state: 'finished', endedAt: AT, resendableAt: AT, evidence: evidence(verdict, 899, 130) },
        counts,
      ),
    ),
    aJob({ state: 'finished', decidable: 3, saidSent: { by: 'UBEN', messages: 2 } }, { unknown: 5 }),
    aJob({ state: 'finished', resentAs: 'job-2', resends: { send: 'job-0', indexes: [1] } }, counts),
  ];
}

/** Some of a channel's jobs. */
export function manyJobs(nasty: string): JobView[] {
  return cardsWith(nasty).slice(0, 8);
}

/** Every message about bulk jobs. Words of people, files and the service are `nasty`. */
export function bulkMessagesWith(nasty: string): Message[] {
  const list = hugeList(nasty);
  const given = { template: nasty, file: { id: 'F1', name: nasty } };
  const huge = aJob({ state: 'draft' }, {}, { list, given });
  const resend = aJob({ state: 'draft', resends: { send: 'job-0', indexes: [1, 2] } }, {}, { list, given });
  const { balance: _unread, ...unread } = aPreview({}, huge, nasty);
  return [
    bulkDraftMessage({ preview: aPreview({ balance: 4500 }, huge, nasty), wrongFile: 'delivered' }),
    bulkDraftMessage({ preview: aPreview({ short: true, balance: 3900 }, huge, nasty), wrongFile: 'failed' }),
    bulkDraftMessage({ preview: unread }),
    ...[false, true].map((included) => {
      const repeats = { messages: 312, included, withinMs: 86_400_000 };
      return bulkDraftMessage({
        preview: aPreview({}, aJob({ state: 'draft' }, {}, { list, given, repeats }), nasty),
      });
    }),
    bulkDraftMessage({
      preview: aPreview(
        {},
        aJob(
          { state: 'draft' },
          {},
          {
            list: aList({ toSend: 0, bySegments: {}, countries: [], ucs2: 0 }),
            repeats: { messages: 1, included: false, withinMs: 86_400_000 },
          },
        ),
      ),
    }),
    bulkDraftMessage({ preview: aPreview({ balance: 4500 }, resend, nasty) }),
    ...[...cardsWith(nasty), aJob({}, {}, { given })].flatMap((view) => [
      jobCard(view, { now: AT }),
      pauseNews(view),
      jobCard(view, { now: AT, results: { updated: false } }),
      jobCard(view, { now: AT, results: { updated: true } }),
      jobCard(view, { now: AT, results: { updated: false, failed: 'Slack did not take it' } }),
    ]),
    ...(['draft', 'expired', 'cancelled', 'superseded', 'running', 'finished'] as const).map((state) =>
      tooLateMessage(aJob({ state })),
    ),
    ...(['running', 'paused', 'finished', 'stopped', 'draft'] as const).map((state) =>
      sentences.jobMovedOn(aJob({ state })),
    ),
    draftAnswers.bulkSending(huge, AT),
    draftAnswers.bulkSending({ ...huge, state: 'running', startsAt: AT + 10_000 }, AT),
    withdrawnMessage(huge),
    ...[aJob({ state: 'paused' }), approvedJob()].flatMap((view) =>
      (['may', 'own', 'not_approver'] as const).map((right) => {
        const above = { approvedUpTo: 4213, asked: 99_999 };
        const needed = { above, proposed: 109_999, view, right, approvers: ['UBEN', 'UCYD'] };
        return restNeedsApproval({ kind: 'above_approved', ...needed }, {});
      }),
    ),
    sentences.JOB_UNLINKING,
    sentences.JOB_GONE,
    sentences.serviceWords(huge, nasty),
    sentences.NO_SERVICE_WORDS,
    sentences.NONE_REJECTED,
    sentences.REJECTED_DELETED,
    draftAnswers.checkedWithoutForm(nasty),
  ];
}

/** Every modal about bulk jobs, with `nasty` in the same places. */
export function bulkViewsWith(nasty: string): ModalView[] {
  const columns = Array.from({ length: 150 }, (_, index) => ({ index, name: nasty, sample: nasty }));
  const channels = Array.from({ length: 150 }, (_, index) => ({ id: `C${index}`, name: `${index}${nasty}` }));
  const metadata = '{}';
  return [
    bulkForm({ metadata }),
    bulkForm({ metadata, recipients: nasty, message: nasty, channels, editing: true }),
    bulkForm({ metadata, columns, file: { name: nasty }, hash: 'x' }),
    bulkForm({ metadata, notice: nasty || 'x' }),
    checkingListView(undefined),
    checkingListView(nasty, 41_000),
    noticeView('x', ANSWERED_ELSEWHERE),
  ];
}

/** A list without a row to send. */
export const NOTHING: NothingToSend = {
  kind: 'nothing',
  leftOut: 0,
  rows: 12,
  wrong: { wrong_number: 9, duplicate: 3, empty_placeholder: 0, too_long: 0 },
  wrongRows: [
    { row: 2, problem: 'wrong_number', reason: '"0812" has no country code' },
    { row: 3, problem: 'wrong_number', reason: '"4.41E+11" was rounded by the spreadsheet' },
    { row: 4, problem: 'duplicate', reason: 'the same number as row 2' },
    { row: 5, problem: 'duplicate', reason: 'the same number as row 2' },
  ],
  wrongCsv: new Uint8Array(),
};
