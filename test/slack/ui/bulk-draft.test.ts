import { describe, expect, test } from 'vitest';
import type { JobView } from '../../../src/core/jobs/job-view.ts';
import type { Message } from '../../../src/slack/ui/blocks.ts';
import { expiredUnseen } from '../../../src/slack/ui/expired-draft.ts';
import { ACTIONS } from '../../../src/slack/ui/ids.ts';
import { bulkDraftMessage } from '../../../src/slack/ui/lists/bulk-draft.ts';
import { bulkSending } from '../../../src/slack/ui/lists/draft-answers.ts';
import { readBulkValue } from '../../../src/slack/ui/lists/list-repeats.ts';
import { nothingToSend } from '../../../src/slack/ui/lists/wrong-rows.ts';
import { tooLateMessage } from '../../../src/slack/ui/texts/outcome-lines.ts';
import { aJob, aList, aPreview, hugeList, NOTHING } from './bulk-samples.ts';
import { AT, buttonOf, expectFine, labelsOf, NASTY, wordsOf } from './samples.ts';

const NONE_WRONG = { wrong_number: 0, duplicate: 0, empty_placeholder: 0, too_long: 0 };

function shown(preview = aPreview(), wrongFile?: 'delivered' | 'failed') {
  const message = bulkDraftMessage({ preview, ...(wrongFile && { wrongFile }) });
  expectFine(message);
  return { message, words: wordsOf(message.blocks) };
}

function tableOf({ blocks }: Message): string[][] {
  const table = blocks.find((block) => block.type === 'table');
  return (table?.rows ?? []).map((row) => row.map((cell) => ('text' in cell ? cell.text : '')));
}

const draftOf = (list = aList()) => aJob({ state: 'draft' }, {}, { list });

describe('the preview of a job', () => {
  test('that somebody approved, and that is clicked again, names its approver', () => {
    const approval = { askedBy: 'UANA', askedAt: AT, topic: 'approval', by: 'UADAM', at: AT };
    const { text } = tooLateMessage(aJob({ state: 'running', decidedAt: AT, approval }));
    expect(text).toMatch(/^<@UADAM> already approved this <!date.*\. The card in <#C1> shows/);
    expect(tooLateMessage(aJob({ state: 'running', decidedAt: AT })).text).toMatch(
      /^<@UANA> already pressed Send <!date/,
    );
  });

  test('warns if it may be sent already, and asks for another press', () => {
    const { message, words } = shown(aPreview({}, { ...draftOf(), mayBeSent: 'r2 17' }));
    expect(words).toContain('⚠️ *This may have been sent already.*');
    const { value, style } = buttonOf(message, 'Send 4,213 messages anyway') ?? {};
    expect(style).toBeUndefined();
    expect(readBulkValue(String(value))).toEqual({ id: draftOf().id, include: false, evenIfSent: 'r2 17' });
  });

  test('says who gets it, from where, and who does not', () => {
    const { words } = shown();
    expect(words).toContain('*Your list to 4,213 recipients* from “list.csv”');
    expect(words).toContain('United Kingdom: 4,000, Germany: 213');
    expect(words).toContain(
      '*Skipped*\n34 of 4,247 rows\n12 wrong numbers, 20 duplicates, 1 empty placeholder, 1 too long',
    );
  });

  test('shows three filled-in texts with full phone numbers and what makes them dear', () => {
    const { words } = shown();
    expect(words).toContain('*Example* · row 2 · +44 20 7946 0958 · length 9 of 160\nHello Ana');
    expect(words).toMatch(
      /\*The most expensive\* · row 17 · .* length 92 of 134: 2 segments of 67\n.*’ at position 10\) shorten a segment to 67/,
    );
    expect(words).toContain('*With a missing value* · row 40 · +1 202 555 0123');
  });

  test('shows them as a table if no row is skipped: Slack takes one table a message', () => {
    const { message, words } = shown(aPreview({}, draftOf(aList({ wrong: NONE_WRONG, wrongRows: [] }))));
    const [header, first, dearest, fallback] = tableOf(message);
    expect(header).toEqual(['Recipient', 'Text']);
    expect(first).toEqual(['Example · row 2 · +44 20 7946 0958 · length 9 of 160', 'Hello Ana']);
    expect(dearest?.[0]).toMatch(/^The most expensive · row 17 · .* · length 92 of 134: 2 segments of 67$/);
    expect(fallback?.[0]).toMatch(/^With a missing value · row 40 · \+1 202 555 0123/);
    expect(words).toMatch(/’ at position 10\) shorten a segment to 67/);
  });

  test.each(Object.entries(NASTY))('shows a table at its largest, with %s in it', (_name, nasty) => {
    const list = { ...hugeList(nasty), wrong: NONE_WRONG, wrongRows: [] };
    const { message } = shown(aPreview({ short: true }, aJob({ state: 'draft' }, {}, { list }), nasty));
    expect(tableOf(message)).toHaveLength(4);
  });

  test('leaves out the most expensive if all take the same', () => {
    const { first } = aList().samples;
    const alike = aList({ bySegments: { 1: 4213 }, samples: { first, dearest: first } });
    const { words } = shown(aPreview({}, draftOf(alike)));
    expect(words).toContain('*Example* · row 2');
    expect(words).not.toContain('most expensive');
  });

  test('shows each text once only', () => {
    const { first } = aList().samples;
    const { words } = shown(aPreview({}, draftOf(aList({ samples: { first, dearest: first } }))));
    expect(words).toContain('*Example (also the most expensive)* · row 2');
    expect(words.match(/Hello Ana/g)).toHaveLength(1);
  });

  test('counts segments, credits, and the time it takes', () => {
    const { words } = shown();
    expect(words).toContain(
      '*Length*\n4,000 texts, 1 segment each\n213 texts, 2 segments each\nA segment holds up to 160 characters, or 70 with emoji or special characters.\n13 texts with emoji or special characters',
    );
    const short = aPreview({}, draftOf(aList({ bySegments: { 1: 3 }, ucs2: 0 })));
    expect(shown(short).words).not.toContain('A segment holds');
    expect(words).toContain('*Cost*\n≈ 4,426 credits | *Balance*\n10,000 → 5,574 |');
    expect(words).toContain('*Time*\nAbout 2 minutes');
    expect(shown(aPreview({ msToSend: 0 })).words).toContain('*Time*\nLess than a minute');
    const { balance: _unread, ...unread } = aPreview();
    expect(shown(unread).words).toContain('*Balance*\nThe balance could not be read right now');
  });

  test('sums up what it does not name one by one, even a single one', () => {
    const countries = Array.from({ length: 6 }, (_, index) => ({
      name: `+99${index}`,
      messages: 3 - (index % 3),
    }));
    const bySegments = { 1: 9, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1 };
    const one = shown(aPreview({}, draftOf(aList({ countries, bySegments })))).words;
    expect(one).toContain(', 1 more country: 1');
    expect(one).toContain('1 text, 5 segments\n1 longer text\n');
    const more = [...countries, { name: '+996', messages: 4 }];
    const two = shown(
      aPreview({}, draftOf(aList({ countries: more, bySegments: { ...bySegments, 7: 2 } }))),
    ).words;
    expect(two).toContain(', 2 more countries: 5');
    expect(two).toContain('\n3 longer texts\n');
  });

  test('says how old the last balance is, and lets the person go on even if it would not be enough', () => {
    const { balance: _unread, ...unread } = aPreview();
    const old = shown({ ...unread, lastBalance: { credits: 3, at: AT } });
    expect(old.words).toContain('3 credits as of <!date');
    expect(old.words).toContain(
      '*Perhaps not enough credits:* you can still send, but the service may refuse it.',
    );
    expect(labelsOf(old.message)).toContain('Send 4,213 messages');
  });

  test('shows a range if the price is not known, and why', () => {
    const estimate = { credits: 4426, least: 4213, basis: 'receipts' as const };
    const view = aJob({ state: 'draft' }, {}, { estimate });
    expect(shown(aPreview({}, view)).words).toContain(
      '*Cost*\n4,213 to 4,426 credits: your price for such texts is not certain yet | *Balance*\n10,000 → 5,574 to 5,787',
    );
    expect(shown(aPreview({ short: true, balance: 4300 }, view)).words).toContain(
      'needs 4,213 to 4,426, has 4,300',
    );
  });

  test('warns if it crosses the threshold', () => {
    const at = (balance: number) => shown(aPreview({ balance })).words;
    expect(at(4525)).toContain('threshold of 100 credits');
    for (const balance of [4526, 99]) expect(at(balance)).not.toContain('Low credits');
  });

  test('warns of numbers that don’t look real, which may be sent to all the same', () => {
    expect(shown().words).not.toContain('look real');
    const { words } = shown(aPreview({}, draftOf(aList({ unlikely: 2 }))));
    expect(words).toContain('⚠️ 2 numbers don’t look real. You can still send.');
  });

  test('names the wrong rows as the spreadsheet numbers them, and where all of them are', () => {
    const { words, message } = shown(aPreview(), 'delivered');
    expect(words).toContain('2 of 34 skipped rows:\nRow | Problem | Fix');
    expect(tableOf(message).slice(1)).toEqual([
      ['3', '"+44 7700" is too short', 'Correct it, with + and the country code'],
      ['9', 'The same number as row 2', 'None needed: this person gets one message'],
    ]);
    expect(words).toContain(
      'We sent you all 34 skipped rows as wrong-rows.csv. You can send the other rows now.',
    );
    expect(shown(aPreview(), 'failed').words).toContain(
      'Slack did not take the file with all 34 skipped rows',
    );
    expect(shown().words).not.toContain('wrong-rows.csv');
    const right = draftOf(aList({ wrong: NONE_WRONG, wrongRows: [] }));
    expect(shown(aPreview({}, right)).words).not.toMatch(/[Ss]kipped/);
  });

  test('has Send with the number, Edit and Cancel, which carry the id only', () => {
    const { message, words } = shown();
    expect(labelsOf(message)).toEqual(['Send 4,213 messages', 'Edit', 'Cancel']);
    const send = buttonOf(message, 'Send 4,213 messages');
    expect(send).toMatchObject({ action_id: ACTIONS.confirmBulk, value: 'job-1', style: 'primary' });
    expect(send).not.toHaveProperty('confirm');
    expect(words).toMatch(
      /Instance “Sales” · this draft expires at <!date\^1772633820\^\{time\}\|14:17 UTC>$/,
    );
  });

  describe('of a list with words that others sent already', () => {
    const repeats = { messages: 312, included: false, withinMs: 86_400_000 };
    const left = (
      over: Partial<JobView['details']['repeats'] & object> = {},
      list = aList({ toSend: 3901 }),
    ) => shown(aPreview({}, aJob({ state: 'draft' }, {}, { list, repeats: { ...repeats, ...over } })));

    test('says how many are left out, and offers to include them', () => {
      const { message, words } = left();
      expect(words).toContain(
        '⚠️ *We sent or may have sent these words to 312 of 4,213 recipients in the last 24 hours.*\nThis list leaves them out.',
      );
      expect(message.text).toContain('312 of 4,213');
      expect(labelsOf(message)).toEqual(['Send 3,901 messages', 'Include them', 'Edit', 'Cancel']);
      expect(buttonOf(message, 'Send 3,901 messages')).toMatchObject({ value: 'job-1' });
      expect(buttonOf(message, 'Include them')).toMatchObject({
        action_id: ACTIONS.includeRepeats,
        value: 'job-1',
      });
    });

    test('says how far back the guard looks', () => {
      expect(left({ withinMs: 96 * 3_600_000 }).words).toContain(
        '312 of 4,213 recipients in the last 96 hours.*\nThis list leaves them out.',
      );
      expect(left({ withinMs: 3_600_000 }).words).toContain(
        'recipients in the last hour.*\nThis list leaves them out.',
      );
    });

    test('with them sends what it shows, and offers to leave them out', () => {
      const { message, words } = left({ included: true }, aList());
      expect(words).toContain(
        '⚠️ *We sent or may have sent these words to 312 of 4,213 recipients in the last 24 hours.*\nThis list sends to them again.',
      );
      expect(labelsOf(message)).toEqual(['Send 4,213 messages', 'Leave them out', 'Edit', 'Cancel']);
      const value = String(buttonOf(message, 'Send 4,213 messages')?.value);
      expect(readBulkValue(value)).toMatchObject({ id: 'job-1', include: true });
      expect(readBulkValue('job-1')).toMatchObject({ id: 'job-1', include: false });
    });

    test('that are all of them: nothing can be sent before they are included', () => {
      const list = aList({ toSend: 0, bySegments: {}, countries: [], ucs2: 0 });
      const { message, words } = left({ messages: 4213 }, list);
      expect(words).toContain(
        '⚠️ *We sent or may have sent these words to all 4,213 recipients in the last 24 hours.*\nThere is nothing to send.',
      );
      expect(labelsOf(message)).toEqual(['Include them', 'Edit', 'Cancel']);
      expect(words).not.toContain('Countries');
    });
  });

  test('separates the problem from its fix if the reason names both', () => {
    const reason =
      '"4.42E+11" was rounded, its last digits are lost: format the column as Text and export again';
    const rounded = { row: 3, problem: 'wrong_number', reason } as const;
    const colon = { row: 4, problem: 'wrong_number', reason: '"a: b" has letters in it' } as const;
    const list = aList({ wrong: { ...NONE_WRONG, wrong_number: 2 }, wrongRows: [rounded, colon] });
    expect(tableOf(shown(aPreview({}, draftOf(list))).message).slice(1)).toEqual([
      ['3', '"4.42E+11" was rounded, its last digits are lost', 'Format the column as Text and export again'],
      ['4', '"a: b" has letters in it', 'Correct it, with + and the country code'],
    ]);
  });

  test('without the credits cannot be sent, and can be checked again', () => {
    const { message, words } = shown(aPreview({ short: true, balance: 3900 }));
    expect(words).toContain('*Not enough credits:* needs ≈ 4,426, has 3,900');
    expect(labelsOf(message)).toEqual(['Check again', 'Edit', 'Cancel']);
    const { linked } = aPreview();
    const link = { ...linked.link, topUpUrl: 'https://pay.example/' };
    const payable = shown(aPreview({ short: true, balance: 3900, linked: { ...linked, link } })).message;
    expect(labelsOf(payable)).toEqual(['Check again', 'Top up', 'Edit', 'Cancel']);
    expect(words).not.toContain('Low credits');
  });

  test('of unknown texts says that it may text them twice, and asks once more', () => {
    const resend = { ...draftOf(), resends: { send: 'job-0', indexes: [3] } };
    const { message, words } = shown(aPreview({}, resend));
    expect(words).toContain('The recipients may get this twice');
    expect(labelsOf(message)).toEqual(['Send 4,213 messages', 'Cancel']);
    expect(buttonOf(message, 'Send 4,213 messages')).toMatchObject({
      confirm: { confirm: { text: 'Send 4,213 messages' } },
    });
  });

  test.each(Object.entries(NASTY))('fits at its largest, with %s in it', (_name, nasty) => {
    const view = aJob({ state: 'draft' }, {}, { list: hugeList(nasty) });
    const { message } = shown(aPreview({ short: true }, view, nasty), 'delivered');
    expect(message.blocks.length).toBeLessThan(50);
  });

  test.each(['\u0001', '"', '\\', '\uD83D', '\n', '😀'])('fits at its largest, made of %j alone', (one) => {
    shown(aPreview({ balance: 4500 }, aJob({}, {}, { list: hugeList(one) }), one), 'delivered');
  });

  test('says so if it shows only a part of a text', () => {
    const long = { row: 2, e164: '+442079460958', text: 'x'.repeat(5000) };
    const { words } = shown(aPreview({}, draftOf(aList({ samples: { first: long, dearest: long } }))));
    expect(words).toContain('shown in part');
    expect(words).toMatch(/x…$/m);
  });
});

describe('the message in the place of a confirmed list', () => {
  const view = aJob({ state: 'running' });

  test('is true whatever becomes of the list: Slack may not let us change it later', () => {
    const message = bulkSending({ ...view, startsAt: AT + 10_000 }, AT);
    expectFine(message);
    expect(message.text).toMatch(
      /^✅ \*Confirmed\*: your list to 4,213 recipients\nThe card in <#C1> shows the progress, and has \*Undo\* until <!date\^\d+\^\{time_secs\}\|14:02:10 UTC>\.\n/,
    );
    expect(bulkSending(view, AT).text).toMatch(/recipients\nThe card in <#C1> shows the progress\.\n/);
  });

  test('names who approved it', () => {
    const approval = { askedBy: 'UANA', askedAt: AT, topic: 'approval', by: 'UBEN', at: AT };
    expect(bulkSending({ ...view, approval }, AT).text).toMatch(
      /^✅ \*Approved\* by <@UBEN>: your list to 4,213 recipients\n/,
    );
  });
});

describe('a list with nothing to send', () => {
  test('says how many are wrong, the first few, and where the rest is', () => {
    const sentence = nothingToSend(NOTHING, 'delivered');
    expect(sentence).toBe(
      'None of the 12 rows can be sent: 9 wrong numbers, 3 duplicates. Row 2: "0812" has no country code. ' +
        'Row 3: "4.41E+11" was rounded by the spreadsheet. Row 4: the same number as row 2. ' +
        'We sent you all rows as wrong-rows.csv.',
    );
    expect(nothingToSend({ ...NOTHING, rows: 1 }, 'failed')).toMatch(
      /^The one row of this list cannot be sent: .* Slack did not take the file/,
    );
  });
});

describe('a draft of a list that has expired', () => {
  const list = aList();

  test('says so, with a form for its list', () => {
    const message = tooLateMessage(aJob({ state: 'expired' }, {}, { list }));
    expect(message.text).toBe('*Expired*: nothing was sent to these 4,213 recipients.');
    expect(buttonOf(message, 'Open the form')).toMatchObject({ action_id: ACTIONS.reopenBulk });
  });

  test('and has forgotten it: offers an empty form', () => {
    const message = tooLateMessage(
      aJob({ state: 'expired' }, {}, { list, given: { template: '', isForgotten: true } }),
    );
    expect(message.text).toContain('The draft’s words were deleted half an hour after it expired.');
    expect(labelsOf(message)).toEqual(['Text a list']);
  });
});

describe('a list whose draft expired before its preview was there', () => {
  test.each([
    ['unlinked', 'the channel was unlinked'],
    ['other_payer', 'another instance or account pays for the channel now'],
    [undefined, 'the draft has expired'],
  ] as const)('reads why and what to do: %s', (why, words) => {
    const view = aJob({ state: 'expired', ...(why && { expiredFor: why }) });
    expect(expiredUnseen(view).text).toBe(
      `⛔ *There is no preview: ${words}.*\nNothing was sent. Please ask for the preview once more.`,
    );
  });
});
