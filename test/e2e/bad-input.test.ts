import { textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { draftBulk } from '../helpers/world-bulk.ts';
import {
  ACME_KEY,
  answerTo,
  arrivalsAt,
  ask,
  BIRCH_KEY,
  directOf,
  draft,
  formOf,
  historyOf,
  link,
  loaded,
  openModal,
  press,
  receiptOf,
  rows,
  sendRequests,
} from '../helpers/world-steps.ts';

/** The rows of the table "What bad input gets", from outside. */
/** The send form's fields: with what was typed, and with a placeholder. */
const KEPT = /Recipient: \[\+44 20 7946 0958 ▾.*Message: \[Hello Ana\]/s;
const EMPTY = /Recipient: \[\+44 20 7946 0958\].*Message: \[\]/s;

describe('what bad input gets', () => {
  let world: World;
  const stored = () => Number(rows(world, 'SELECT count(*) AS n FROM sends')[0]?.n);

  beforeAll(async () => {
    world = await createWorld({ env: { DRAFT_TTL_MS: '900000' } });
    await world.start();
  });
  afterAll(() => world.close());
  afterEach(() => {
    expect(world.slack.failures).toEqual([]);
    expect(world.slack.warnings).toEqual([]);
  });

  describe('a channel that is not linked', () => {
    it('tells a member whom to ask, and how', async () => {
      const text = await ask(world, 'send +442079460958 hi');
      expect(text).toContain('not linked');
      expect(text).toContain('/sms link');
      expect(text).not.toContain('[');
    });

    it.each(['send', 'bulk'])('says the same if /sms %s would open a form', async (text) => {
      const { slack } = world;
      const { admin, member } = slack.people;
      const opens = async (user: typeof member) =>
        textOf(await loaded(slack, await openModal(slack, { user, channel: slack.channels.sales, text })));
      expect(await opens(member)).toMatch(/not linked yet.*\nPlease ask .* to type `\/sms link`/);
      expect(await opens(admin)).toMatch(/not linked yet.*\nLink it with `\/sms link`/);
    });

    it('gives an admin the button, which opens the form', async () => {
      const { slack } = world;
      const { admin } = slack.people;
      const answer = await answerTo(world, 'send +442079460958 hi', { user: admin });
      const click = await slack.click({ user: admin, message: answer, text: 'Link this channel' });
      expect(textOf(await formOf(slack, click))).toContain('API key');
    });
  });

  describe('a wrong key in the modal', () => {
    it('the field says so, and nothing is saved', async () => {
      const { slack } = world;
      const { admin } = slack.people;
      const command = await slack.command({ user: admin, channel: slack.channels.sales, text: 'link' });
      const form = await formOf(slack, command);
      const wrong = 'this-key-is-not-one-0000';
      const done = await slack.submitView({
        user: admin,
        view: form,
        values: { 'Instance name': 'Wrong', 'API key': wrong },
      });
      expect(done.errors).toEqual({
        api_key: expect.stringMatching(/rejects this key.*Nothing was saved/),
      });
      const odd = await slack.submitView({ user: admin, view: form, values: { 'API key': 'two words' } });
      expect(Object.keys(odd.errors)).toEqual(['api_key']);
      expect(JSON.stringify(odd.errors)).not.toContain('two words');
      const status = await world.runAdmin(['status']);
      expect(status.stdout).toContain('linked channels: 0');
      expect(status.stdout).not.toContain('Wrong');
      expect(world.dataBytes() + world.output()).not.toContain(wrong);
    });

    it('a key pasted into the name as well is refused there: everybody would see it', async () => {
      const { slack } = world;
      const { admin } = slack.people;
      const command = await slack.command({ user: admin, channel: slack.channels.sales, text: 'link' });
      const done = await slack.submitView({
        user: admin,
        view: await formOf(slack, command),
        values: { 'Instance name': `Sales ${ACME_KEY}`, 'API key': ACME_KEY },
      });
      expect(done.errors).toEqual({ instance_name: expect.stringMatching(/holds the API key/) });
      expect(JSON.stringify(done.errors)).not.toContain(ACME_KEY);
      expect(world.dataBytes()).not.toContain(ACME_KEY);
    });
  });

  describe('in a linked channel', () => {
    beforeAll(async () => {
      // Without a name, the instance gets its account's name.
      expect(await link(world, { name: '' })).toContain('“Acme Ltd”');
    });

    for (const [what, words, understood, missing] of [
      ['0812 without a default country', '0812 hi', '0812', /No country code/],
      ['a number that is too short', '+44 20 79 hi', '+44 20 79', /too short/],
      ['letters in place of a number', 'abc hi', 'abc hi', /number comes first/],
      ['letters in a number', '+44ABC079460958 hi', '+44ABC079460958', /letters/],
      ['an extension', '+44 20 7946 0958x12 hi', '+44 20 7946 0958x12', /extension.*Leave it out/],
      ['an extension in words', '+44 20 7946 0958 ext 12 hi', '+44 20 7946 0958', /extension.*Leave it out/],
      ['a number without a text', '+44 20 7946 0958', 'United Kingdom', /text is missing/],
    ] as const) {
      it(`${what}: what was understood, what is missing; nothing stored`, async () => {
        const before = stored();
        const text = await ask(world, `send ${words}`);
        expect(text).toContain(understood);
        expect(text.replaceAll('\n', ' ')).toMatch(missing);
        expect(text).toContain('Nothing was sent');
        expect(text).toContain('[Open the form]');
        expect(stored()).toBe(before);
      });
    }

    it('two valid readings of the number: refused, the readings shown, the form offered', async () => {
      const { slack } = world;
      const { member } = slack.people;
      const before = stored();
      const answer = await answerTo(world, 'send +49 30 901820 15 Uhr');
      const text = textOf(answer);
      for (const words of ['+49 30 901820 ·', '+49 30 90182015', 'Germany', 'Which number do you mean?'])
        expect(text).toContain(words);
      const forms = answer.blocks.filter((block) => block.accessory);
      expect(forms).toHaveLength(2);
      const click = await slack.click({
        user: member,
        message: answer,
        block_id: String(forms[1]?.block_id),
      });
      const form = await formOf(slack, click);
      expect(textOf(form)).toContain('+493090182015');
      expect(textOf(form)).toContain('[Uhr]');
      expect(stored()).toBe(before);
    });

    it('1,001 characters: the count and the limit', async () => {
      const before = stored();
      const text = await ask(world, `send +442079460958 ${'a'.repeat(1001)}`);
      expect(text).toContain('1,001 characters');
      expect(text).toContain('limit is 1,000');
      expect(stored()).toBe(before);
      await draft(world, `+442079460958 ${'😀'.repeat(1000)}`);
    });

    it('in the modal: at the fields, and typed values stay', async () => {
      const { slack } = world;
      const { member } = slack.people;
      const command = await slack.command({ user: member, channel: slack.channels.sales, text: 'send' });
      const form = await formOf(slack, command);
      const submit = (Recipient: string, Message: string) =>
        slack.submitView({ user: member, view: form, values: { Recipient, Message } });
      const before = stored();
      expect((await submit('0812', 'a'.repeat(1001))).errors).toEqual({
        recipient: expect.stringContaining('country code'),
        message: expect.stringMatching(/1,001 characters.*1,000/),
      });
      expect((await submit('+442079460958', ' \n ')).errors).toEqual({
        message: expect.stringMatching(/empty|missing|write/i),
      });
      expect((await submit('+44 20 7946 0958 ext 12', 'x')).errors).toEqual({
        recipient: expect.stringContaining('extension'),
      });
      expect(stored()).toBe(before);
      expect((await submit('+442079460958', 'From the form')).outcome).toBe('closed');
      await slack.waitFor(() =>
        slack.ephemerals(member.id).some((one) => textOf(one).includes('From the form')),
      );
    });

    for (const word of ['link', 'settings', 'unlink']) {
      it(`words after ${word}: refused, never stored, logged or echoed`, async () => {
        const secret = `pasted-by-mistake-${word}`;
        for (const user of [world.slack.people.admin, world.slack.people.member]) {
          const text = await ask(world, `${word} ${secret}`, { user });
          expect(text).toContain('If that was a key, rotate it');
        }
        expect(JSON.stringify(world.slack.calls)).not.toContain(secret);
        expect(world.output() + world.dataBytes()).not.toContain(secret);
      });
    }

    it('Send clicked twice: "already sent by", and one text', async () => {
      const { slack } = world;
      const preview = await draft(world, '+442079460101 Twice');
      const first = await press(world, preview, 'Send');
      await receiptOf(world, preview);
      const second = await slack.click({ user: preview.to, message: preview, text: 'Send', forged: true });
      const text = textOf(await second.reply());
      expect(text).toMatch(/already sent by <@U0MEMBER01> <!date\^\d+\^\{date_short_pretty\} at \{time\}\|/);
      expect(text).toContain('1 credit used');
      // The bot says nothing to Slack's retry of the first click.
      const calls = slack.calls.length;
      const again = await first.resend({ retry: { num: 1, reason: 'http_timeout' } });
      expect(again.status).toBe(200);
      await ask(world, 'help');
      const said = slack.calls.slice(calls).filter(({ method }) => !/^(users|conversations)\./.test(method));
      expect(said).toHaveLength(1);
      expect(arrivalsAt(world, '442079460101')).toHaveLength(1);
    });

    it('Cancel clicked twice: the words stay, though the draft has lost them', async () => {
      const { slack } = world;
      for (const words of ['Short', `Long ${'a'.repeat(990)}`]) {
        const preview = await draft(world, `+442079460103 ${words}`);
        await press(world, preview, 'Cancel');
        expect(await receiptOf(world, preview)).toContain('*Cancelled*');
        const again = await slack.click({ user: preview.to, message: preview, text: 'Cancel', forged: true });
        expect(textOf(await again.reply())).toContain('this draft was cancelled. Nothing was sent.');
        const shown = slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
        expect(JSON.stringify(shown)).toContain(words);
      }
    });

    it('Send clicked twenty times at once, with retries of each: one text, one receipt', async () => {
      const { slack } = world;
      const preview = await draft(world, '+442079460102 Twenty');
      const clicks = await Promise.all(
        Array.from({ length: 20 }, () =>
          slack.click({ user: preview.to, message: preview, text: 'Send', forged: true }),
        ),
      );
      const retries = await Promise.all(
        clicks.map((click) => click.resend({ retry: { num: 1, reason: 'http_timeout' } })),
      );
      expect([...clicks, ...retries].map(({ status }) => status)).toEqual(Array(40).fill(200));
      expect(await receiptOf(world, preview)).toContain('*Sent*');
      expect(arrivalsAt(world, '442079460102')).toHaveLength(1);
      await slack.waitFor(() => historyOf(world).some((line) => line.includes('···0102')));
      expect(historyOf(world).filter((line) => line.includes('···0102'))).toHaveLength(1);
    });

    it('Send clicked by somebody else: only the owner can', async () => {
      const { slack } = world;
      const preview = await draft(world, '+442079460103 Mine');
      const click = await slack.click({
        user: slack.people.colleague,
        message: preview,
        text: 'Send',
        forged: true,
      });
      expect(textOf(await click.reply())).toContain('only <@U0MEMBER01> can send this');
      for (const text of ['Edit', 'Cancel']) {
        const other = await slack.click({ user: slack.people.admin, message: preview, text, forged: true });
        expect(textOf(await other.reply()), text).toContain('only <@U0MEMBER01> can send this');
      }
      expect(arrivalsAt(world, '442079460103')).toEqual([]);
      await press(world, preview, 'Send');
      expect(await receiptOf(world, preview)).toContain('*Sent*');
    });

    it('Send on a cancelled draft: nothing was sent, and **Write a text**', async () => {
      const { slack } = world;
      const preview = await draft(world, '+442079460104 No');
      await press(world, preview, 'Cancel');
      const click = await slack.click({ user: preview.to, message: preview, text: 'Send', forged: true });
      const answer = await click.reply();
      expect(textOf(answer)).toContain('this draft was cancelled. Nothing was sent');
      const form = await slack.click({ user: preview.to, message: answer, text: 'Write a text' });
      expect(textOf(await formOf(slack, form))).toContain('Recipient');
      expect(arrivalsAt(world, '442079460104')).toEqual([]);
    });

    it('Send on an edited draft: nothing was sent, and **Write a text**', async () => {
      const { slack } = world;
      const preview = await draft(world, '+442079460105 Old words');
      const edit = await press(world, preview, 'Edit');
      const form = await formOf(slack, edit);
      expect(textOf(form)).toContain('Old words');
      await slack.submitView({ user: preview.to, view: form, values: { Message: 'New words' } });
      await slack.waitFor(() =>
        slack.ephemerals(preview.to).some((one) => textOf(one).includes('New words')),
      );
      const click = await slack.click({ user: preview.to, message: preview, text: 'Send', forged: true });
      const answer = await click.reply();
      expect(textOf(answer)).toContain('this draft was edited. Nothing was sent');
      expect(textOf(answer)).toContain('[Write a text]');
      expect(arrivalsAt(world, '442079460105')).toEqual([]);
    });

    it('an edit of a draft that was sent meanwhile sends nothing more', async () => {
      const { slack } = world;
      const preview = await draft(world, '+442079460106 First words');
      const form = await formOf(slack, await press(world, preview, 'Edit'));
      await press(world, preview, 'Send');
      await receiptOf(world, preview);
      const done = await slack.submitView({
        user: preview.to,
        view: form,
        values: { Message: 'Late words' },
      });
      expect(done.outcome).toBe('closed');
      const answer = await slack.waitFor(() =>
        slack.ephemerals(preview.to).find((one) => textOf(one).includes('Late words')),
      );
      expect(textOf(answer)).toMatch(/^✅ This text was already sent/);
      expect(textOf(answer)).not.toContain('[');
      expect(arrivalsAt(world, '442079460106').map(({ text }) => text)).toEqual(['First words']);
    });

    it.each([
      ['sned +44 20 7946 0958 Hello Ana', KEPT],
      ['+44 20 7946 0958 Hello Ana', KEPT],
      ['text +44 20 7946 0958 Hello Ana', KEPT],
      // Words that are no number and text may hold a key.
      ['sned some-key-0001', EMPTY],
      ['+44 20 7946 0958', EMPTY],
    ])('a wrong command word loses no text: %s', async (typed, fields) => {
      const { slack } = world;
      const answer = await answerTo(world, typed);
      expect(textOf(answer)).toMatch(/^There is no/);
      const form = await slack.click({ user: slack.people.member, message: answer, text: 'Write a text' });
      expect(textOf(await formOf(slack, form))).toMatch(fields);
    });

    it('a list typed behind the command is in the form', async () => {
      const { slack } = world;
      const { member: user } = slack.people;
      const where = { user, channel: slack.channels.sales };
      const form = async (text: string) =>
        textOf(await loaded(slack, await openModal(slack, { ...where, text })));
      expect(await form('bulk +442079460958, Ana\n+442079460959, Ben')).toContain(
        'Recipients: [+442079460958, Ana\n+442079460959, Ben ▾',
      );
      expect(await form('bulk some-key-0001')).not.toContain('some-key');
      const long = Array.from({ length: 300 }, (_, at) => `+442079460${100 + at}`).join('\n');
      expect(await form(`bulk ${long}`)).toContain('This list is too long for the field');
    });

    it('unknown words, buttons, commands and shortcuts are acknowledged and do nothing', async () => {
      const { slack } = world;
      const { member } = slack.people;
      expect(await ask(world, 'blance')).toContain('Did you mean `/sms balance`');
      const preview = await draft(world, '+442079460107 Unknown');
      const alien = {
        ...preview,
        blocks: [
          {
            type: 'actions',
            block_id: 'old',
            elements: [
              { type: 'button', action_id: 'of_an_older_version', text: { type: 'plain_text', text: 'Old' } },
            ],
          },
        ],
      };
      const button = await slack.click({ user: member, message: alien, text: 'Old', forged: true });
      expect(button.status).toBe(200);
      for (const text of ['Send', 'Edit', 'Cancel']) {
        const gone = await slack.click({
          user: member,
          message: JSON.parse(JSON.stringify(preview).replace(/"value":"[^"]+"/g, '"value":"no-such-send"')),
          text,
          forged: true,
        });
        const answer = await gone.reply();
        expect(textOf(answer)).toContain('This draft is gone. Nothing was sent just now.');
        // In the place of the draft.
        expect(answer.ts).toBe(preview.ts);
      }
      const shortcut = await slack.shortcut({ user: member, callback_id: 'of_an_older_version' });
      expect(shortcut.status).toBe(200);
      const command = await slack.command({
        user: member,
        channel: slack.channels.sales,
        command: '/other',
        text: 'x',
      });
      expect(command.status).toBe(200);
      expect(textOf(await command.reply())).toContain('Type `/sms`');
      const event = await slack.event({ type: 'member_joined_channel', user: member.id });
      expect(event.status).toBe(200);
      expect(arrivalsAt(world, '442079460107')).toEqual([]);
    });
  });

  describe('credits short', () => {
    it('needed and available, before asking and after a 402', async () => {
      const { slack, service } = world;
      const { leads } = slack.channels;
      await link(world, {
        channel: leads,
        key: BIRCH_KEY,
        name: 'Birch',
        values: { 'Low-credit threshold': '0', 'Top-up link': 'https://pay.example/' },
      });
      // Another program takes the last credits before the click. The bot's figure is still fresh.
      const preview = await draft(world, '+442079460110 Last', { channel: leads });
      service.setCredits(2, 0);
      await press(world, preview, 'Send');
      expect(await receiptOf(world, preview)).toMatch(
        /\*Rejected\*[\s\S]*needs 1 credit, and the account has 0[\s\S]*\[Top up\]/,
      );
      const requests = sendRequests(world).length;
      const before = await ask(world, 'send +442079460110 hi', { channel: leads });
      expect(before).toMatch(/Not enough credits[\s\S]*\*Needed\*\n≈ 1 credit\n\*Available\*\n0 credits/);
      expect(before).toMatch(/\[Top up\].*\[Open the form\]/s);
      expect(before).not.toContain('[Send]');
      expect(sendRequests(world)).toHaveLength(requests);
      expect(arrivalsAt(world, '442079460110')).toEqual([]);
      service.setCredits(2, 3);
      await draft(world, '+442079460110 hi', { channel: leads });
    });
  });

  it('no row of the table left the key in a wrong place', () => {
    expect(JSON.stringify(world.slack.calls) + world.output() + world.dataBytes()).not.toContain(ACME_KEY);
    expect(directOf(world, world.slack.people.colleague)).toEqual([]);
  });
});

describe('Send on an expired draft', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ env: { DRAFT_TTL_MS: '1000' } });
    await world.start();
    await link(world);
  });
  afterAll(() => world.close());

  it('the draft’s place says so, and the form has its number and words', async () => {
    const { slack } = world;
    const preview = await draft(world, '+442079460111 Too late');
    // A command's response_url can replace no message, so the bot says this beside the draft.
    const said = await slack.waitFor(() =>
      slack.ephemerals(preview.to).find((one) => textOf(one).includes('*Expired*')),
    );
    expect(textOf(said)).toMatch(/nothing was sent to \+44 20 7946 0111.*\n.*\[Open the form\]/);
    await press(world, preview, 'Send');
    const text = await slack.waitFor(() => {
      const now = slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
      return now?.edited ? textOf(now) : undefined;
    });
    expect(text).toContain('*Expired*: nothing was sent to +44 20 7946 0111');
    const click = await press(world, preview, 'Open the form');
    const form = await formOf(slack, click);
    expect(textOf(form)).toContain('+44 20 7946 0111');
    expect(textOf(form)).toContain('Too late');
    const again = await slack.submitView({ user: preview.to, view: form });
    expect(again.outcome).toBe('closed');
    expect(arrivalsAt(world, '442079460111')).toEqual([]);
    expect(slack.failures).toEqual([]);
  });

  it('that expires while its form is open is edited all the same: the new words are a new draft', async () => {
    const { slack } = world;
    const preview = await draft(world, '+442079460113 First words');
    const form = await formOf(slack, await press(world, preview, 'Edit'));
    await slack.waitFor(() =>
      slack
        .ephemerals(preview.to)
        .find((one) => textOf(one).includes('nothing was sent to +44 20 7946 0113')),
    );
    await slack.submitView({ user: preview.to, view: form, values: { Message: 'Second words' } });
    const answer = await slack.waitFor(() =>
      slack.ephemerals(preview.to).find((one) => textOf(one).includes('Second words')),
    );
    expect(textOf(answer)).toMatch(/^💬 \*Text to \+44 20 7946 0113\*\nSecond words/);
    expect(slack.failures).toEqual([]);
  });

  it('a list opens as Edit would', async () => {
    const { slack } = world;
    const preview = await draftBulk(world, { recipients: '+442079460112, Ana', message: 'Hi {2}' });
    const said = await slack.waitFor(() =>
      slack.ephemerals(preview.to).find((one) => textOf(one).includes('nothing was sent to this recipient')),
    );
    const click = await press(world, said, 'Open the form');
    const form = await formOf(slack, click);
    expect(textOf(form)).toContain('+442079460112, Ana');
    expect(textOf(form)).toContain('Hi {2}');
    expect(slack.failures).toEqual([]);
  });
});
