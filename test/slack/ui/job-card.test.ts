import { describe, expect, test } from 'vitest';
import type { JobView } from '../../../src/core/jobs/job-view.ts';
import type { PauseReason } from '../../../src/core/jobs/pause-reason.ts';
import type { Message } from '../../../src/slack/ui/blocks.ts';
import { ACTIONS } from '../../../src/slack/ui/ids.ts';
import { jobCard } from '../../../src/slack/ui/lists/job-card.ts';
import { rejectedNotice } from '../../../src/slack/ui/lists/job-sentences.ts';
import { readUnknownValue } from '../../../src/slack/ui/lists/job-unknown.ts';
import { aJob, cardsWith } from './bulk-samples.ts';
import { AT, buttonOf, evidence, expectFine, labelsOf, wordsOf } from './samples.ts';

function shown(view: JobView, more: Omit<Parameters<typeof jobCard>[1], 'now'> & { now?: number } = {}) {
  const card = jobCard(view, { now: AT, ...more });
  expectFine(card);
  return { card, words: wordsOf(card.blocks), labels: labelsOf(card) };
}

/** The card's facts, by name. */
function figuresIn({ blocks }: Message): { [name: string]: string } {
  const fields = blocks.flatMap((block) => (block.type === 'section' ? (block.fields ?? []) : []));
  return Object.fromEntries(fields.map(({ text }) => text.replaceAll('*', '').split(/\n(.*)/s)));
}

const paused = (pause: PauseReason) => aJob({ state: 'paused', pause }, { sent: 1769, left: 2444 });
const finished = (fields: Partial<JobView> = {}, counts: Partial<JobView['counts']> = {}) =>
  aJob({ state: 'finished', endedAt: AT + 60_000, creditsUsed: 4100, ...fields }, { sent: 4100, ...counts });

describe('a list that can be undone', () => {
  const waiting = aJob({ startsAt: AT + 10_000 }, { left: 4213 });

  test('says for how long and when it goes, to the second; its one button is Undo', () => {
    const { words, labels } = shown(waiting);
    expect(words).toMatch(/⏳ \*Sending in 10 s\* · list\.csv\nIt goes out at .*14:02:10 UTC/);
    expect(labels).toEqual(['Undo']);
    expect(shown(waiting, { now: AT + 10_000 }).labels).toEqual(['Pause', 'Stop']);
    expect(shown({ ...waiting, state: 'paused' }).labels).toEqual(['Resume', 'Stop']);
  });

  test('still waits if its time is over and nothing was sent: it says so, and can be undone', () => {
    const { words, labels } = shown({ ...waiting, canUndo: true }, { now: AT + 10_000 });
    expect(words).toContain(
      '⏳ *Waiting for its turn* · list.csv\nNothing was sent yet. *Undo* takes it back until it begins.',
    );
    expect(words).not.toContain('Sending in');
    expect(labels).toEqual(['Undo']);
    expect(shown({ ...waiting, canUndo: true, state: 'paused' }).labels).toEqual(['Resume', 'Stop']);
  });

  test('says who undid it, and has the form while the list is there', () => {
    const { card, labels } = shown(aJob({ state: 'cancelled', undoneBy: 'UBEN', startsAt: AT + 10_000 }));
    expect(card.text).toMatch(/^↩️ Undone\. Nothing was sent, 0 credits used\.\n/);
    expect(card.text).toContain('list.csv · 4,213 recipients · <@UBEN> pressed Undo');
    expect(labels).toEqual(['Edit']);
    const pasted = { given: { template: 'Hi' } };
    expect(shown(aJob({ state: 'cancelled', undoneBy: 'UBEN' }, {}, pasted)).card.text).toContain(
      'a pasted list of 4,213 · <@UBEN> pressed Undo',
    );
  });
});

describe('a job that runs', () => {
  test('says which list it is, how far it is, what it costs, how long it takes and who sent it', () => {
    const view = aJob({ creditsUsed: 1850, msLeft: 180_000 }, { sent: 1769, left: 2444, inFlight: 100 });
    const { card, words, labels } = shown(view);
    expect(words).toContain('📤 *Sending* list.csv · 41 %');
    expect(figuresIn(card)).toEqual({
      Sent: '1,769',
      Left: '2,444',
      Failed: '0',
      Credits: '1,850 of ≈ 4,426',
      'Time left': 'About 3 minutes',
    });
    expect(words).toContain('<@UANA> pressed Send');
    expect(card.text).toContain('Sent: 1,769\nLeft: 2,444\nFailed: 0\nCredits: 1,850 of ≈ 4,426');
    expect(labels).toEqual(['Pause', 'Stop']);
  });

  test('is not at 100 % before every recipient has an outcome', () => {
    expect(shown(aJob({}, { sent: 4212, left: 1 })).words).toContain('*Sending* list.csv · 99 %');
    expect(shown(aJob({}, { left: 4213 })).words).toContain('*Sending* list.csv · 0 %');
  });

  test('of a pasted list or of unknown texts says how many there are', () => {
    const pasted = { given: { template: 'Hello' } };
    expect(shown(aJob({}, { left: 4213 }, pasted)).words).toContain('*Sending* a pasted list of 4,213 · 0 %');
    const forgotten = { given: { template: '', isForgotten: true } } as const;
    expect(shown(aJob({}, { left: 4213 }, forgotten)).words).toContain('*Sending* a list of 4,213 · 0 %');
    const resend = aJob({ resends: { send: 'job-0', indexes: [1] } }, { left: 4213 }, pasted);
    expect(shown(resend).words).toContain('*Sending* a resend of 4,213 · 0 %');
  });

  test('says that some people may get it twice if it was sent anyway', () => {
    const twice = 'This may have been sent before: some people may get it twice.';
    expect(shown(aJob({ mayBeSent: true }, { left: 4213 })).words).toContain(twice);
    expect(shown(aJob({}, { left: 4213 })).words).not.toContain(twice);
  });

  test('says why texts are unknown before any was sent', () => {
    const { card, words, labels } = shown(aJob({ decidable: 100 }, { unknown: 100, left: 4113 }));
    expect(figuresIn(card)).toMatchObject({ Sent: '0', Left: '4,113', Unknown: '100' });
    expect(words).toContain('*Unknown* · 100 texts\nWe may have sent them: we got no clear answer.');
    expect(labels).toEqual(['Pause', 'Stop']);
  });

  test('says since when the service is out of reach, once that is not over in a moment', () => {
    const of = { msLeft: 180_000, servedAt: AT + 1000 };
    const away = aJob(of, { sent: 1769, left: 2444 }, { outOfReachSince: AT });
    const later = AT + 10_000;
    expect(figuresIn(shown(away, { now: later }).card)).not.toHaveProperty('Time left');
    expect(shown(away, { now: later }).words).toMatch(
      /The messaging service has been out of reach since .*14:02 UTC.*\.\nOnce the service is back, the job goes on by itself\./,
    );
    for (const { words } of [
      shown(away, { now: later - 1 }),
      shown({ ...away, state: 'paused' }, { now: later }),
    ])
      expect(words).not.toContain('out of reach');
  });

  test('does not promise to go on if the job has tried nothing since then: it pauses in the end', () => {
    for (const servedAt of [undefined, AT - 1]) {
      const job = aJob({ ...(servedAt !== undefined && { servedAt }) }, { left: 9 }, { outOfReachSince: AT });
      const { words } = shown(job, { now: AT + 10_000 });
      expect(words).toContain(
        'If the service is back soon, the job goes on by itself. Otherwise the job pauses.',
      );
    }
  });

  test('counts other statuses by themselves', () => {
    const { card } = shown(aJob({}, { sent: 1, otherStatuses: { queued: 7 }, left: 1 }));
    expect(figuresIn(card)).toMatchObject({ Sent: '1', Left: '1', 'Other statuses': '7 with “queued”' });
  });

  test('says before a stop what is cancelled and what is not', () => {
    const { card } = shown(aJob({}, { sent: 1769, left: 2444, inFlight: 100 }));
    expect(buttonOf(card, 'Stop')).toMatchObject({
      action_id: ACTIONS.stopJob,
      value: 'job-1',
      confirm: { text: { text: expect.stringContaining('About 2,344 texts will be cancelled') } },
    });
  });
});

describe('unknown texts that a person decides', () => {
  test('can be called arrived, after a question', () => {
    const { card, labels } = shown(finished({ decidable: 3 }, { unknown: 3 }));
    expect(labels).toEqual(['They arrived', 'Leave them']);
    expect(readUnknownValue(String(buttonOf(card, 'They arrived')?.value))).toEqual({ id: 'job-1', seen: 3 });
    expect(readUnknownValue(String(buttonOf(card, 'Leave them')?.value))).toEqual({ id: 'job-1', seen: 3 });
    // An older version's card does not say how many texts it counted.
    expect(readUnknownValue('job-1')).toEqual({ id: 'job-1', seen: undefined });
    expect(buttonOf(card, 'They arrived')).toMatchObject({
      confirm: { text: { text: expect.stringContaining('with your name. They cannot be resent') } },
    });
  });

  test('can be left as they are, and still be decided', () => {
    const { words, labels } = shown(finished({ decidable: 3, leftBy: 'UBEN' }, { unknown: 3 }));
    expect(words).toContain('<@UBEN> left them as they are.');
    expect(labels).toEqual(['They arrived']);
  });

  test('are listed apart from texts that somebody said had arrived', () => {
    const saidSent = { by: 'UBEN', messages: 3 };
    const all = shown(finished({ decidable: 0, saidSent }, { unknown: 3 }));
    expect(all.words).toContain('*Sent* (said by <@UBEN>) · 3 texts');
    expect(all.words).toContain('*Said to be sent*\n3');
    expect(all.words).not.toContain('*Unknown*');
    expect(all.words).not.toMatch(/⚠️|resend/);
    expect(all.labels).toEqual([]);
    const some = shown(finished({ decidable: 2, saidSent }, { unknown: 5 }));
    expect(some.words).toMatch(/\*Unknown\*\n2[\s\S]*\*Said to be sent\*\n3/);
    expect(some.words).toMatch(/\*Unknown\* · 2 texts[\s\S]*\*Sent\* \(said by <@UBEN>\) · 3 texts/);
  });
});

describe('a paused job', () => {
  test.each<[PauseReason, RegExp]>([
    [{ why: 'person', by: 'UBEN' }, /<@UBEN> pressed Pause/],
    [
      { why: 'key_refused' },
      /refuses the instance’s API key.*Once an admin has replaced it, press \*Resume\*/s,
    ],
    [
      { why: 'key_refused', otherAccount: true },
      /instance’s API key now belongs to another account\..*Once an admin has replaced it, press \*Resume\*/s,
    ],
    [{ why: 'credits', required: 100, available: 3 }, /needs 100, and the account has 3/],
    [
      { why: 'credits', required: 100, available: 3, asOf: AT },
      /next request needs 100\. The account had 3 credits <!date.*; we can’t read the balance now/,
    ],
    [{ why: 'credits' }, /Not enough credits\.\n.*Top up/],
    [{ why: 'refused', code: 'X', message: 'No' }, /refuses these texts\./],
    [{ why: 'all_invalid', message: 'No' }, /refused all the first texts of this job as invalid/],
    [{ why: 'unknown_answers' }, /Two requests in a row got no clear answer/],
    [{ why: 'away', since: AT }, /This job has stood still since <!date/],
    [{ why: 'away' }, /This job has stood still for a while/],
    [{ why: 'books' }, /record of the balance.*Look at what was sent/s],
    [
      { why: 'other_account', account: 'url#2', now: 'Birch & Co' },
      /key was replaced.*another account, “Birch &amp; Co”, would pay.*lets that account pay for the rest/s,
    ],
    [
      { why: 'over_budget', period: 'month' },
      /cost more than estimated, so the rest is over <#C1>’s monthly budget\..*\nOnce an admin has raised the monthly budget with `\/sms limits`, press/,
    ],
    [
      { why: 'over_budget', period: 'day' },
      /cost more than estimated, so the rest is over <@UANA>’s daily limit\..*\nOnce an admin has raised the daily limit/,
    ],
    [
      { why: 'above_approved' },
      /cost more than estimated, so a second person has to approve the rest\. .*\nAn approver can let the rest go on/,
    ],
    [{ why: 'restored' }, /may lack texts that were sent\.\n.*may text people again/],
  ])('for %j says why, what it means, and what to do', (pause, why) => {
    const { words, labels } = shown(paused(pause));
    expect(words).toContain('⏸ *Paused* · list.csv · 41 %');
    expect(words).toMatch(why);
    expect(words).toContain('2,444 texts wait.');
    expect(words).toContain('*Resume*');
    expect(labels.slice(-2)).toEqual(['Resume', 'Stop']);
  });

  test('names what was approved, and who approved the dearer rest', () => {
    const approval = { askedBy: 'UANA', askedAt: AT, topic: 'approval', by: 'UBEN', at: AT };
    const view = { ...paused({ why: 'above_approved' }), approval };
    const { credits } = view.details.estimate;
    expect(shown(view).words).toContain(
      `more than the ${credits.toLocaleString('en')} credits that were approved`,
    );
    const rest = { ...view, details: { ...view.details, restApproved: { by: 'UCYD', upTo: 9000 } } };
    expect(shown(rest).words).toContain('<@UCYD> approved up to 9,000 credits');
  });

  test('whose key is refused has the button to replace it', () => {
    const { card, labels } = shown(paused({ why: 'key_refused' }));
    expect(labels).toEqual(['Replace key', 'Resume', 'Stop']);
    expect(buttonOf(card, 'Replace key')).toMatchObject({
      action_id: ACTIONS.replaceRefusedKey,
      value: 'acme',
    });
  });

  test('keeps the service’s words from the channel, and has a button for them', () => {
    const message = 'the number +447700900123 is wrong';
    const { card, labels } = shown(paused({ why: 'refused', code: 'BAD', message }));
    expect(JSON.stringify(card)).not.toMatch(/7700|BAD/);
    expect(labels).toContain('Show the service’s words');
  });
});

describe('a job whose list was refused', () => {
  const refused = (over: Partial<JobView> = {}) => ({
    ...paused({
      why: 'list_refused',
      reason: 'validation',
      messages: 100,
      message: 'number +447700900123 is bad',
    }),
    counts: { ...paused({ why: 'unknown_answers' }).counts, sent: 0, unknown: 100, left: 4113 },
    listRefused: true,
    msOneByOne: 76 * 60_000,
    ...over,
  });

  test('says what was refused, how many are unknown, what the balance shows, and how to go on', () => {
    const { card, words, labels } = shown(
      refused({ evidence: evidence('probably_not_sent', 999, 100), resendableAt: AT }),
    );
    expect(words).toContain('The service refused 100 texts in one request: it says that some are not valid.');
    expect(words).toContain('It may have sent some of them, so they are *unknown*.');
    expect(words).toContain('*Continue one by one* · about 76 minutes · each text gets its own answer\n');
    expect(words).toContain('*Continue in bulk* · faster');
    expect(words.match(/some of them/g)).toHaveLength(1);
    expect(words).toContain('*Unknown* · 100 texts\nNothing was charged for them so far. Some may still');
    expect(words).not.toMatch(/probably|7700/);
    expect(labels).toEqual([
      'Show the service’s words',
      'Continue one by one',
      'Continue in bulk',
      'Stop',
      'Resend the unknown…',
      'How does my provider refuse?',
    ]);
    const rows = card.blocks
      .filter((block) => block.type === 'actions')
      .map(({ elements }) => elements.length);
    expect(rows).toEqual([3, 2]);
  });

  test('says what it needs and has if it was refused for lack of credits', () => {
    const pause = {
      why: 'list_refused',
      reason: 'credits',
      messages: 100,
      message: '',
      required: 100,
      available: 60,
    } as const;
    expect(shown(refused({ pause })).words).toContain(
      'for lack of credits: the next request needs 100, and the account has 60.',
    );
  });
});

test('a card names credits that are missing from the books, while its job waits and while it goes on', () => {
  for (const state of ['paused', 'running'] as const) {
    const { words } = shown(aJob({ state, pause: { why: 'books' } }, { left: 4213 }, { missing: 1575 }));
    expect(words).toContain(
      '1,575 credits are missing: the balance is lower than Switchboard’s own records.\nSomebody used them elsewhere, or Switchboard runs on an old copy',
    );
    expect(words).toContain('people may get a text again.');
  }
});

test('a job that was paused before a copy was put back says so, with its own reason', () => {
  const { words } = shown(
    aJob({ state: 'paused', pause: { why: 'person', by: 'UBEN' } }, { left: 4213 }, { restored: true }),
  );
  expect(words).toMatch(
    /may lack texts that were sent\.\n.*may text people again\.\n.*<@UBEN> pressed Pause/,
  );
});

describe('a job that has ended', () => {
  test('says how everybody’s text ended, and where the results are', () => {
    const view = finished({}, { rejected: 100, otherStatuses: { queued: 13 } });
    const { card, words, labels } = shown(view, { results: { updated: false } });
    expect(words).toContain('✅ *Finished* · list.csv\n');
    expect(figuresIn(card)).toEqual({
      Sent: '4,100',
      Failed: '100 rejected',
      'Other statuses': '13 with “queued”',
      Credits: '4,100 of ≈ 4,426',
    });
    expect(words).toContain('<@UANA>: `list-results.csv` is in your direct messages');
    expect(words).not.toMatch(/%/);
    expect(labels).toEqual(['Try the rejected again']);
  });

  test('days after Send names the day on which it ended', () => {
    const { words } = shown(finished({ decidedAt: AT, endedAt: AT + 3 * 86_400_000 }));
    expect(words).toMatch(/ended <!date\^\d+\^\{date_short_pretty\} at \{time\}\|2026-03-07 14:02 UTC>/);
  });

  test('says so when the results could not be delivered, or are newer ones', () => {
    const failed = shown(finished(), { results: { updated: false, failed: 'Slack did not take it' } });
    expect(failed.words).toMatch(/`list-results\.csv`.* could not be delivered: Slack did not take it\./);
    expect(shown(finished(), { results: { updated: true } }).words).toContain('A newer `list-results.csv`');
  });

  test('by Stop says how many are cancelled, and waits for requests in flight', () => {
    const waiting = shown(aJob({ state: 'stopped' }, { sent: 1, cancelled: 4000, left: 100, inFlight: 100 }));
    expect(waiting.words).toContain('The answer to 100 texts on the way follows here');
    expect(waiting.labels).toEqual([]);
    const over = shown(aJob({ state: 'stopped' }, { sent: 113, cancelled: 4100 }));
    expect(over.words).toContain('⏹ *Stopped* · list.csv\n');
    expect(figuresIn(over.card)).toMatchObject({ Sent: '113', Cancelled: '4,100' });
  });
});

describe('unknown texts', () => {
  const unknown = { unknown: 100 };

  test('keep the word, with the balance’s evidence, and are not repeated', () => {
    const { words } = shown(finished({ evidence: evidence('probably_not_sent', 999, 100) }, unknown));
    expect(words).toContain('*Unknown, probably not sent* (balance 999 before, 999 after) · 100 texts');
    expect(words).toContain('We won’t resend them automatically: resending may text people twice.');
    expect(words).toContain('Nothing was charged so far.\nLikely, but not certain: a charge may still come.');
    const sent = shown(finished({ evidence: evidence('probably_sent', 899, 100) }, unknown)).words;
    expect(sent).toContain('100 credits were taken from the balance');
    const together = shown(finished({ evidence: evidence('probably_sent', 869, 130) }, unknown)).words;
    expect(together).toContain('These figures cover 130 unknown texts of this account.');
    expect(together).not.toContain('more gone, perhaps for unknown texts');
    expect(sent).toContain('Likely, but not certain: someone else may use this key.');
    expect(sent).toContain('100 more gone, perhaps for unknown texts');
  });

  test('can be sent again once their answers can no longer come, and once only', () => {
    const early = finished({ resendableAt: AT + 1 }, unknown);
    expect(shown(early).labels).toEqual([]);
    expect(shown(early).words).toContain('Checking the balance for clues.');
    const due = shown(early, { now: AT + 1 });
    expect(due.labels).toEqual(['Resend the unknown…']);
    expect(due.words).toContain('The balance gives no clue so far.');
    expect(due.words).not.toContain('Checking');
    const judged = { ...early, resendableAt: AT, evidence: evidence('none') };
    expect(shown(judged).labels).toEqual(['Resend the unknown…']);
    const resent = finished({ resentAs: 'job-2', evidence: evidence('none') }, unknown);
    expect(shown(resent).labels).toEqual([]);
    expect(shown(resent).words).toContain('Another job resends these texts: see its card.');
    const inPart = finished({ decidable: 1, evidence: evidence('none') }, unknown);
    expect(shown(inPart).words).toContain('*Unknown* · 1 text\n');
  });
});

test('no card names a number or a text', () => {
  for (const view of cardsWith('+447700900123 meet me at the bridge')) {
    const { otherStatuses: _words, ...counts } = view.counts;
    const card = JSON.stringify(
      jobCard({ ...view, counts: { ...counts, otherStatuses: {} } }, { now: AT, results: { updated: true } }),
    );
    expect(card).not.toMatch(/7700|7946|bridge|Hello/);
  }
});

test.each([
  [1, '1 recipient was rejected. Correct it here, then press Preview.'],
  [2, '2 recipients were rejected. Correct them here, then press Preview.'],
])('the form of %i rejected says so', (rejected, words) => {
  expect(rejectedNotice(rejected, 'prefilled')).toBe(words);
});
