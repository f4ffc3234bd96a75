import { expect, test } from 'vitest';
import type { FoundMessage, LookedUp } from '../../../src/core/history/look-up.ts';
import { lookedUpMessage } from '../../../src/slack/ui/reports/look-up.ts';
import { aNumber } from '../../helpers/core-people.ts';
import { AT } from './samples.ts';

const FOUND: FoundMessage = { at: AT, by: 'UANA', channel: 'C1', outcome: 'sent' };

function wordsOf(over: Partial<LookedUp>): string {
  const looked = { messages: [], isCut: false, isBehind: false, days: 400, ...over };
  return lookedUpMessage(aNumber(), looked, { isAdmin: false }).text;
}

test('if all messages to a number are known, finding none means that none was sent', () => {
  expect(wordsOf({})).toMatch(
    /: no message to this number is on record\. A message that is just being sent may not show yet\. Erased messages never show\.$/,
  );
  expect(wordsOf({ messages: [FOUND] })).toMatch(/ · 1 message\n• <!date.+ by <@UANA> in <#C1>: sent$/);
});

test('the newest messages come first, and the answer says if there are more', () => {
  const later: FoundMessage = { ...FOUND, outcome: 'rejected' };
  expect(wordsOf({ messages: [FOUND, later] })).toMatch(/ · 2 messages\n• .+: rejected\n• .+: sent$/);
  expect(wordsOf({ messages: Array.from({ length: 6 }, () => FOUND) })).toMatch(
    / · 6 messages, the newest 5:(\n• .+: sent){5}$/,
  );
});

test('if only the newest are known, the answer does not say that there are no others', () => {
  expect(wordsOf({ isCut: true })).toMatch(
    /: none of the 100 newest messages to this number came from the channels that you may send from\. There may be older ones\.$/,
  );
  expect(wordsOf({ isCut: true, messages: [FOUND] })).toMatch(/ · 1 message or more\n• /);
});
