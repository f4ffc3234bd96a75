import { describe, expect, test } from 'vitest';
import type { ChunkResult } from '../../../src/core/sends/chunk-result.ts';
import { SWITCHBOARD } from '../../../src/core/sends/decision-answers.ts';
import type { SendView } from '../../../src/core/sends/send-view.ts';
import { withdrawnMessage } from '../../../src/slack/ui/expired-draft.ts';
import { ACTIONS } from '../../../src/slack/ui/ids.ts';
import { isBeforeStart, TOO_LATE_TO_UNDO, undoableText } from '../../../src/slack/ui/limits/undo.ts';
import { detailsView } from '../../../src/slack/ui/reports/history-details.ts';
import { lineMessage, tooLateMessage } from '../../../src/slack/ui/texts/outcome-lines.ts';
import { receiptMessage, waitingMessage } from '../../../src/slack/ui/texts/receipt.ts';
import {
  ACCEPTED,
  AT,
  aSend,
  buttonOf,
  evidence,
  expectFine,
  expectFineView,
  labelsOf,
  settled,
  wordsOf,
} from './samples.ts';

const words = (...of: Parameters<typeof settled>) => wordsOf(receiptMessage(settled(...of)).blocks);
/** The words of the modal that a receipt's button opens. */
function detailsOf(view: SendView): string {
  const shown = detailsView({ kind: 'single', view, number: '+44 20 7946 0958', isWhole: true, chain: [] });
  expectFineView(shown);
  return wordsOf(shown.blocks);
}
const unknown = (verdict: Parameters<typeof evidence>[0], after?: number, messages?: number) =>
  settled('unknown', { cause: 'no_answer' }, { evidence: evidence(verdict, after, messages) });

describe('a text that can be undone', () => {
  const waiting = aSend({ state: 'running', decidedBy: 'UANA', decidedAt: AT, startsAt: AT + 10_000 });

  test('says for how long and when it goes, to the second', () => {
    if (!isBeforeStart(waiting, AT + 300)) throw new Error('it does not wait');
    const message = undoableText(waiting, AT + 300);
    expectFine(message);
    expect(message.text).toMatch(
      /^⏳ \*Sending in 10 s\* to \+44 20 7946 0958\nIt goes out at <!date\^\d+\^\{time_secs\}\|14:02:10 UTC>\./,
    );
    expect(wordsOf(message.blocks)).toMatch(/^Hello$/m);
    expect(buttonOf(message, 'Undo')).toMatchObject({ action_id: ACTIONS.undoSend, value: 'send-1' });
  });

  test('does not wait any more once its time has come, or if it was paused or undone', () => {
    expect(isBeforeStart(waiting, AT + 10_000)).toBe(false);
    expect(isBeforeStart({ ...waiting, state: 'cancelled' }, AT)).toBe(false);
    expect(isBeforeStart(aSend({ state: 'running' }), AT)).toBe(false);
  });

  test('says that it was undone, with the form while its words are there', () => {
    const undone = aSend({ state: 'cancelled', outcome: 'cancelled', undoneBy: 'UANA' });
    for (const message of [receiptMessage(undone), tooLateMessage(undone)]) {
      expectFine(message);
      expect(message.text).toMatch(/^↩️ Undone\. Nothing was sent, 0 credits used\./);
      expect(buttonOf(message, 'Edit')).toMatchObject({ action_id: ACTIONS.reopenDraft, value: 'send-1' });
    }
    expect(labelsOf(receiptMessage({ ...undone, e164: '', text: '' }))).toEqual(['Write a text']);
    // The first text may have arrived, and was perhaps paid for.
    const ofResend = receiptMessage({ ...undone, resends: { send: 'send-0', indexes: [0] } });
    expect(ofResend.text).toMatch(/^↩️ Undone\. Nothing was sent again, 0 credits used for that\./);
    expect(labelsOf(ofResend)).toEqual([]);
    expect(lineMessage(undone, { posted: true })).toBeUndefined();
  });

  test('can’t be undone too late', () => {
    expect(TOO_LATE_TO_UNDO.text).toBe('Too late to undo: sending has begun, or may have begun.');
  });
});

describe('a receipt of a sent text', () => {
  test('says what it cost and what is left', () => {
    expect(words('sent', ACCEPTED)).toMatch(/^✅ \*Sent\* to \+44 20 7946 0958 · 1 credit used · 119 left$/m);
    expect(words('sent', ACCEPTED)).not.toContain('estimate');
  });

  test('has its message id behind a button', () => {
    const sent = settled('sent', ACCEPTED);
    const message = receiptMessage(sent);
    expect(labelsOf(message)).toEqual(['Details']);
    expect(buttonOf(message, 'Details')).toMatchObject({ action_id: ACTIONS.sendDetails, value: 'send-1' });
    expect(wordsOf(message.blocks)).not.toContain('4711');
    expect(detailsOf(sent)).toContain('*Message id*\n4711');
  });

  test('shows the estimate beside the charge if they differ', () => {
    expect(words('sent', { ...ACCEPTED, creditsUsed: 3 })).toContain(
      '3 credits used · 119 left · the estimate was ≈ 1 credit',
    );
    const estimate = { credits: 7, least: 1, basis: 'receipts' as const };
    const charged = (creditsUsed: number) => {
      const sent = settled('sent', { ...ACCEPTED, creditsUsed });
      return wordsOf(receiptMessage({ ...sent, details: { ...sent.details, estimate } }).blocks);
    };
    expect(charged(3)).not.toContain('estimate');
    expect(charged(8)).toContain('the estimate was 1 to 7 credits');
  });

  test('shows the text to the person, and not in notifications', () => {
    const message = receiptMessage(settled('sent', ACCEPTED));
    expect(wordsOf(message.blocks)).toMatch(/^Hello$/m);
    expect(message.text).not.toContain('Hello');
  });

  test('never calls another status sent', () => {
    const queued = receiptMessage(settled('sent', { ...ACCEPTED, otherStatus: 'queued' }));
    expect(queued.text).toContain('*Status “queued”*');
    expect(queued.text).not.toMatch(/\*Sent\*|\bis sent\b|was sent/i);
    expect(queued.text).toContain('1 credit used · 119 left');
  });

  test('says that there may be a second one', () => {
    expect(words('sent', ACCEPTED, { resends: { send: 'send-0', indexes: [0] } })).toContain(
      'The recipient may get both',
    );
    expect(words('sent', ACCEPTED, { resentAs: 'send-2' })).toContain('whether the recipient may get both');
    expect(words('sent', ACCEPTED, { mayBeSent: true })).toContain('The recipient may get it twice');
    for (const outcome of ['sent', 'rejected', 'unknown'] as const) {
      const text = words(outcome, ACCEPTED, { mayBeSent: true, sentBefore: 2 });
      expect(text).toContain(
        '⚠️ *The service took this once before*, for 2 credits.\nSwitchboard’s database had lost that request, and its answer came late.',
      );
      expect(text).not.toContain('This may have been sent before');
    }
  });
});

describe('a receipt of a text that was rejected or not sent', () => {
  const rejected: [ChunkResult, string][] = [
    [{ cause: 'key_refused' }, 'refuses the API key'],
    [{ cause: 'credits', requiredCredits: 2, availableCredits: 1 }, 'needs 2 credits, and the account has 1'],
    [{ cause: 'credits' }, 'not enough credits'],
    [{ cause: 'validation', message: 'phone: too short' }, 'phone: too short'],
    [{ cause: 'refused', message: 'Account is closed' }, 'Account is closed'],
  ];
  test('for lack of credits: offers Top up, if there is a link', () => {
    const link = { topUpUrl: 'https://pay.example/' };
    const lacks = settled('rejected', { cause: 'credits' });
    expect(labelsOf(receiptMessage(lacks, link))).toEqual(['Top up', 'Write a text']);
    const refused = settled('rejected', { cause: 'refused' });
    expect(labelsOf(receiptMessage(refused, link))).toEqual(['Write a text']);
  });

  test.each(rejected)('%o: says why, that nothing was sent, and what to do', (result, why) => {
    const message = receiptMessage(settled('rejected', result));
    expect(message.text).toContain('*Rejected*');
    expect(message.text).toContain('Nothing was sent and no credits were used');
    expect(wordsOf(message.blocks)).toContain(why);
    expect(wordsOf(message.blocks)).toContain('Reference `send-1`');
    const mends = result.cause === 'key_refused' ? ['Replace key'] : [];
    expect(labelsOf(message)).toEqual([...mends, 'Write a text']);
  });

  test('of a resend whose first text was sent after all: never says that nothing was sent', () => {
    const message = receiptMessage(settled('not_sent', { cause: 'repeated' }));
    expect(message.text).toContain('the service accepted the first text. So this one was not sent.');
    expect(message.text).not.toContain('Nothing was sent');
  });

  test('of a refused key says at once that it was the key, not the number', () => {
    expect(receiptMessage(settled('rejected', { cause: 'key_refused' })).text).toMatch(
      /^⛔ \*Rejected\* · the service refuses the API key, not the number\nText to \+44/,
    );
  });

  test('leaves out the service’s words if they only say that it was refused', () => {
    const words = (message: string) =>
      wordsOf(receiptMessage(settled('rejected', { cause: 'validation', message })).blocks);
    for (const generic of ['The request is not valid.', 'Request validation failed']) {
      expect(words(generic)).not.toContain('own words');
    }
    expect(words('The request is not valid: phone')).toContain('The request is not valid: phone');
  });

  test.each([
    [{ cause: 'unreachable' } as const, 'could not be reached'],
    [{ cause: 'rate_limited' } as const, 'No credits were used.\nPlease try again in a minute.'],
    [
      { cause: 'validation', code: 'text_empty' } as const,
      'We did not hand the text to the service: the text is empty.\nNo credits were used.',
    ],
    [
      { cause: 'other_account' } as const,
      'changed after *Send*.\nNo credits were used.\nWrite the text again',
    ],
    [{ cause: 'given_up' } as const, 'does not send late texts'],
    [undefined, 'does not send late texts'],
  ])('%o: says so', (result, why) => {
    const message = receiptMessage(settled('not_sent', result));
    expect(message.text).toContain('*Not sent*');
    expect(message.text).toContain(why);
    expect(message.text).toContain('No credits were used');
  });

  test('can be written again with number and text as they were', () => {
    const message = receiptMessage(settled('not_sent', { cause: 'unreachable' }));
    const value = String(buttonOf(message, 'Write a text')?.value);
    expect(JSON.parse(value)).toEqual({
      recipient: '+44 20 7946 0958',
      message: 'Hello',
      channel: 'C1',
    });
  });

  test('carries a long text whole or not at all', () => {
    const text = '😀"\n'.repeat(333);
    const message = receiptMessage(settled('not_sent', { cause: 'unreachable' }, { text }));
    expect(JSON.parse(String(buttonOf(message, 'Write a text')?.value))).toEqual({
      recipient: '+44 20 7946 0958',
      channel: 'C1',
    });
  });
});

describe('a receipt of an unknown text', () => {
  test('before there is evidence says that it comes, and takes a person’s word only', () => {
    const message = receiptMessage(settled('unknown', { cause: 'no_answer' }));
    expect(message.text).toContain('*Unknown*');
    expect(message.text).toContain('Checking the balance for clues');
    expect(labelsOf(message)).toEqual(['It arrived', 'Why?']);
  });

  test('without evidence says so, once the text may be sent again', () => {
    const message = receiptMessage(settled('unknown', { cause: 'no_answer' }, { mayResend: true }));
    expect(message.text).toContain('The balance gives no clue so far.');
    expect(message.text).toContain('Resending may text the recipient twice');
    expect(labelsOf(message)).toEqual(['It arrived', 'Resend…', 'Why?']);
  });

  test('keeps the word in the headline, with the clues below it', () => {
    const words = (...given: Parameters<typeof unknown>) => receiptMessage(unknown(...given)).text;
    expect(words('probably_not_sent')).toMatch(
      /^⚠️ \*Unknown, probably not sent\*\nTo \+44 20 7946 0958 · nothing was charged so far · a charge may still come\n/,
    );
    expect(words('probably_sent', 998)).toMatch(
      /^⚠️ \*Unknown, probably sent\*\nTo .* · 1 credit was taken · someone else may use this key\n/,
    );
    expect(words('undecided', 997)).toMatch(
      /^⚠️ \*Unknown\*\nTo [^·]*\n[\s\S]*\n2 credits were taken\. The text costs a different amount/,
    );
    expect(words('topped_up', 1499)).toMatch(/^⚠️ \*Unknown\*\n[\s\S]*topped up meanwhile/);
    expect(words('none')).toMatch(/^⚠️ \*Unknown\*\n/);
  });

  test('claims no more than the balance proves', () => {
    expect(receiptMessage(unknown('undecided', 997, 3)).text).toContain(
      '2 credits were taken for 3 unknown texts together. Nobody can tell',
    );
    expect(receiptMessage(unknown('probably_sent', 996, 3)).text).toContain(
      'These figures cover 3 unknown texts.',
    );
  });

  test.each(['probably_not_sent', 'probably_sent', 'undecided', 'topped_up', 'none'] as const)(
    '%s: was not repeated; a person may, knowing that it may come twice',
    (verdict) => {
      const message = receiptMessage(unknown(verdict, 998));
      expect(message.text).toContain('We won’t retry automatically');
      expect(message.text).toContain('Resending may text the recipient twice');
      expect(labelsOf(message)).toEqual(['It arrived', 'Resend…', 'Why?']);
      expect(buttonOf(message, 'Resend…')).toMatchObject({
        action_id: ACTIONS.sendAgain,
        value: 'send-1',
      });
    },
  );

  test('is not offered again once it was sent again', () => {
    const resent = { evidence: evidence('none'), resentAs: 'send-2' };
    const message = receiptMessage(settled('unknown', { cause: 'no_answer' }, resent));
    expect(message.text).toContain('You have resent it meanwhile');
    expect(labelsOf(message)).toEqual(['Why?']);
    expect(detailsOf({ ...unknown('none'), resentAs: 'send-2' })).toContain('Somebody resent it');
  });

  test('says why behind a button: what happened, the balance, what it proves, and the reference', () => {
    const probably = unknown('probably_sent', 998);
    expect(buttonOf(receiptMessage(probably), 'Why?')).toMatchObject({
      action_id: ACTIONS.sendDetails,
      value: 'send-1',
    });
    expect(detailsOf(probably)).toMatch(
      new RegExp(
        [
          '^⚠️ \\*Unknown, probably sent\\* \\(balance 999 before, 998 after\\)',
          'We sent it, but the service never replied.',
          'A charge shows that the service took the text, not that it arrived.',
          'Likely, but not certain: someone else may use this key.',
          'We won’t retry automatically: that could text the recipient twice.',
          'If you know that the text arrived, press \\*It arrived\\* on its receipt.\nThe text then counts as sent, with your name.\n\\*Resend…\\* makes a new draft: you decide there.',
          '[^]*Reference `send-1`$',
        ].join('\n'),
      ),
    );
    // Once its words are deleted, no button of its receipt does anything.
    const forgotten = detailsOf({ ...unknown('none'), e164: '', text: '' });
    expect(forgotten).toContain('deleted meanwhile, so nobody can decide about this any more');
    expect(forgotten).not.toMatch(/It arrived|Resend/);
    // The service gave no answer.
    expect(detailsOf(probably)).not.toContain('Answered');
    expect(detailsOf(unknown('undecided', 996, 3))).toMatch(
      /balance 999 before, 996 after.*for 3 unknown texts together/s,
    );
    expect(detailsOf(unknown('topped_up', 1499))).toContain('The credits were topped up meanwhile');
    expect(detailsOf(unknown('none'))).toContain('The balance does not show whether it was charged.');
    const early = settled('unknown', { cause: 'interrupted' }, { resendableAt: AT });
    expect(detailsOf(early)).toMatch(
      /Switchboard was interrupted[\s\S]*Checking the balance for clues\.[\s\S]*The receipt has \*Resend…\* within about three minutes/,
    );
  });
});

describe('a text that a person called arrived', () => {
  const said = { ...unknown('none'), saidSentBy: 'UBEN' };

  test('is sent, by their word, in receipt and line, and offers nothing more', () => {
    const message = receiptMessage(said);
    expect(message.text).toMatch(/^✅ \*Sent\* \(said by <@UBEN>\) · text to \+44 20 7946 0958/);
    expect(message.text).toContain('so we don’t know what the text cost');
    expect(wordsOf(message.blocks)).toMatch(/^Hello$/m);
    expect(labelsOf(message)).toEqual(['Details']);
    expect(detailsOf(said)).toMatch(/^\*To\*/);
    expect(lineMessage(said)?.text).toBe('<@UANA>’s text to ···0958 · *sent (said by <@UBEN>)*');
    expect(tooLateMessage(said).text).toMatch(
      /pressed Send.*\.\n<@UANA>’s text .* \*sent \(said by <@UBEN>\)\*$/,
    );
  });

  test.each(['rejected', 'not_sent'] as const)(
    'and is %s by an answer that comes later: that one counts',
    (outcome) => {
      const { text } = receiptMessage(settled(outcome, undefined, { saidSentBy: 'UBEN' }));
      expect(text).toContain(
        'The service answered late. Its answer replaces what <@UBEN> said: that the text arrived.',
      );
    },
  );
});

describe('a text that has to wait', () => {
  test.each([
    ['permits', 'The service limits requests per minute'],
    ['asked_to_wait', 'The service asked for a pause'],
  ] as const)('for %s: says why and until when, and offers nothing', (why, reason) => {
    const message = waitingMessage(settled('pending'), { until: AT, why, now: AT - 60_000 });
    expect(message.text).toContain('*Waiting* to send to +44 20 7946 0958');
    expect(message.text).toContain(reason);
    expect(message.text).toContain('automatically at about <!date^1772632920^{time}|14:02 UTC>');
    expect(wordsOf(message.blocks)).toMatch(/^Hello$/m);
    expect(labelsOf(message)).toEqual([]);
    const soon = waitingMessage(settled('pending'), { until: AT, why, now: AT - 59_999 });
    expect(soon.text).toMatch(/automatically in less than a minute\.$/);
  });
});

describe('a click that comes too late', () => {
  test('on a text that was sent says by whom and when', () => {
    expect(tooLateMessage(settled('sent', ACCEPTED)).text).toContain(
      'already sent by <@UANA> <!date^1772632920^{date_short_pretty} at {time}|2026-03-04 14:02 UTC>',
    );
    expect(tooLateMessage(settled('sending')).text).toContain('<@UANA> already pressed Send <!date');
  });

  test('on a text that was approved names who approved it: who asked pressed no Send', () => {
    const approval = { askedBy: 'UANA', askedAt: AT, topic: 'approval', by: 'UADAM', at: AT };
    const { text } = tooLateMessage({ ...settled('sending'), approval });
    expect(text).toMatch(/^<@UADAM> already approved this <!date/);
    expect(text).not.toContain('pressed Send');
  });

  test.each([
    ['rejected', '*rejected*'],
    ['not_sent', '*not sent*'],
    ['unknown', '*Unknown*'],
  ] as const)('on a text that ended as %s says so', (outcome, so) => {
    const { text } = tooLateMessage(settled(outcome));
    expect(text).toContain('<@UANA> already pressed Send <!date');
    expect(text).toContain(so);
    expect(text).not.toContain('already sent');
  });

  test.each([
    ['cancelled', 'this draft was cancelled. Nothing was sent'],
    ['superseded', 'this draft was edited. Nothing was sent'],
  ] as const)('on a draft that is %s says so, and how to go on', (state, sentence) => {
    const message = tooLateMessage(aSend({ state }));
    expect(message.text).toContain(sentence);
    expect(labelsOf(message)).toEqual(['Write a text']);
  });
});

describe('a draft that has expired', () => {
  test.each(['expired', 'draft'] as const)('%s: says so, with a form for its words', (state) => {
    const message = tooLateMessage(aSend({ state }));
    expect(message.text).toBe('*Expired*: nothing was sent to +44 20 7946 0958.');
    expect(buttonOf(message, 'Open the form')).toMatchObject({
      action_id: ACTIONS.reopenDraft,
      value: 'send-1',
    });
  });

  test('before its time: the data may be an old copy, which misses sent texts', () => {
    const view = aSend({ state: 'expired' });
    const message = tooLateMessage({ ...view, endedAt: view.expiresAt - 1 });
    expect(message.text).toMatch(
      /^\*Expired\*: the channel’s link or key changed, or Switchboard may run on an old copy of its data\.\nNothing was sent to \+44 20 7946 0958 just now\. Check what arrived before you send it again\.$/,
    );
    expect(labelsOf(message)).toEqual(['Open the form']);
  });

  test.each([
    ['unlinked', 'the channel was unlinked'],
    ['other_payer', 'another instance or account pays for the channel now'],
  ] as const)('since its channel changed (%s): says so', (expiredFor, why) => {
    const view = aSend({ state: 'expired', expiredFor });
    const message = tooLateMessage({ ...view, endedAt: view.expiresAt - 1 });
    expect(message.text).toBe(`*Expired*: ${why}, so nothing was sent to +44 20 7946 0958.`);
  });

  test('and was to be a resend: only the first text’s receipt can do that', () => {
    const message = tooLateMessage(aSend({ state: 'expired', resends: { send: 'send-0', indexes: [0] } }));
    expect(message.text).toContain('press *Resend…* at the receipt of the first text');
    expect(labelsOf(message)).toEqual([]);
  });

  test('and has forgotten its words: offers an empty form', () => {
    const message = tooLateMessage(aSend({ state: 'expired', e164: '', text: '' }));
    expect(message.text).toBe(
      '*Expired*: nothing was sent.\nThe draft’s words were deleted half an hour after it expired.',
    );
    expect(labelsOf(message)).toEqual(['Write a text']);
  });
});

test('Cancel says that nothing was sent, and its button opens the form with the words', () => {
  const message = withdrawnMessage(aSend({ state: 'cancelled' }));
  expect(message.text).toContain('*Cancelled*: nothing was sent');
  expect(labelsOf(message)).toEqual(['Write a text']);
  const given = { recipient: '+44 20 7946 0958', message: 'Hello', channel: 'C1' };
  expect(JSON.parse(String(buttonOf(message, 'Write a text')?.value))).toEqual(given);
});

test('Cancel shows the words again if its button can’t carry them', () => {
  const words = 'Line\n'.repeat(199);
  const message = withdrawnMessage(aSend({ state: 'cancelled', text: `${'😀'.repeat(400)}${words}` }));
  const shown = JSON.stringify(message.blocks);
  expect(shown).toContain(JSON.stringify(words.trim()).slice(1, -1));
  expect(shown).toContain('Copy the text over');
  const given = { recipient: '+44 20 7946 0958', channel: 'C1' };
  expect(JSON.parse(String(buttonOf(message, 'Open the form')?.value))).toEqual(given);
});

test('of a resend, it says that only about this time: the first text may have arrived', () => {
  const resend = aSend({ state: 'cancelled', resends: { send: 'send-0', indexes: [0] } });
  const cancelled = withdrawnMessage(resend);
  expect(cancelled.text).toMatch(
    /^\*Cancelled\*: nothing was sent again to .*\nTo resend it, press \*Resend…\* at the receipt/,
  );
  expect(labelsOf(cancelled)).toEqual([]);
  for (const state of ['expired', 'superseded', 'declined', 'cancelled'] as const)
    expect(tooLateMessage({ ...resend, state }).text, state).toMatch(/nothing was sent again/i);
  for (const outcome of ['rejected', 'not_sent'] as const) {
    const { text } = receiptMessage({ ...resend, state: 'finished', outcome });
    expect(text, outcome).toContain('Nothing was sent again and no credits were used for that.');
  }
});

test('a request that went back by itself was declined by nobody', () => {
  const of = (by: string) => {
    const approval = { askedBy: 'UANA', askedAt: AT, topic: 'approval', by, at: AT };
    return tooLateMessage(aSend({ state: 'declined', approval })).text;
  };
  expect(of('UBEN')).toMatch(/^Sorry, this request was declined\./);
  expect(of(SWITCHBOARD)).toMatch(/^Sorry, this request was sent back\./);
});

test('a text that a copy of the data held back does not claim that nothing was sent', () => {
  const view = aSend({ state: 'stopped', outcome: 'cancelled' });
  for (const { text } of [receiptMessage(view), tooLateMessage(view)]) {
    expect(text).toContain('It may have been sent before: ask the recipient');
    expect(text).not.toContain('nothing was sent');
  }
  expect(wordsOf(receiptMessage(view).blocks)).toMatch(/^Hello$/m);
  expect(labelsOf(receiptMessage(view))).toEqual(['Write a text']);
});

describe('the line in the channel', () => {
  test('is who, the last digits, the cost and what is left', () => {
    expect(lineMessage(settled('sent', ACCEPTED))?.text).toBe(
      '<@UANA> sent a text to ···0958 · 1 credit · 119 left',
    );
  });

  test('never calls another status sent', () => {
    const line = lineMessage(settled('sent', { ...ACCEPTED, otherStatus: 'queued' }))?.text;
    expect(line).toContain('the status “queued”, not “sent”');
    expect(line).not.toContain('sent a text');
  });

  test('keeps the word unknown', () => {
    expect(lineMessage(unknown('probably_not_sent'))?.text).toContain('*Unknown, probably not sent*');
  });

  test('names a text that was not sent only if the line was there before', () => {
    for (const outcome of ['rejected', 'not_sent'] as const) {
      expect(lineMessage(settled(outcome))).toBeUndefined();
      expect(lineMessage(settled(outcome), { posted: true })?.text).toContain('no credits used');
    }
    expect(lineMessage(aSend())).toBeUndefined();
  });
});
