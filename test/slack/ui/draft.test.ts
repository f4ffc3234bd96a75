import { describe, expect, test } from 'vitest';
import { expiredDraft, withdrawnMessage } from '../../../src/slack/ui/expired-draft.ts';
import { ACTIONS } from '../../../src/slack/ui/ids.ts';
import { draftMessage } from '../../../src/slack/ui/texts/draft.ts';
import { readSendValue } from '../../../src/slack/ui/texts/same-words.ts';
import { AT, aSend, buttonOf, labelsOf, NO_BUDGETS, wordsOf } from './samples.ts';

const linked = { link: { threshold: 100 }, instance: { name: 'Sales' } };

function shown(view = aSend()) {
  const message = draftMessage({ view, linked, budgets: NO_BUDGETS });
  return { message, words: wordsOf(message.blocks) };
}

describe('a preview', () => {
  test('shows recipient, country, text, size, estimate and balance', () => {
    const { words } = shown();
    expect(words).toBe(
      [
        '💬 *Text to +44 20 7946 0958*',
        'Hello',
        '*Cost*\n≈ 1 credit | *Balance*\n999 → 998 | *Length*\n5 of 160 | *Country*\nUnited Kingdom',
        'Send | Edit | Cancel',
        'Instance “Sales” · this draft expires at <!date^1772633820^{time}|14:17 UTC>',
      ].join('\n'),
    );
    const { country: _unknown, ...details } = aSend().details;
    expect(shown({ ...aSend(), details }).words).not.toContain('Country');
  });

  test('has Send, Edit and Cancel, which carry the send’s id only', () => {
    const { message } = shown();
    expect(labelsOf(message)).toEqual(['Send', 'Edit', 'Cancel']);
    expect(buttonOf(message, 'Send')).toMatchObject({
      action_id: ACTIONS.confirmSend,
      value: 'send-1',
      style: 'primary',
    });
    expect(buttonOf(message, 'Edit')).toMatchObject({ action_id: ACTIONS.editDraft, value: 'send-1' });
    expect(buttonOf(message, 'Cancel')).toMatchObject({ action_id: ACTIONS.cancelDraft, value: 'send-1' });
  });

  test('has the same words in its `text`, for notifications', () => {
    const { text } = shown(aSend({ text: 'a <b>\nc' })).message;
    for (const part of ['+44 20 7946 0958', 'a &lt;b&gt;\nc', '≈ 1 credit', 'Sales']) {
      expect(text).toContain(part);
    }
  });

  test('shows a range if the price is not known, and why', () => {
    const range = { credits: 7, least: 1, basis: 'receipts' as const };
    expect(shown(aSend({}, { estimate: range })).words).toContain(
      '*Cost*\n1 to 7 credits: your price for such texts is not certain yet | *Balance*\n999 → 992 to 998',
    );
    expect(shown().words).not.toContain('not known yet');
  });

  test('says when there is no balance', () => {
    const { balance: _unread, ...details } = aSend().details;
    const { words } = shown({ ...aSend(), details });
    expect(words).toContain('*Cost*\n≈ 1 credit | *Balance*\nThe balance could not be read right now');
  });

  test('says how old the last balance is, and lets the person go on even if it would not be enough', () => {
    const { balance: _unread, ...details } = aSend().details;
    const old = (credits: number) =>
      shown({ ...aSend(), details: { ...details, lastBalance: { credits, at: AT } } });
    expect(old(3).words).toMatch(/3 credits as of <!date.*; we can’t check it right now/);
    expect(old(3).words).not.toContain('Perhaps');
    expect(old(0).words).toContain(
      '*Perhaps not enough credits:* you can still send, but the service may refuse it.',
    );
    expect(labelsOf(old(0).message)).toContain('Send');
  });

  test('warns if it may be sent already, and asks for another press', () => {
    const { message, words } = shown({ ...aSend(), mayBeSent: 'r2 17' });
    expect(words).toContain('⚠️ *This may have been sent already.*');
    expect(labelsOf(message)).toEqual(['Send anyway', 'Edit', 'Cancel']);
    const { action_id, value } = buttonOf(message, 'Send anyway') ?? {};
    expect(action_id).toBe(ACTIONS.sendAnyway);
    expect(readSendValue(String(value))).toEqual({ id: 'send-1', allowed: undefined, evenIfSent: 'r2 17' });
    const same = { send: 'send-0', by: 'UANA', at: AT, state: 'sent' } as const;
    const both = draftMessage({
      view: { ...aSend(), mayBeSent: 'r2 17' },
      linked,
      budgets: NO_BUDGETS,
      same,
    });
    expect(readSendValue(String(buttonOf(both, 'Send anyway')?.value))).toEqual({
      id: 'send-1',
      allowed: 'send-0',
      evenIfSent: 'r2 17',
    });
  });

  test('that nobody sent does not say that nothing was ever sent, if it may be sent already', () => {
    const view = { ...aSend({ state: 'expired' }), mayBeSent: 'r2 17' } as const;
    expect(expiredDraft(view).text).toMatch(
      /^\*Expired\*\.\nNothing was sent to .* just now\. Check what arrived/,
    );
    expect(withdrawnMessage(view).text).toMatch(
      /^\*Cancelled\*: nothing was sent just now to .*\nCheck what arrived before/,
    );
  });

  test('says how we read the number, and that it does not look real', () => {
    expect(shown().words).not.toMatch(/international|real number/);
    expect(shown(aSend({}, { added: true })).words).toContain('We read this as an international number.');
    expect(shown(aSend({}, { noKnownRange: true })).words).toContain(
      'This doesn’t look like a real number. You can still send.',
    );
  });

  test('of several segments names the characters that shorten them, and their positions', () => {
    const curly = shown(aSend({ text: `Thirteen chars’${'x'.repeat(60)}` })).words;
    expect(curly).toContain('*Length*\n75 of 134: 2 segments of 67');
    expect(curly).toContain('Emoji and special characters (’ at position 15) shorten a segment to 67.\n');
    const unseen = shown(aSend({ text: `a\u200b${'x'.repeat(80)}` })).words;
    expect(unseen).toContain('U+200B at position 2');
    const many = shown(aSend({ text: `’“”–…${'x'.repeat(80)}` })).words;
    expect(many).toContain('(’ at position 1, “ at position 2, ” at position 3 and more) shorten');
  });

  test('counts the length as segments do: most emoji are two, and so is €', () => {
    const emoji = shown(aSend({ text: '😀'.repeat(70) })).words;
    expect(emoji).toContain('*Length*\n140 of 201: 3 segments of 67');
    expect(emoji).toContain('(😀 at position 1) shorten a segment to 67. Most emoji count as two.');
    const plain = shown(aSend({ text: 'x'.repeat(161) })).words;
    expect(plain).toContain('*Length*\n161 of 306: 2 segments of 153');
    expect(plain).not.toContain('count as two');
    for (const words of [emoji, plain])
      expect(words).toContain('A long text goes out in segments. The phone joins them');
    const euros = shown(aSend({ text: '€'.repeat(81) })).words;
    expect(euros).toContain('*Length*\n162 of 306: 2 segments of 153');
    expect(euros).toContain('€, brackets and some other signs count as two characters.');
    const short = shown(aSend({ text: 'Hi 😀😀' })).words;
    expect(short).toContain('*Length*\n7 of 70');
    expect(short).toContain('(😀 at position 4) lower the limit from 160 to 70. Most emoji count as two.');
    expect(short).not.toContain('segment');
  });

  test('warns before it crosses the threshold', () => {
    const at = (balance: number) => shown(aSend({}, { balance })).words;
    expect(at(100)).toContain('below this channel’s threshold of 100 credits');
    for (const balance of [101, 99]) expect(at(balance)).not.toContain('threshold');
  });

  test('of a text sent again says that it may come twice', () => {
    const { message, words: again } = shown(aSend({ resends: { send: 'send-0', indexes: [0] } }));
    // The form would make a new text, which does not say so.
    expect(labelsOf(message)).toEqual(['Send', 'Cancel']);
    expect(again).toContain('⚠️ The recipient may get this twice.');
    expect(shown().words).not.toContain('twice');
  });
});

test('says first which channel pays, if somebody asked for it in another one', () => {
  const reply = { user: 'UANA', channel: 'C2', issuedAt: 0 };
  expect(shown(aSend({ channel: 'C1' }, { reply })).message.text).toMatch(/^\*Paid by <#C1>\*/);
  expect(shown(aSend({ channel: 'C2' }, { reply })).message.text).not.toContain('Paid by');
});

describe('a preview of words that went to this number before', () => {
  const same = { send: 'send-0', by: 'UBEN', at: AT, state: 'sent' as const };
  const asked = (over: Partial<typeof same> | { state: 'unknown' | 'pending' } = {}) => {
    const view = aSend();
    const message = draftMessage({
      view,
      linked,
      budgets: NO_BUDGETS,
      same: { ...same, ...over },
    });
    return { message, words: wordsOf(message.blocks) };
  };

  test('says who sent them and when, and asks in place of Send', () => {
    const { message, words } = asked();
    expect(words).toContain(
      '⚠️ *<@UBEN> sent the same words to this number <!date^1772632920^{date_short_pretty} at {time}|2026-03-04 14:02 UTC>.*',
    );
    expect(message.text).toContain('<@UBEN> sent the same words');
    expect(labelsOf(message)).toEqual(['Send anyway', 'Edit', 'Cancel']);
    // The value allows the repeat that the preview shows, and no later one.
    expect(buttonOf(message, 'Send anyway')).toMatchObject({
      action_id: ACTIONS.sendAnyway,
      value: 'send-1/send-0',
    });
  });

  test('says “you” to the person who sent them, and what is not known yet', () => {
    expect(asked({ by: aSend().details.by }).words).toContain('⚠️ *You sent the same words');
    expect(asked({ state: 'unknown' }).words).toContain('Nobody knows whether that text went out.');
    expect(asked({ state: 'pending' }).words).toContain(
      '⚠️ *<@UBEN> is sending the same words to this number right now.*',
    );
  });
});
