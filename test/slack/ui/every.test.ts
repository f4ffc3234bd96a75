import type { ModalView } from '@slack/types';
import { describe, expect, test } from 'vitest';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import { OPERATOR } from '../../../src/core/accounts/instances.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/accounts/links.ts';
import type { Finding } from '../../../src/core/accounts/list-refusal-seen.ts';
import type { BudgetNotice } from '../../../src/core/budgets/budgets.ts';
import { readSend } from '../../../src/core/sends/typed-send.ts';
import * as accessRefusals from '../../../src/slack/ui/access-refusals.ts';
import * as apologies from '../../../src/slack/ui/apologies.ts';
import { type Message, message } from '../../../src/slack/ui/blocks.ts';
import * as draftRefusals from '../../../src/slack/ui/draft-refusals.ts';
import { withdrawnMessage } from '../../../src/slack/ui/expired-draft.ts';
import { helpMessage } from '../../../src/slack/ui/help.ts';
import { askButton } from '../../../src/slack/ui/limits/approval-words.ts';
import {
  budgetNotice,
  listTooLong,
  overBudget,
  stillOverBudget,
} from '../../../src/slack/ui/limits/budget-words.ts';
import { limitsForm, limitsSaved } from '../../../src/slack/ui/limits/limits-form.ts';
import { TOO_LATE_TO_UNDO, undoableText } from '../../../src/slack/ui/limits/undo.ts';
import { balanceMessage, balanceUnavailable } from '../../../src/slack/ui/reports/balance.ts';
import {
  driftMessage,
  insteadOf,
  keyNoticeMessage,
  lostRecordMessage,
  lowCreditMessage,
} from '../../../src/slack/ui/reports/notices.ts';
import * as statements from '../../../src/slack/ui/reports/statement.ts';
import { outcomesMessage } from '../../../src/slack/ui/reports/statement-charts.ts';
import { statementDatesForm } from '../../../src/slack/ui/reports/statement-choices.ts';
import { statusMessage } from '../../../src/slack/ui/reports/status.ts';
import {
  addKeyForm,
  instanceInUse,
  instanceRemoved,
  keyAddedNotice,
  keyKnownAlready,
  keyReplacedNotice,
  knownKeyNotice,
  removeInstanceForm,
  replaceKeyForm,
} from '../../../src/slack/ui/setup/key-forms.ts';
import { keyRefusalSentence } from '../../../src/slack/ui/setup/key-words.ts';
import { linkForm } from '../../../src/slack/ui/setup/link-form.ts';
import * as linkNews from '../../../src/slack/ui/setup/link-news.ts';
import * as checkForms from '../../../src/slack/ui/setup/refusal-check-forms.ts';
import type { RefusalFacts } from '../../../src/slack/ui/setup/refusal-rule.ts';
import { settingsForm } from '../../../src/slack/ui/setup/settings-form.ts';
import { draftMessage } from '../../../src/slack/ui/texts/draft.ts';
import { lineMessage, tooLateMessage } from '../../../src/slack/ui/texts/outcome-lines.ts';
import { receiptMessage, sendingMessage, waitingMessage } from '../../../src/slack/ui/texts/receipt.ts';
import { sendForm } from '../../../src/slack/ui/texts/send-form.ts';
import { readingMessage } from '../../../src/slack/ui/texts/typed-send.ts';
import {
  CHECKING_KEY_VIEW,
  CHECKING_REFUSALS_VIEW,
  loadingView,
  noticeView,
} from '../../../src/slack/ui/views.ts';
import { approvalMessagesWith, approvalViewsWith } from './approval-samples.ts';
import { bulkMessagesWith, bulkViewsWith, manyJobs } from './bulk-samples.ts';
import { historyMessagesWith, historyViewsWith } from './history-samples.ts';
import { optOutMessagesWith, optOutViewsWith } from './opt-out-samples.ts';
import {
  ACCEPTED,
  AT,
  aLink,
  anInstance,
  aSend,
  evidence,
  expectFine,
  expectFineView,
  labelsOf,
  NASTY,
  NO_BUDGETS,
  objectsIn,
  settled,
  unknownFacts,
} from './samples.ts';

/** Both budgets are short. */
const SHORT = { used: 1_000_000, held: 4213, limit: 1, left: 0, renewsAt: AT };
const NOTICES: BudgetNotice[] = [80, 100].flatMap((level) =>
  ['C1', 'U1', 'UADM'].map((to) => ({
    team: 'T1',
    channelId: 'C1',
    to,
    level,
    limit: 4213,
    used: 4000,
    held: 213,
    renewsAt: AT,
    ...(to === 'C1' ? {} : { person: 'U1' }),
  })),
);
const BUDGETS = { month: SHORT, day: SHORT };

const link = aLink();
const finding: Finding = {
  by: 'UADMIN',
  at: AT,
  seen: {
    answer: 'refused',
    status: 422,
    code: 'VALIDATION_ERROR',
    before: 1000,
    after: [1000, 999],
    alone: true,
  },
  arrived: 'yes',
};
const ANSWERS = ['refused', 'accepted', 'key_refused', 'rate_limited', 'not_started', 'no_answer'] as const;
const refusalFacts: RefusalFacts[] = [
  { rule: { mode: 'atomic', by: 'UADMIN', at: AT, check: finding }, lastCheck: finding },
  { rule: { mode: 'unproven', by: 'books', at: AT }, lastCheck: finding },
  { rule: { mode: 'unproven', by: OPERATOR, at: AT } },
];
const manyPeople = Array.from({ length: 200 }, (_, index) => `U${index}`);
const manyChannels = (name: string) =>
  Array.from({ length: 150 }, (_, index) => ({ id: `C${index}`, name: `${index}${name}` }));

/** Every message of the bot. Words of people and the service are `nasty`. */
function messagesWith(nasty: string): Message[] {
  const text = nasty || 'x';
  const notLinkedFor = (isAdmin: boolean) => accessRefusals.notLinked({ isAdmin, admins: [] });
  const linking = { channel: 'C1', instanceName: nasty };
  const instance = anInstance({ name: nasty, userName: nasty });
  const draft = aSend({ text }, { added: true, noKnownRange: true, balance: 100 });
  const words = { ...ACCEPTED, message: nasty, otherStatus: nasty };
  const unknownWith = (verdict: Parameters<typeof evidence>[0]) =>
    settled('unknown', { cause: 'no_answer' }, { text, evidence: evidence(verdict, 998, 3) });
  const unknowns = Array.from({ length: 30 }, () => unknownWith('probably_sent'));
  const notice = { team: 'T1', instanceName: nasty, keyHint: '…a1b2' };
  const card = {
    team: 'T1',
    channel: 'C1',
    threshold: 100,
    instanceName: nasty,
    spentCredits: 12,
    spentMessages: 10,
    toppedUp: true,
  };
  const causes = ['key_refused', 'credits', 'validation', 'refused', 'rate_limited', 'unreachable'] as const;
  const sends = [
    ...(['sent', 'rejected', 'not_sent', 'unknown', 'cancelled', 'pending', 'sending', 'split'] as const).map(
      (outcome) => settled(outcome, undefined, { text }),
    ),
    settled('sent', words, { text }),
    settled('sent', ACCEPTED, { text, resentAs: 'send-2' }),
    ...causes.map((cause) => settled('rejected', { cause, message: nasty, code: nasty }, { text })),
    ...causes.map((cause) => settled('not_sent', { cause, message: nasty }, { text })),
    ...(['probably_not_sent', 'probably_sent', 'undecided', 'topped_up', 'none'] as const).map(unknownWith),
    settled('unknown', { cause: 'no_answer' }, { text, mayResend: true }),
    ...(['expired', 'cancelled', 'superseded', 'draft'] as const).map((state) => aSend({ state, text })),
    aSend({ state: 'cancelled', outcome: 'cancelled', undoneBy: 'UANA', text }),
  ];
  const readings = [
    `+44 20 7946 0958 ${text}`,
    '+44 20 7946 0958',
    `+49 30 901820 15 ${text}`,
    `0812 ${text}`,
    text,
    `+44 20 7946 0958 ${'y'.repeat(1001)}${text}`,
    '+44 20 7946 0958 :ourlogo:',
  ]
    .map((typed) => readSend(typed))
    .filter((read) => read.kind !== 'send');
  return [
    helpMessage({ isAdmin: true, unknownWord: nasty, suggestion: 'send' }),
    helpMessage({ notLinked: notLinkedFor(true), isAdmin: true, unknownWord: nasty }),
    helpMessage({ notLinked: notLinkedFor(false), isAdmin: false }),
    balanceMessage({ credits: 4213, userName: nasty, readAt: AT }, { link, instance }),
    balanceMessage(
      { credits: 3, userName: nasty, readAt: AT },
      { link: aLink({ threshold: 0 }), instance },
      { sharedBy: 'UANA' },
    ),
    balanceUnavailable({ kind: 'busy', seconds: 0 }, { instance: 'i1', known: { credits: 7, at: AT } }),
    balanceUnavailable({ kind: 'unavailable' }, { instance: 'i1' }),
    balanceUnavailable({ kind: 'key_refused' }, { instance: 'i1' }),
    balanceUnavailable({ kind: 'other_account' }, { instance: 'i1' }),
    draftMessage({
      view: draft,
      linked: { link: { threshold: 100 }, instance: { name: nasty } },
      budgets: BUDGETS,
    }),
    draftMessage({
      view: draft,
      linked: { link: { threshold: 100 }, instance: { name: nasty } },
      budgets: NO_BUDGETS,
      same: { send: 'send-0', by: 'UBEN', at: AT, state: 'unknown' },
    }),
    draftMessage({
      view: { ...draft, resends: { send: 'send-0', indexes: [0] } },
      linked: { link: { threshold: 0 }, instance: { name: nasty } },
      budgets: NO_BUDGETS,
    }),
    ...NOTICES.map((notice) => budgetNotice(notice, { isForAdmin: notice.to === 'UADM' })),
    overBudget(
      { ...SHORT, asked: 4213, person: 'U1' },
      { what: 'list', channel: 'C1' },
      askButton('x', 'budget'),
    ),
    ...[{}, { person: 'U1' }].map((whose) => stillOverBudget({ ...SHORT, ...whose, asked: 4213 }, 'C1')),
    listTooLong({ kind: 'list_too_long', recipients: 100_000, most: 4213 }),
    ...sends.map(sendingMessage),
    undoableText({ ...draft, startsAt: AT + 10_000 }, AT),
    TOO_LATE_TO_UNDO,
    draftRefusals.notYours('UANA', 'undo'),
    draftRefusals.CHECKS_FIRST,
    draftRefusals.EDIT_CHECKS_FIRST,
    waitingMessage(draft, { until: AT, why: 'permits', now: AT - 60_000 }),
    waitingMessage(draft, { until: AT, why: 'asked_to_wait', now: AT }),
    ...sends.map((view) => receiptMessage(view, { topUpUrl: 'https://pay.example/' })),
    ...sends.map(tooLateMessage),
    ...sends.flatMap((view) => [withdrawnMessage(view), withdrawnMessage(view, 'Withdrawn')]),
    ...sends.flatMap((view) => lineMessage(view, { posted: true }) ?? []),
    ...readings.map((read) => readingMessage(read)),
    readingMessage({ kind: 'empty' }),
    accessRefusals.notLinked({ isAdmin: true, admins: [] }),
    accessRefusals.notLinked({ isAdmin: true, admins: [], isDamaged: true }),
    accessRefusals.notLinked({ isAdmin: true, admins: [], elsewhere: 'C1' }),
    accessRefusals.notLinked({ isAdmin: false, admins: manyPeople, isDamaged: true }),
    accessRefusals.notLinked({ isAdmin: false, admins: manyPeople }),
    accessRefusals.notLinked({ isAdmin: false, admins: [] }),
    ...(['outsider', 'guest', 'admins_only', 'not_chosen'] as const).map((why) =>
      accessRefusals.sendRefused(why, { ...link, people: manyPeople }),
    ),
    draftRefusals.creditsShort({ needed: 2, available: 1 }),
    draftRefusals.creditsShort({ needed: 7, least: 1, available: 5 }),
    draftRefusals.keyUnusable(
      { kind: 'key_refused', instanceName: nasty, instanceId: 'i1' },
      { isAdmin: true },
    ),
    draftRefusals.keyUnusable(
      { kind: 'other_account', instanceName: nasty, instanceId: 'i1' },
      { isAdmin: false },
    ),
    draftRefusals.notYours('UANA'),
    draftRefusals.NOT_SENT_YET,
    draftRefusals.NOT_CHANGED_YET,
    draftRefusals.staleDraft(),
    ...(
      ['resent_already', 'said_sent', 'not_unknown', 'forgotten', 'none_unknown', 'more_unknown'] as const
    ).map((why) => draftRefusals.unknownRefused(why)),
    draftRefusals.unknownRefused('too_early'),
    draftRefusals.unknownRefused('too_early', AT),
    draftRefusals.numberUnreadable({ e164: '+44002079460958', text: nasty }),
    accessRefusals.takesNoArgument('link'),
    accessRefusals.adminsOnly('link', ['UADMIN']),
    accessRefusals.CANNOT_POST_HERE,
    accessRefusals.MAY_NOT_POST_HERE,
    apologies.unforeseen('broke', 'a1b2c3d4'),
    apologies.unforeseen('away', 'a1b2c3d4'),
    apologies.unforeseen('emptied', 'a1b2c3d4'),
    apologies.unforeseen('replaced', 'a1b2c3d4'),
    apologies.SLACK_TROUBLE,
    apologies.NOT_INSTALLED,
    apologies.UNKNOWN_BUTTON,
    accessRefusals.needsChannel([]),
    accessRefusals.needsChannel(manyChannels(nasty)),
    ...(['low', 'zero', 'over', 'past'] as const).flatMap((level) => [
      lowCreditMessage({ ...card, level, credits: 0 }),
      insteadOf('C1', lowCreditMessage({ ...card, level, credits: 0 })),
      lowCreditMessage({ ...card, level, credits: 500, topUpUrl: `https://pay.example/${'x'.repeat(480)}` }),
      lowCreditMessage({ ...card, level, credits: 500, threshold: 0 }),
    ]),
    ...[true, false].flatMap((works) => [
      keyNoticeMessage({ ...notice, works, to: { channel: 'C1' } }),
      keyNoticeMessage({ ...notice, works, to: { user: 'UANA' } }),
      keyNoticeMessage({ ...notice, works, otherAccount: true, to: { user: 'UANA' } }),
    ]),
    ...(['sent', 'not_sent', 'unknown', 'unknown_list'] as const).map((became) =>
      lostRecordMessage('s1', { team: 'T1', channel: 'C1', by: 'UANA', became }),
    ),
    statusMessage({
      askedBy: 'UANA',
      link: {
        ...link,
        whoCanSend: 'chosen',
        people: manyPeople,
        guests: true,
        linkedBy: OPERATOR,
        leaving: { by: 'UADMIN' },
      },
      instance: { ...instance, keyRefusedAt: AT },
      balance: { credits: 119, at: AT },
      isServiceSilent: false,
      unknown: unknownFacts(unknowns, 101),
      jobs: manyJobs(nasty),
      rules: '',
      heldBack: 3,
      refusals: { rule: { mode: 'atomic', by: 'UADMIN', at: AT, check: finding }, lastCheck: finding },
    }),
    ...statementsWith(nasty),
    driftMessage({
      team: 'T1',
      user: 'UANA',
      instance: 'i1',
      instanceName: nasty,
      credits: 1240,
      from: AT,
      to: AT + 3_600_000,
      left: 1,
    }),
    ...(['asked', 'over'] as const).flatMap(
      (step) => checkForms.checkResultMessage({ name: nasty, id: 'i1' }, { finding, step }) ?? [],
    ),
    message(checkForms.CHECK_BROKE),
    accessRefusals.adminsOnly('check refusals', []),
    accessRefusals.adminsOnly('check refusals', manyPeople),
    accessRefusals.adminsOnly('change keys', []),
    linkNews.linkChangeMessage({ ...linking, by: 'UADMIN', linked: true }),
    ...[undefined, linkNews.LINKED_AGAIN].map((notice) =>
      linkNews.unlinkQuestion(linking, { linkedAt: 1, newestJob: 0, jobs: 0, notice }),
    ),
    linkNews.LINK_KEPT,
    ...[1, 2].map((jobs) =>
      linkNews.unlinkQuestion(linking, { linkedAt: 1, newestJob: 2, jobs, notice: linkNews.JOB_BEGAN }),
    ),
    ...[0, 2].map((stopped) => linkNews.unlinkingMessage(nasty, stopped)),
    linkNews.unlinkedMessage(nasty, { drafts: 0, stopped: 1 }),
    draftMessage({
      view: { ...draft, mayBeSent: true },
      linked: {
        link: { threshold: 0, limits: { ...NO_LIMITS, approvalAbove: 0 } },
        instance: { name: nasty },
      },
      budgets: NO_BUDGETS,
    }),
    ...approvalMessagesWith(nasty),
    ...bulkMessagesWith(nasty),
    ...historyMessagesWith(nasty),
    ...optOutMessagesWith(nasty),
    linkNews.unlinkedMessage(nasty, { drafts: 2 }),
    linkNews.linkChangeMessage({ ...linking, by: 'UADMIN', linked: false }),
  ];
}

/** Statements of all sizes. */
function statementsWith(nasty: string): Message[] {
  const days = { from: 20_000, to: 20_010 };
  const kinds = ['elsewhere', 'topped_up', 'unknown', 'unclear'] as const;
  const differences = kinds.flatMap((kind) =>
    [-1240, 1].map((credits) => ({ kind, from: AT, to: AT + 3_600_000, credits })),
  );
  const shares = Array.from({ length: 200 }, (_, index) => ({
    channel: `C${index}`,
    by: `U${index}`,
    credits: index,
    messages: 1,
  }));
  const figures = { opening: 1000, closing: 4, unknown: -1, elsewhere: -5, toppedUp: 10 };
  const messages = { credits: 1000, messages: 200 };
  const daily = Array.from({ length: 11 }, (_, index) => ({
    day: days.from + index,
    closing: 4,
    used: 990,
    toppedUp: 10,
  }));
  const outcomes = daily.map(({ day }) => ({ day, sent: 990, notSent: 12, unknown: 3 }));
  const full = {
    days,
    ...figures,
    messages,
    shares,
    others: messages,
    unexplained: -7,
    differences,
    daily,
    outcomes,
  };
  const empty = { ...full, since: AT, shares: [], others: { credits: 0, messages: 0 }, differences: [] };
  const presets = { thisMonth: days, lastMonth: { from: 1, to: 2 } };
  const accounts = Array.from({ length: 120 }, (_, index) => ({
    instance: `i${index}`,
    userName: nasty,
    names: [nasty, nasty],
  }));
  const choices = [
    { instance: 'i0', days, accounts, presets },
    { instance: 'i0', days: { from: 3, to: 3 }, accounts: accounts.slice(0, 1), presets },
  ];
  const runway = { days: 12, earliest: 20_012, latest: 20_020 };
  return [
    ...choices.flatMap((choice) => [
      ...Object.values(
        statements.statementMessage(full, { choice, userName: nasty, runway, threshold: 100 }),
      ),
      ...Object.values(
        statements.statementMessage(empty, { choice, userName: nasty, runway: undefined, threshold: 0 }),
      ),
      statements.noStatement(undefined, { choice, userName: nasty }),
      statements.noStatement({ since: AT }, { choice, userName: nasty }),
    ]),
    ...Object.values(outcomesMessage(nasty, full)),
    ...Object.values(outcomesMessage(nasty, { ...full, outcomes: outcomes.slice(9) })),
    ...Object.values(outcomesMessage(nasty, { ...full, outcomes: [] })),
    statements.NO_ACCOUNTS,
    statements.exportedMessage('delivered', 'delivered'),
    statements.exportedMessage('delivered', 'failed'),
    statements.exportedMessage('failed', 'failed'),
  ];
}

/** Every modal there is, with `nasty` in the same places. */
function viewsWith(nasty: string): ModalView[] {
  const metadata = '{}';
  const nastyInstance = anInstance({ name: nasty });
  const instances = Array.from({ length: 120 }, (_, index) => ({
    id: `i${index}`,
    name: `${nasty}${index}`,
    keyHint: '…a1b2',
  }));
  const settings = {
    ...DEFAULT_SETTINGS,
    country: 'GB',
    whoCanSend: 'chosen' as const,
    people: manyPeople,
    guests: true,
  };
  return [
    sendForm({ metadata, recipient: nasty, message: nasty, channels: manyChannels(nasty) }),
    sendForm({ metadata, editing: true }),
    ...optOutViewsWith(nasty),
    ...approvalViewsWith(nasty),
    linkForm({
      channel: 'C1',
      instances: [],
      settings: DEFAULT_SETTINGS,
      metadata,
      nameValue: nasty,
      notice: nasty || 'x',
    }),
    linkForm({ channel: 'C1', instances, selected: 'i3', settings, metadata }),
    linkForm({ channel: undefined, instances, settings, metadata }),
    addKeyForm({ metadata, nameValue: nasty, notice: nasty || 'x' }),
    ...refusalFacts.map((facts) =>
      settingsForm(
        { link: aLink(settings), instance: nastyInstance },
        {
          refusals: { ...facts, shared: true },
          keepDays: { now: 30, most: 90 },
          metadata,
        },
      ),
    ),
    limitsForm({
      channel: 'C1',
      limits: { ...NO_LIMITS, approvers: ['U1'], approvalsIn: 'direct', monthlyBudget: 1_000_000_000 },
      rules: { timeZone: 'Europe/London', optOutText: nasty, whoMayOptOut: 'admins' },
      listUndoMs: 10_000,
      budgets: BUDGETS,
      metadata,
    }),
    noticeView('x', limitsSaved('C1', BUDGETS)),
    ...['atomic' as const, 'unproven' as const].map((proposal) =>
      checkForms.refusalCheckDecision({ finding, arrived: 'no', proposal }, metadata),
    ),
    checkForms.refusalCheckForm({ instanceName: nasty, mostCredits: 2, metadata }),
    checkForms.refusalCheckForm({
      instanceName: nasty,
      mostCredits: 2,
      brokenOffBy: OPERATOR,
      notice: nasty || 'x',
      metadata,
    }),
    checkForms.refusalCheckQuestion(finding, metadata),
    checkForms.checkIsRunning('UADMIN'),
    CHECKING_REFUSALS_VIEW,
    ...ANSWERS.map((answer) =>
      noticeView('x', checkForms.checkIsOver({ ...finding, seen: { ...finding.seen, answer } })),
    ),
    settingsForm(
      { link: aLink(settings), instance: nastyInstance },
      {
        refusals: { rule: { mode: 'unproven' }, shared: false },
        keepDays: { now: 30, most: 90 },
        metadata,
      },
    ),
    CHECKING_KEY_VIEW,
    statementDatesForm({ days: { from: 20_000, to: 20_010 }, metadata }),
    replaceKeyForm({ instance: nastyInstance, metadata }),
    replaceKeyForm({
      instance: nastyInstance,
      otherAccount: { was: nasty, now: nasty },
      metadata,
    }),
    removeInstanceForm({ instance: nastyInstance, channels: [], metadata }),
    removeInstanceForm({ instance: nastyInstance, channels: manyPeople, metadata }),
    noticeView('A title that is too long for a modal', instanceInUse(nasty, [], 2)),
    noticeView('x', instanceRemoved(nasty)),
    noticeView('x', knownKeyNotice(nasty)),
    noticeView('x', keyKnownAlready(nasty)),
    noticeView('x', keyAddedNotice(nastyInstance, 1)),
    noticeView('x', keyReplacedNotice(nastyInstance, 1)),
    noticeView('x', linkNews.linkedNotice({ instanceName: nasty, channel: 'C1' }, undefined)),
    loadingView('Settings'),
    ...bulkViewsWith(nasty),
    ...historyViewsWith(nasty),
  ];
}

describe.each(Object.entries(NASTY))('with %s in every name and text', (_name, nasty) => {
  test('Slack takes every message, and nobody is called by accident', () => {
    for (const shown of messagesWith(nasty)) expectFine(shown);
  });

  test('Slack takes every modal', () => {
    for (const view of viewsWith(nasty)) expectFineView(view);
  });

  test('errors at a field stay sentences', () => {
    for (const refusal of [
      { kind: 'key_refused' },
      { kind: 'unavailable' },
      { kind: 'busy', seconds: 7 },
      { kind: 'other_account', was: nasty, now: nasty, change: { from: 'a#1', to: 'a#2' } },
      { kind: 'key_in_use', name: nasty },
      { kind: 'removed' },
    ] as const) {
      expect(keyRefusalSentence(refusal)).toMatch(/Nothing was saved/);
      expect(keyRefusalSentence(refusal).length).toBeLessThan(300);
    }
  });
});

/** The pieces that people read at once: each line, or each fact in a line; of plain text, each sentence. */
function readInOneGo(shown: Message | ModalView): string[] {
  return [...objectsIn(shown.blocks)].flatMap(({ type, text }) => {
    if (typeof text !== 'string') return [];
    if (type === 'mrkdwn') return text.replace(/<!date[^>]*>/g, 'today at 14:02').split(/\n| · /);
    return type === 'plain_text' ? text.split(/\n|(?<=[.?;]) /) : [];
  });
}

test('no line has more than 20 words', () => {
  const lines = [...messagesWith('Sales'), ...viewsWith('Sales')].flatMap(readInOneGo);
  // Names are not our words, and there may be many.
  const words = (line: string) => line.replace(/(?:<[@#]\w+>(?:,| and) )+/g, '').split(/\s+/);
  expect(lines.filter((line) => words(line).length > 20)).toEqual([]);
});

test('only the button that spends begins with "Send"', () => {
  const labels = [...messagesWith('Sales'), ...viewsWith('Sales')].flatMap(labelsOf);
  expect(labels).toContain('Send');
  const spending = new Set(labels.filter((label) => /^send/i.test(label)));
  expect(spending).toEqual(new Set(['Send', 'Send anyway', 'Send 4,213 messages']));
});

test('messages for a whole channel name no number and no text', () => {
  const secret = 'meet me at the bridge';
  for (const outcome of ['sent', 'unknown', 'rejected', 'not_sent'] as const) {
    const line = lineMessage(settled(outcome, ACCEPTED, { text: secret }), { posted: true });
    expect(JSON.stringify(line)).toContain('···0958');
    expect(JSON.stringify(line)).not.toMatch(/7946|20794/);
    expect(JSON.stringify(line)).not.toContain(secret);
  }
});
