import { describe, expect, test } from 'vitest';
import {
  needsChannel,
  notLinked,
  sendRefused,
  takesNoArgument,
} from '../../../src/slack/ui/access-refusals.ts';
import { creditsShort, notYours, topUpButton } from '../../../src/slack/ui/draft-refusals.ts';
import { ACTIONS } from '../../../src/slack/ui/ids.ts';
import { withWords } from '../../../src/slack/ui/prefill.ts';
import { balanceMessage, balanceUnavailable } from '../../../src/slack/ui/reports/balance.ts';
import { keyNoticeMessage, lowCreditMessage } from '../../../src/slack/ui/reports/notices.ts';
import { statusMessage } from '../../../src/slack/ui/reports/status.ts';
import { aJob } from './bulk-samples.ts';
import {
  AT,
  aLink,
  anInstance,
  buttonOf,
  evidence,
  expectFine,
  labelsOf,
  settled,
  unknownFacts,
  wordsOf,
} from './samples.ts';

const card = {
  team: 'T1',
  channel: 'C1',
  threshold: 100,
  instanceName: 'Sales',
  spentCredits: 31,
  spentMessages: 29,
  toppedUp: true,
};

describe('the low-credit card', () => {
  test('says the balance, the threshold and the credits spent here', () => {
    const words = wordsOf(lowCreditMessage({ ...card, level: 'low', credits: 87 }).blocks);
    expect(words).toContain('87 credits left, below this channel’s threshold of 100');
    expect(words).toContain('31 credits for 29 texts');
  });

  test('is stronger at zero, and when a text was refused', () => {
    expect(lowCreditMessage({ ...card, level: 'zero', credits: 0 }).text).toContain('*No credits left*');
    const refused = lowCreditMessage({ ...card, level: 'zero', credits: 1 }).text;
    expect(refused).toContain('1 credit left, and the service refused a request');
    expect(refused).not.toContain('No credits');
  });

  test('has buttons to top up, if a link is set, and to change the threshold', () => {
    for (const level of ['low', 'zero'] as const) {
      const without = lowCreditMessage({ ...card, level, credits: 0 });
      expect(labelsOf(without)).toEqual(['Change threshold']);
      expect(buttonOf(without, 'Change threshold')).toMatchObject({
        action_id: 'open_settings',
        value: 'C1',
      });
      const topUpUrl = 'https://pay.example/credits';
      const linked = lowCreditMessage({ ...card, level, credits: 0, topUpUrl });
      expect(labelsOf(linked)).toEqual(['Top up', 'Change threshold']);
      expect(buttonOf(linked, 'Top up')).toMatchObject({ action_id: 'top_up', url: topUpUrl });
    }
    const over = lowCreditMessage({ ...card, level: 'over', credits: 500, topUpUrl: 'https://pay.example' });
    expect(labelsOf(over)).toEqual([]);
  });

  test('ends with the present balance', () => {
    expect(lowCreditMessage({ ...card, level: 'over', credits: 500 }).text).toBe(
      '✅ Enough credits again: 500 credits.',
    );
    const lowered = lowCreditMessage({ ...card, level: 'over', credits: 87, threshold: 50, toppedUp: false });
    expect(lowered.text).toContain('threshold is 50.');
    expect(lowered.text).not.toMatch(/topped up/i);
    const off = lowCreditMessage({ ...card, level: 'over', credits: 5, threshold: 0 }).text;
    expect(off).toContain('threshold is off.');
    expect(off).not.toMatch(/topped up/i);
  });

  test('says so once an episode: the card before the last one is only over', () => {
    const ended = (['past', 'over'] as const).map((level) =>
      wordsOf(lowCreditMessage({ ...card, level, credits: 900 }).blocks),
    );
    expect(ended[0]).toBe('This low-credit warning is over.');
    expect(ended[1]).toContain('900 credits');
  });
});

describe('a key that stopped working', () => {
  const notice = { team: 'T1', instance: 'i1', instanceName: 'Sales', keyHint: '…a1b2' };

  test('is one line for the channel, and a way to mend it for a person', () => {
    const channel = keyNoticeMessage({ ...notice, works: false, to: { channel: 'C1' } }).text;
    const person = keyNoticeMessage({ ...notice, works: false, to: { user: 'U1' } }).text;
    expect(channel).toContain('…a1b2');
    expect(channel).not.toContain('admin -- set-key');
    expect(person).toContain('*Replace key*');
    expect(person).toContain('npm run admin -- set-key');
  });

  test('because of another account says who would pay, and how to accept that', () => {
    const moved = { ...notice, works: false, otherAccount: true as const };
    const channel = keyNoticeMessage({ ...moved, to: { channel: 'C1' } });
    const person = keyNoticeMessage({ ...moved, to: { user: 'U1' } });
    for (const shown of [channel, person]) {
      expectFine(shown);
      expect(shown.text).toMatch(
        /^⛔ \*Texts cannot be sent\*: the API key .* now belongs to another account\./,
      );
      expect(buttonOf(shown, 'Replace key')?.value).toBe('i1');
    }
    expect(person.text).toContain('To let that account pay, press *Replace key*, and paste the same key.');
    expect(channel.text).not.toContain('paste');
  });

  test('has the button to replace it, for admins; a notice of an earlier version has none', () => {
    for (const to of [{ channel: 'C1' }, { user: 'U1' }]) {
      const refused = keyNoticeMessage({ ...notice, works: false, to });
      expectFine(refused);
      expect(buttonOf(refused, 'Replace key')).toMatchObject({
        action_id: ACTIONS.replaceRefusedKey,
        value: 'i1',
      });
      const { instance: _unknown, ...earlier } = notice;
      expect(labelsOf(keyNoticeMessage({ ...earlier, works: false, to }))).toEqual([]);
      expect(labelsOf(keyNoticeMessage({ ...notice, works: true, to }))).toEqual([]);
    }
  });

  test('has a message once it works again', () => {
    expect(keyNoticeMessage({ ...notice, works: true, to: { channel: 'C1' } }).text).toContain(
      'can be sent again',
    );
  });
});

describe('a balance', () => {
  const figure = { credits: 4213, userName: 'Acme', readAt: AT };
  const linked = { link: aLink({ threshold: 100 }), instance: anInstance() };

  test('is credits, account and threshold, and can be shared', () => {
    const message = balanceMessage(figure, linked);
    expect(wordsOf(message.blocks)).toContain('*4,213 credits* · account “Acme”');
    expect(wordsOf(message.blocks)).toContain('Low-credit threshold: 100');
    expect(labelsOf(message)).toEqual(['Share in channel']);
  });

  test('below the threshold offers Top up, if there is a link', () => {
    const labelsAt = (credits: number, threshold: number, more = {}) => {
      const link = aLink({ threshold, topUpUrl: 'https://pay.example/' });
      return labelsOf(balanceMessage({ ...figure, credits }, { ...linked, link }, more));
    };
    expect(labelsAt(99, 100)).toEqual(['Top up', 'Share in channel']);
    expect(labelsAt(0, 0, { sharedBy: 'UANA' })).toEqual(['Top up']);
    expect(labelsAt(100, 100)).toEqual(['Share in channel']);
  });

  test('names account and instance once if both have the same name', () => {
    const { text } = balanceMessage(figure, { ...linked, instance: anInstance({ name: 'Acme' }) });
    expect(text).toBe('*4,213 credits* · “Acme”');
  });

  test('names the person who shared it, and is not shared twice', () => {
    const message = balanceMessage(figure, linked, { sharedBy: 'UANA' });
    expect(wordsOf(message.blocks)).toContain('shared by <@UANA>');
    expect(labelsOf(message)).toEqual([]);
  });

  test('that cannot be read comes as the last known figure with its age', () => {
    const { text } = balanceUnavailable(
      { kind: 'unavailable' },
      { instance: 'i1', known: { credits: 7, at: AT } },
    );
    expect(text).toContain('Last known: *7 credits*, <!date^');
  });

  test('since the key is refused has the button that replaces it', () => {
    const message = balanceUnavailable({ kind: 'key_refused' }, { instance: 'i1' });
    expect(message.text).toContain('An admin can replace the key here or in `/sms settings`.');
    expect(buttonOf(message, 'Replace key')?.value).toBe('i1');
    const moved = balanceUnavailable({ kind: 'other_account' }, { instance: 'i1' });
    expect(moved.text).toContain('this instance’s API key now belongs to another account.*');
    expect(buttonOf(moved, 'Replace key')?.value).toBe('i1');
    expect(labelsOf(balanceUnavailable({ kind: 'unavailable' }, { instance: 'i1' }))).toEqual([]);
  });
});

describe('a refusal', () => {
  test('in a channel without a link: members learn whom to ask, admins can link', () => {
    const member = notLinked({ isAdmin: false, admins: ['UADMIN'] });
    expect(member.text).toContain('<@UADMIN>');
    expect(labelsOf(member)).toEqual([]);
    expect(labelsOf(notLinked({ isAdmin: true, admins: [] }))).toEqual(['Link this channel']);
  });

  test('by the link’s rules names the rule and whom to ask', () => {
    const { text } = sendRefused('not_chosen', aLink({ whoCanSend: 'chosen', people: ['U1', 'U2'] }));
    expect(text).toContain('<@U1>, <@U2>');
    expect(text).toContain('<@UADMIN>');
  });

  test('for lack of credits has both figures, and why there is a range', () => {
    const short = creditsShort({ needed: 2, available: 0 });
    expectFine(short);
    expect(short.text).toBe(
      '⛔ *Not enough credits*\nNeeded: ≈ 2 credits\nAvailable: 0 credits\nTop up the account, or ask an admin to do so. Then try again.',
    );
    const topUp = topUpButton({ topUpUrl: 'https://pay.example/' });
    expect(creditsShort({ needed: 2, available: 0 }, topUp).text).toMatch(
      /\nTop up the account, then try again\.$/,
    );
    expect(wordsOf(short.blocks)).toMatch(/\*Needed\*\n≈ 2 credits \| \*Available\*\n0 credits/);
    expect(creditsShort({ needed: 7, least: 1, available: 5 }).text).toContain(
      'Needed: 1 to 7 credits\nAvailable: 5 credits\nYour price for such texts is not certain yet.',
    );
  });

  test('of somebody else’s click names the owner', () => {
    expect(notYours('UANA').text).toContain('only <@UANA> can send this');
  });

  test('of words that might be a key says to rotate it', () => {
    expect(takesNoArgument('link').text).toContain('If that was a key, rotate it');
  });

  test('in a direct message opens the form of a channel', () => {
    const message = needsChannel([{ id: 'C1' }]);
    expect(message.text).toContain('<#C1>');
    expect(JSON.parse(String(buttonOf(message, 'Write a text')?.value))).toEqual({ channel: 'C1' });
  });

  test.each([2, 20])('in a direct message keeps the words, however many channels there are: %d', (many) => {
    const channels = Array.from({ length: many }, (_, n) => ({ id: `C012345678${n}` }));
    const given = { recipient: '+44 20 7946 0958', message: 'x'.repeat(1000) };
    const shown = withWords(needsChannel(channels, given), given);
    expectFine(shown);
    expect(wordsOf(shown.blocks)).toContain(given.message);
    const carried = JSON.parse(String(buttonOf(shown, 'Write a text')?.value));
    // Twenty buttons with the text would make a message that Slack refuses.
    const text = many === 2 ? { message: given.message } : {};
    expect(carried).toEqual({ recipient: given.recipient, ...text, channel: 'C0123456780' });
  });
});

describe('the status', () => {
  const instance = anInstance();
  const link = { ...aLink(), threshold: 0 };
  const status = {
    link,
    instance,
    askedBy: 'UADMIN',
    balance: undefined,
    isServiceSilent: false,
    unknown: unknownFacts(),
    jobs: [],
    rules: '',
    heldBack: 0,
    refusals: undefined,
  };

  test('says what the channel is linked to', () => {
    const shown = statusMessage({ ...status });
    const { text } = shown;
    expectFine(shown);
    expect(shown.blocks).toEqual([expect.objectContaining({ fields: expect.anything() })]);
    for (const part of [
      '“Sales”',
      '…a1b2 · works',
      'not known yet',
      'off',
      'everyone',
      '<@UADMIN>',
      'Jobs: none',
      'Unknown: none',
    ]) {
      expect(text).toContain(part);
    }
    const refused = statusMessage({ ...status, instance: anInstance({ keyRefusedAt: AT }) });
    expect(refused.text).toContain('*refused by the service* since');
    expect(buttonOf(refused, 'Replace key')?.value).toBe('i1');
    const moved = statusMessage({
      ...status,
      instance: anInstance({ keyRefusedAt: AT, otherAccount: true }),
    });
    expect(moved.text).toContain('⛔ *The API key now belongs to another account.*');
    expect(moved.text).toContain('*belongs to another account* since');
    expect(buttonOf(moved, 'Replace key')?.value).toBe('i1');
  });

  test('offers Top up while credits are low, and names the account if it has another name', () => {
    const topUpUrl = 'https://pay.example/';
    const balance = { credits: 99, at: AT };
    const low = { ...status, link: { ...link, threshold: 100, topUpUrl }, balance };
    expect(buttonOf(statusMessage(low), 'Top up')).toMatchObject({ url: topUpUrl });
    expect(labelsOf(statusMessage({ ...low, balance: { credits: 100, at: AT } }))).toEqual([]);
    expect(statusMessage(low).text).toContain('Account: “Acme”');
    expect(statusMessage({ ...low, instance: anInstance({ name: 'Acme' }) }).text).not.toContain('Account');
  });

  test('says how many repeats were held back, if there were any', () => {
    const { text } = statusMessage({ ...status, heldBack: 312 });
    expect(text).toContain('*Repeats held back:* 312 texts in the last 7 days');
  });

  test('lists the jobs that have not ended, and who is waiting to unlink', () => {
    const jobs = [aJob({}, { left: 2341, sent: 1872 }), aJob({ state: 'paused' }, { left: 4213 })];
    const { text } = statusMessage({
      ...status,
      link: { ...link, leaving: { by: 'UADMIN' } },
      jobs,
    });
    expect(text).toContain('📤 *Sending* list.csv · 44 % · 2,341 left · by <@UANA>\n');
    expect(text).toContain('⏸ *Paused* · list.csv · 0 % · 4,213 left · by <@UANA>\n');
    expect(text).not.toContain('Jobs: none');
    expect(text).toContain('<@UADMIN> asked to unlink this channel once its jobs are done');
  });

  test('begins with the things that need a person', () => {
    const { text, blocks } = statusMessage({
      ...status,
      instance: anInstance({ keyRefusedAt: AT }),
      isServiceSilent: true,
      unknown: unknownFacts([settled('unknown', { cause: 'no_answer' })]),
      jobs: [aJob({}, { left: 10 }), aJob({ state: 'paused' }, { left: 4213 })],
      rules: '*Limits:* none',
    });
    const order = [
      '⛔ *The service refuses the API key.*',
      '⚠️ *The service did not answer as it should.*',
      '⚠️ *Unknown*',
      '⏸ *Paused*',
      'Instance',
      '📤 *Sending*',
    ];
    expect(order.map((part) => text.indexOf(part))).toEqual(
      order.map((part) => text.indexOf(part)).toSorted((a, b) => a - b),
    );
    expect(text.startsWith('⛔')).toBe(true);
    expect(wordsOf(blocks).indexOf('⏸')).toBeLessThan(wordsOf(blocks).indexOf('Instance'));
    expect(text.match(/can replace the key/g)).toHaveLength(1);
  });

  test.each<[number, number, RegExp]>([
    [0, 0, /^⛔ \*No credits left\.\* Please top up/],
    [99, 100, /^⚠️ \*Credits are running low:\* 99 credits left\. Please top up/],
    [100, 100, /^Instance/],
    [1, 0, /^Instance/],
  ])('with %d credits and a threshold of %d begins like that', (left, threshold, words) => {
    const balance = { credits: left, at: AT };
    const { text } = statusMessage({ ...status, balance, link: { ...link, threshold } });
    expect(text).toMatch(words);
  });

  test('lists the newest unknown texts, masked, and counts the rest', () => {
    const unknown = Array.from({ length: 7 }, (_, index) =>
      settled(
        'unknown',
        { cause: 'no_answer' },
        { e164: `+44207946000${index}`, evidence: evidence('none') },
      ),
    ).reverse();
    const message = statusMessage({ ...status, unknown: unknownFacts(unknown) });
    const { text } = message;
    expect(text).toContain(
      '⚠️ *Unknown* · 7 texts need a decision\nOnly the person who sent a text can resend it.',
    );
    const [, only] = statusMessage({
      ...status,
      unknown: unknownFacts([settled('unknown', undefined, { evidence: evidence('probably_sent', 998) })]),
    }).blocks;
    expect(wordsOf(only ? [only] : [])).toMatch(/^···0958 · <@UANA>, [^\n]* · probably sent$/);
    expect(labelsOf(message)).toEqual(Array(5).fill(['It arrived', 'Leave it']).flat());
    const own = statusMessage({ ...status, askedBy: 'UANA', unknown: unknownFacts(unknown) });
    expect(labelsOf(own)).toEqual(Array(5).fill(['It arrived', 'Resend…', 'Leave it']).flat());
    const tooEarly = unknownFacts([settled('unknown', { cause: 'no_answer' })]);
    expect(labelsOf(statusMessage({ ...status, askedBy: 'UANA', unknown: tooEarly }))).toEqual([
      'It arrived',
      'Leave it',
    ]);
    expect(text).toContain('and 2 older');
    expect(text.indexOf('···0006')).toBeGreaterThan(0);
    expect(text.indexOf('···0006')).toBeLessThan(text.indexOf('···0002'));
    expect(text).not.toContain('···0001');
    expect(text).not.toMatch(/7946/);
    const most = statusMessage({
      ...status,
      unknown: unknownFacts(
        Array.from({ length: 101 }, () => unknown)
          .flat()
          .slice(0, 101),
      ),
    });
    expect(most.text).toContain('⚠️ *Unknown* · more than 100 texts need a decision');
    expect(most.text).toContain('and more than 95 older');
  });

  test.each([
    [1, '⚠️ *Unknown* · 1 text of jobs: their cards have the buttons'],
    [101, '⚠️ *Unknown* · more than 100 texts of jobs: their cards have the buttons'],
  ])('counts the unknown texts of lists, too: %d', (inJobs, words) => {
    const shown = statusMessage({ ...status, unknown: unknownFacts([], inJobs) });
    expectFine(shown);
    expect(shown.text).toMatch(new RegExp(`^${words.replaceAll('*', '\\*')}\n`));
    expect(shown.text).not.toContain('Unknown: none');
    expect(shown.text).not.toContain('need a decision');
  });
});
