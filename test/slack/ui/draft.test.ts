import { describe, expect, test } from 'vitest';
import { ACTIONS } from '../../../src/slack/ids.ts';
import { draftMessage } from '../../../src/slack/ui/draft.ts';
import { AT, aSend, buttonOf, labelsOf, wordsOf } from './samples.ts';

function shown(view = aSend(), crossesThreshold = false) {
  const message = draftMessage({ view, instanceName: 'Sales', threshold: 100, crossesThreshold });
  return { message, words: wordsOf(message.blocks) };
}

describe('a preview', () => {
  test('shows recipient, country, text, size, estimate and balance', () => {
    const { words } = shown();
    expect(words).toContain('+44 20 7946 0958 · United Kingdom');
    expect(words).toMatch(/^Hello$/m);
    expect(words).toContain('5 characters · 1 segment');
    expect(words).toContain('*≈ 1 credit* · 999 now, ≈ 998 after');
    expect(words).toContain('<!date^1772633820^{time}|14:17 UTC>');
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

  test('reads the same where blocks are not shown', () => {
    const { text } = shown(aSend({ text: 'a <b>\nc' })).message;
    for (const part of ['+44 20 7946 0958', 'a &lt;b&gt;\nc', '≈ 1 credit', 'Sales']) {
      expect(text).toContain(part);
    }
  });

  test('shows a range where the price is not known, and why', () => {
    const range = { credits: 7, least: 1, basis: 'receipts' as const };
    expect(shown(aSend({}, { estimate: range })).words).toContain(
      '*1 to 7 credits*: your price for long texts is not known yet · 999 now, 992 to 998 after',
    );
    expect(shown().words).not.toContain('not known yet');
  });

  test('says when there is no balance', () => {
    const { balance: _unread, ...details } = aSend().details;
    const { words } = shown({ ...aSend(), details });
    expect(words).toContain('*≈ 1 credit* · the balance could not be read just now');
  });

  test('says how old the last balance is, and lets the person go on where it would not do', () => {
    const { balance: _unread, ...details } = aSend().details;
    const old = (credits: number) =>
      shown({ ...aSend(), details: { ...details, lastBalance: { credits, at: AT } } });
    expect(old(3).words).toContain('14:02 UTC> there were 3 credits; the service can’t be asked right now');
    expect(old(3).words).not.toContain('Perhaps');
    expect(old(0).words).toContain(
      '*Perhaps not enough credits:* you can send it all the same, and the service decides.',
    );
    expect(labelsOf(old(0).message)).toContain('Send');
  });

  test('says what was read into the number, and that it is in no known range', () => {
    expect(shown().words).not.toMatch(/\+ added|no known range/);
    expect(shown(aSend({}, { added: true })).words).toContain('+ added');
    expect(shown(aSend({}, { noKnownRange: true })).words).toContain('no known range');
  });

  test('of several segments names the character that makes them short, and where it stands', () => {
    const curly = shown(aSend({ text: `Thirteen chars’${'x'.repeat(60)}` })).words;
    expect(curly).toContain('75 characters · 2 segments: ’ at position 15 forces UCS-2');
    const plain = shown(aSend({ text: 'x'.repeat(161) })).words;
    expect(plain).toContain('161 characters · 2 segments: one holds 153');
    const unseen = shown(aSend({ text: `a\u200b${'x'.repeat(80)}` })).words;
    expect(unseen).toContain('U+200B at position 2');
    const many = shown(aSend({ text: `’“”–…${'x'.repeat(80)}` })).words;
    expect(many).toContain('’ at position 1, “ at position 2, ” at position 3 and more forces UCS-2');
  });

  test('counts characters, not units', () => {
    expect(shown(aSend({ text: '😀😀' })).words).toContain('2 characters · 1 segment');
  });

  test('warns before it crosses the threshold', () => {
    expect(shown(aSend(), true).words).toContain('below this channel’s threshold of 100 credits');
    expect(shown().words).not.toContain('threshold');
  });

  test('of a text sent again says that it may come twice', () => {
    const again = shown(aSend({ resends: { send: 'send-0', indexes: [0] } })).words;
    expect(again).toContain('the first one may have arrived: this may text them twice');
    expect(shown().words).not.toContain('twice');
  });
});
