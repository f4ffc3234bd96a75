import { expect, test } from 'vitest';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import type { ApprovalRequest } from '../../../src/core/approvals/approvals.ts';
import type { Estimate } from '../../../src/core/sends/estimate.ts';
import type { SameWords } from '../../../src/core/sends/sends.ts';
import { plain } from '../../../src/slack/ui/blocks.ts';
import { staleDraft } from '../../../src/slack/ui/draft-refusals.ts';
import { FIELDS, type RequestDecision } from '../../../src/slack/ui/ids.ts';
import {
  approvedMessage,
  mayBeSent,
  REQUEST_GONE,
  sentBackMessage,
  unfitReason,
} from '../../../src/slack/ui/limits/approval-answers.ts';
import {
  approverCard,
  askerNews,
  channelCard,
  waitingForApproval,
} from '../../../src/slack/ui/limits/approval-card.ts';
import { approvalForm } from '../../../src/slack/ui/limits/approval-forms.ts';
import { endOf } from '../../../src/slack/ui/limits/approval-words.ts';
import { readEvenIfSent } from '../../../src/slack/ui/may-be-sent.ts';
import { sameWordsLine } from '../../../src/slack/ui/texts/same-words.ts';
import { dearerRequest, listRequest, textRequest } from './approval-samples.ts';
import { AT, aSend, buttonOf, labelsOf, objectsIn, wordsOf } from './samples.ts';

const ADAM = { by: 'UADAM', at: AT };

test('a request that was approved and then undone is not called withdrawn', () => {
  const undone = { state: 'cancelled', undoneBy: 'UBEN' } as const;
  for (const request of [textRequest(undone, ADAM), listRequest(undone, ADAM)]) {
    const words = endOf(request);
    expect(words).toMatch(
      /^✅ \*Approved\* by <@UADAM> <!date.+date_short_pretty.+>, then undone by <@UBEN>: nothing was sent$/,
    );
  }
  expect(endOf(textRequest({ state: 'cancelled' }))).toBe('*Withdrawn* by <@UANA>');
});

test('an approver reads that people may get it twice, on the card and in the form', () => {
  const resends = { send: 'send-0', indexes: [0] };
  const same: SameWords = { send: 'send-0', by: 'UBEN', at: AT, state: 'sent' };
  const everywhere = (request: ApprovalRequest) => [
    channelCard(request).text,
    wordsOf(channelCard(request).blocks),
    wordsOf(approverCard(request, { whole: false }).blocks),
    wordsOf(approvalForm(request, { may: ['approve'], whole: false }, '{}').blocks),
  ];
  for (const request of [textRequest({ resends }), listRequest({ resends })])
    for (const words of everywhere(request)) expect(words).toMatch(/the recipients? may get (it|them) twice/);
  for (const words of everywhere(textRequest({}, { same })))
    expect(words).toContain('<@UBEN> sent the same words to this number');
  // Other people read the card, so it names the person who asks, too.
  for (const words of everywhere(textRequest({}, { same: { ...same, by: 'UANA' } })))
    expect(words).toContain('<@UANA> sent the same words to this number');
  for (const words of everywhere(textRequest())) expect(words).not.toMatch(/twice|same words/);
});

test('somebody who may not approve any more reads that others decide, without words and buttons', () => {
  const card = approverCard(textRequest(), undefined);
  expect(wordsOf(card.blocks)).toContain('Other people decide this now.');
  expect(labelsOf(card)).toEqual([]);
});

test('an approver reads that it may be sent already, and then approves knowing that', () => {
  for (const request of [textRequest({ mayBeSent: 'r2 17' }), listRequest({ mayBeSent: 'r2 17' })]) {
    for (const card of [channelCard(request), approverCard(request, { whole: false })]) {
      expect(card.text).toContain('*This may have been sent already.*');
      expect(card.text).toContain('ask a recipient whether it arrived');
      const approve = buttonOf(card, 'Approve and send anyway');
      expect(approve?.style).toBeUndefined();
      expect(readEvenIfSent(String(approve?.value))).toEqual({ value: request.view.id, evenIfSent: 'r2 17' });
    }
    const form = approvalForm(request, { may: ['approve'], whole: false }, '{}');
    expect(wordsOf(form.blocks)).toContain('*This may have been sent already.*');
  }
  // The form shows no button.
  const { view } = textRequest({ mayBeSent: 'r2 17' });
  expect(mayBeSent(view).text).toMatch(/approve it again\.$/);
  const value = buttonOf(mayBeSent(view), 'Approve and send anyway')?.value;
  expect(readEvenIfSent(String(value))).toEqual({ value: 'send-1', evenIfSent: 'r2 17' });
  // An earlier version named no failover.
  expect(readEvenIfSent('send-1/even-if-sent')).toEqual({ value: 'send-1', evenIfSent: '' });
  expect(readEvenIfSent('send-1')).toEqual({ value: 'send-1', evenIfSent: undefined });
});

test('the end of a request that may be sent already does not say that nothing was ever sent', () => {
  const { view } = textRequest({ mayBeSent: 'r2 17' });
  const back = sentBackMessage('The number was opted out since.', 'UANA', view);
  expect(back.text).toMatch(/^↩️ \*Sent back\*, nothing was sent just now\./);
  expect(REQUEST_GONE.text).toMatch(/Nothing was sent just now\.$/);
  expect(staleDraft().text).toMatch(/Nothing was sent just now\.$/);
});

test('a reason is asked for, and is optional only where the person may also approve', () => {
  const reasonOf = (may: readonly RequestDecision[]) => {
    const { blocks } = approvalForm(textRequest(), { may, whole: false }, '{}');
    const [found] = [...objectsIn(blocks)].filter(({ block_id }) => block_id === FIELDS.reason);
    return { optional: found?.optional ?? false, hint: found?.hint };
  };
  expect(reasonOf(['decline'])).toEqual({ optional: false, hint: plain('The person who asked reads it.') });
  expect(reasonOf(['approve', 'decline'])).toEqual({
    optional: true,
    hint: plain('Needed to decline. The person who asked reads it.'),
  });
});

test('the end of a resend says only that nothing was sent again: the first text may have arrived', () => {
  const resends = { send: 'send-0', indexes: [0] };
  for (const state of ['declined', 'expired'] as const) {
    expect(askerNews(textRequest({ state, resends }, ADAM)).text).toContain('nothing was sent again');
    expect(askerNews(listRequest({ state, resends }, ADAM)).text).toContain('nothing was sent again');
    expect(askerNews(textRequest({ state }, ADAM)).text).toContain('nothing was sent, and');
    const doubtful = askerNews(textRequest({ state, mayBeSent: true }, ADAM)).text;
    expect(doubtful).toContain('nothing was sent just now. Check what arrived before you send it again.');
    expect(doubtful).not.toContain('credits');
  }
});

test('a request that expired before its time does not say that nobody approved it in time', () => {
  const inTime = { state: 'expired', endedAt: AT + 86_400_000 } as const;
  for (const make of [textRequest, listRequest]) {
    expect(endOf(make(inTime))).toBe('*Expired*: nobody approved it in time');
    expect(endOf(make({ ...inTime, mayBeSent: 'r2 17' }))).toBe(
      '*Expired*: nobody approved it in time, or the approval was lost',
    );
    expect(endOf(make({ ...inTime, endedAt: AT + 1 }))).toBe(
      '*Expired*: the channel’s link or key changed, or Switchboard may run on an old copy of its data',
    );
    const early = { ...inTime, endedAt: AT + 1 };
    expect(endOf(make({ ...early, expiredFor: 'unlinked' }))).toBe('*Expired*: the channel was unlinked');
  }
});

test('a form with one decision does not ask for it', () => {
  const asks = (may: readonly RequestDecision[]) =>
    [...objectsIn(approvalForm(textRequest(), { may, whole: false }, '{}').blocks)].some(
      ({ block_id }) => block_id === FIELDS.decision,
    );
  expect([asks(['decline']), asks(['approve', 'decline'])]).toEqual([false, true]);
});

test('the person who asked reads who can approve', () => {
  const request = textRequest();
  const words = (given: ApprovalRequest) => waitingForApproval(given).text;
  expect(words(request)).toMatch(/\nAn admin can approve it\.$/);
  const { linked } = request;
  if (!linked) throw new Error('the sample has a link');
  const limitedBy = (more: object) => {
    const limits = { ...NO_LIMITS, approvers: ['UANA', 'UBEN'], ...more };
    return { ...request, linked: { ...linked, link: { ...linked.link, limits } } };
  };
  const named = limitedBy({});
  expect(words(named)).toMatch(/\n<@UBEN> can approve it\.$/);
  expect(words(limitedBy({ ownApproval: true }))).toMatch(/\n<@UANA>, <@UBEN> can approve it\.$/);
  const exception = { ...named, approval: { ...named.approval, why: 'budget' as const } };
  expect(words(exception)).toMatch(/\nAn admin can approve it\.$/);
});

test('the balance after a list is an estimate, as in its preview', () => {
  expect(channelCard(listRequest()).text).toContain('Balance: 10,000 → ');
  expect(channelCard(textRequest()).text).toContain('Balance: 999 → 998');
});

test('a balance that is too low by now is no figure below zero', () => {
  const balance = (credits: number, estimate: Estimate) =>
    channelCard({ ...listRequest({}, {}, { estimate }), balance: { credits, at: AT } }).text;
  const range = { credits: 20, least: 10, basis: 'receipts' } as const;
  expect(balance(20, range)).toContain('Balance: 20 → 0 to 10');
  expect(balance(19, range)).toContain('Balance: 19: perhaps not enough');
  expect(balance(9, range)).toContain('Balance: 9: not enough');
  expect(balance(9, { credits: 10, basis: 'receipts' })).toContain('Balance: 9: not enough');
});

test('an approver’s card of a list that takes more says so, with Resume; then who approved the rest', () => {
  const { text, blocks } = approverCard(dearerRequest(), { whole: true });
  expect(text).toMatch(
    /^⏸ \*Paused\*: 4,213 texts .*<#C1>, asked for by <@UANA>\nThe texts cost more than the/,
  );
  expect(blocks.at(-1)).toMatchObject({
    elements: [{ text: { text: 'Resume' }, value: 'job-1/0//false/false' }],
  });
  const approved = listRequest({ state: 'running' }, ADAM, { restApproved: { by: 'UBEN', upTo: 9000 } });
  expect(JSON.stringify(approverCard(approved, { whole: true }).blocks)).toContain(
    '<@UBEN> approved up to 9,000 credits',
  );
});

test.each<[SameWords['state'], RegExp]>([
  ['sent', /^<@UBEN> sent the same words to this number <!date.*UTC>\.$/],
  ['pending', /^<@UBEN> was already sending the same words to this number\.$/],
  ['sending', /^<@UBEN> was already sending the same words to this number\.$/],
  ['unknown', /^<@UBEN> may have sent the same words .*UTC>\. The outcome was \*unknown\*\.$/],
])('a request that repeats a text that is %s says so', (state, words) => {
  const same: SameWords = { send: 'send-0', by: 'UBEN', at: AT, state };
  expect(unfitReason({ kind: 'same_words', same, view: aSend() }, 'UANA')).toMatch(words);
});

test('nobody is named if the store has damaged what the repeat guard knew', () => {
  const lost: SameWords = { send: 'lost', by: '', at: 0, state: 'unknown' };
  expect(unfitReason({ kind: 'same_words', same: lost, view: aSend() }, 'UANA')).toBe(
    'Somebody may have sent the same words to this number. The outcome was *unknown*.',
  );
  expect(sameWordsLine(lost, 'UANA')).toMatch(
    /^⚠️ \*Somebody may have sent the same words to this number\.\*/,
  );
});

test('an approver reads where the progress is, and until when it can be undone', () => {
  const words = (...given: Parameters<typeof approvedMessage>) => approvedMessage(...given).text;
  const waiting = { state: 'running', startsAt: AT + 10_000 } as const;
  const text = textRequest(waiting);
  expect(words(text, AT)).toMatch(
    /^✅ \*Approved\*: a text, asked for by <@UANA>\.\n<@UANA> has \*Undo\* until .*14:02:10 UTC>\.$/,
  );
  expect(words(text, AT + 10_000)).toBe('✅ *Approved*: a text, asked for by <@UANA>.\nSending begins now.');
  const list = listRequest(waiting);
  expect(words(list, AT)).toMatch(
    /4,213 texts .*\.\nThe card in <#C1> shows the progress, and has \*Undo\* until .*14:02:10 UTC>\.$/,
  );
  expect(words(list, AT + 10_000)).toMatch(/4,213 texts .*\.\nThe card in <#C1> shows the progress\.$/);
});
