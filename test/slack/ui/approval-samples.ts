import type { ModalView } from '@slack/types';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/accounts/links.ts';
import type { ApprovalRequest } from '../../../src/core/approvals/approvals.ts';
import { SWITCHBOARD } from '../../../src/core/sends/decision-answers.ts';
import type { Message } from '../../../src/slack/ui/blocks.ts';
import { notYours } from '../../../src/slack/ui/draft-refusals.ts';
import * as answers from '../../../src/slack/ui/limits/approval-answers.ts';
import * as cards from '../../../src/slack/ui/limits/approval-card.ts';
import * as forms from '../../../src/slack/ui/limits/approval-forms.ts';
import { approvalsMessage, askButton, needsApproval } from '../../../src/slack/ui/limits/approval-words.ts';
import { aJob, aList } from './bulk-samples.ts';
import { AT, aSend } from './samples.ts';

const ASKED: ApprovalRequest['approval'] = { askedBy: 'UANA', askedAt: AT, topic: 'approval' };

const LINKED: NonNullable<ApprovalRequest['linked']> = {
  link: {
    ...DEFAULT_SETTINGS,
    team: 'T1',
    channel: 'C1',
    instanceId: 'acme',
    linkedBy: 'UADMIN',
    linkedAt: AT,
    limits: { ...NO_LIMITS, approvalAbove: 500 },
  },
  instance: {
    team: 'T1',
    id: 'acme',
    name: 'Acme',
    keyHint: '…a1b2',
    accountId: 'a1',
    userName: 'Acme Ltd',
    addedBy: 'UADMIN',
    lastGoodCheckAt: AT,
  },
};

/** @ana's request for a text, with the decision in `approval`. */
export function textRequest(
  fields: Parameters<typeof aSend>[0] = {},
  approval: Partial<ApprovalRequest['approval']> = {},
): ApprovalRequest {
  const asked = { ...ASKED, ...approval };
  const view = aSend({ state: 'awaiting_approval', expiresAt: AT + 86_400_000, approval: asked, ...fields });
  return { kind: 'single', view, approval: asked, linked: LINKED, balance: { credits: 999, at: AT } };
}

/** @ana's request for a list. */
export function listRequest(
  fields: Parameters<typeof aJob>[0] = {},
  approval: Partial<ApprovalRequest['approval']> = {},
  details: Parameters<typeof aJob>[2] = {},
): ApprovalRequest {
  const asked = { ...ASKED, ...approval };
  const view = aJob(
    { state: 'awaiting_approval', expiresAt: AT + 86_400_000, approval: asked, ...fields },
    {},
    details,
  );
  return { kind: 'job', view, approval: asked, linked: LINKED, balance: { credits: 10_000, at: AT } };
}

/** A request for a list that takes more than somebody approved. */
export function dearerRequest(details: Parameters<typeof aJob>[2] = {}): ApprovalRequest {
  const paused = { state: 'paused', pause: { why: 'above_approved' } } as const;
  return listRequest(paused, { by: 'UADAM', at: AT }, details);
}

/** Requests in every state. Their people's words are `nasty`. */
function requestsWith(nasty: string): ApprovalRequest[] {
  const decided = { by: 'UADAM', at: AT, reason: nasty };
  const given = { template: nasty || 'x', file: { id: 'F1', name: nasty } };
  const states = ['declined', 'cancelled', 'superseded', 'expired', 'running', 'finished'] as const;
  const sample = { row: 2, e164: '+442079460958', text: nasty };
  const list = aList({
    samples: { first: sample, dearest: { ...sample, row: 3 }, fallback: { ...sample, row: 4 } },
  });
  return [
    textRequest({ text: nasty }),
    textRequest({ text: nasty }, { why: 'budget' }),
    textRequest({ text: nasty, resends: { send: 'send-0', indexes: [0] } }),
    listRequest({}, {}, { given, list }),
    ...states.map((state) => textRequest({ state, text: nasty }, decided)),
    ...states.map((state) => listRequest({ state }, decided, { given, list })),
    dearerRequest({ given, list }),
    { ...listRequest({}, {}, { given, list }), balance: { credits: 0, at: AT } },
    listRequest({ state: 'running' }, decided, { given, list, restApproved: { by: 'UBEN', upTo: 9000 } }),
    textRequest({ state: 'declined', text: nasty }, { by: SWITCHBOARD, at: AT, reason: 'It costs more.' }),
  ];
}

export function approvalMessagesWith(nasty: string): Message[] {
  const all = requestsWith(nasty);
  const file = { id: 'F1', name: nasty };
  const ofFile = listRequest(
    { id: 'x'.repeat(12) },
    { askedBy: 'U0123456789' },
    { given: { template: 'x', file } },
  );
  const manyLists = Array.from({ length: 20 }, () => ofFile);
  const reasons: Parameters<typeof answers.unfitReason>[0][] = [
    { kind: 'not_linked', channel: 'C-sales' },
    { kind: 'asker_away' },
    { kind: 'opted_out' },
    { kind: 'unlinking' },
    { kind: 'key_refused', instanceName: nasty, instanceId: 'i1' },
    { kind: 'other_account', instanceName: nasty, instanceId: 'i1' },
    { kind: 'credits_short', needed: 7, available: 5 },
    {
      kind: 'dearer',
      was: { credits: 1, basis: 'receipts' },
      now: { credits: 2, least: 1, basis: 'receipts' },
    },
    { kind: 'refused', why: 'not_chosen', link: LINKED.link },
    { kind: 'same_words', same: { send: 'send-0', by: 'UBEN', at: AT, state: 'unknown' }, view: aSend() },
  ];
  return [
    ...all.flatMap((request) => [
      cards.channelCard(request),
      ...[true, false].map((whole) => cards.approverCard(request, { whole })),
      cards.waitingForApproval(request),
      cards.askerNews(request),
      answers.requestIsOver(request),
      answers.approvedMessage(request, AT),
    ]),
    ...[textRequest, listRequest].map((asked) =>
      answers.approvedMessage(asked({ state: 'running', startsAt: AT + 10_000 }), AT),
    ),
    ...reasons.map((why) => answers.sentBackMessage(answers.unfitReason(why, 'UANA'), 'UANA', aSend())),
    needsApproval({ asked: 501, above: 500, approvers: ['UBEN'] }, askButton('send-1')),
    answers.declinedMessage(aSend()),
    answers.REQUEST_GONE,
    answers.notApprover([]),
    answers.notApprover(Array.from({ length: 40 }, (_, n) => `U${n}`)),
    answers.OWN_REQUEST,
    answers.mayBeSent({ ...aSend(), mayBeSent: 'r2 17' }),
    notYours('UANA', 'withdraw'),
    ...[[], ['UANA'], ['UANA', 'UGUS']].flatMap((named) =>
      ([undefined, 'budget'] as const).flatMap((why) =>
        [true, false].map((isAdmin) =>
          answers.nobodyToAsk(named, { why, asker: 'UANA', isAdmin, channel: 'C1' }),
        ),
      ),
    ),
    approvalsMessage({ forMe: [], mine: [] }),
    approvalsMessage({ forMe: [...all, ...all], mine: [...all, ...all] }),
    approvalsMessage({ forMe: manyLists, mine: manyLists }),
  ];
}

export function approvalViewsWith(nasty: string): ModalView[] {
  return requestsWith(nasty).flatMap((request) => [
    forms.approvalForm(request, { may: ['approve', 'decline', 'withdraw'], whole: true }, '{}'),
    forms.approvalForm(request, { may: ['withdraw'], whole: true }, '{}'),
    forms.approvalForm(request, { may: ['decline'], whole: false }, '{}'),
  ]);
}
