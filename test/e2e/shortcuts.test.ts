import { type Message, type OpenView, type Ref, textOf } from 'slack-playground';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SHORTCUTS } from '../../src/slack/ui/ids.ts';
import { cardIn, shownTo } from '../helpers/bulk-steps.ts';
import { linkedWorldsOfFile } from '../helpers/linked-worlds-of-file.ts';
import type { World } from '../helpers/world.ts';
import { confirmBulk } from '../helpers/world-bulk.ts';
import { arrivalsAt, ask, BIRCH_KEY, formOf, link, press, receiptOf } from '../helpers/world-steps.ts';

const CSV = 'name,phone\nAna,+442079460951\nBen,+442079460952\n';

const newWorld = linkedWorldsOfFile();
let world: World;
beforeAll(async () => {
  world = await newWorld({ env: { SMS_RATE_LIMIT: '1000' }, sandbox: { switches: { rateLimit: 1000 } } });
});

/** Uses a shortcut; resolves with the form that opens. */
async function open(
  callback_id: string,
  {
    user = world.slack.people.member,
    on,
    forged = false,
  }: { user?: Ref; on?: Message; forged?: boolean } = {},
) {
  const { slack } = world;
  const used = on
    ? await slack.messageShortcut({ user, message: on, callback_id, forged })
    : await slack.shortcut({ user, callback_id, forged });
  return formOf(slack, used);
}

/** The send form filled in, for #sales. */
function filled(number: string, message = 'Hello') {
  return { Recipient: number, Message: message, Channel: world.slack.channels.sales.id };
}

/** A message with files in #sales. */
function messageWith(files: { name: string; bytes: string }[]): Message {
  const { slack } = world;
  return slack.say({ user: slack.people.member, channel: slack.channels.sales, text: 'the list', files });
}

describe('Write a text', () => {
  it('asks for the channel, and goes on there', async () => {
    const { slack } = world;
    const user = slack.people.member;
    const form = await open(SHORTCUTS.writeText);
    expect(textOf(form)).toContain('<#C0SALES001>');
    for (const { id } of [slack.channels.support, slack.channels.partners])
      expect(textOf(form)).not.toContain(id);
    const values = {
      Recipient: '+442079460901',
      Message: 'From a shortcut',
      Channel: slack.channels.sales.id,
    };
    const done = await slack.submitView({ user, view: form, values });
    expect(done.outcome).toBe('updated');
    expect(textOf(slack.view(form.view.id) as OpenView)).toContain('Go on in <#C0SALES001>');
    const preview = await shownTo(world, user, 'From a shortcut');
    expect(preview.channel).toBe(slack.channels.sales.id);
    expect(textOf(preview)).not.toContain('Paid by');
    await press(world, preview, 'Send');
    expect(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
    expect(arrivalsAt(world, '442079460901')).toHaveLength(1);
  });
});

describe('a person who may not send', () => {
  const forms = [SHORTCUTS.writeText, SHORTCUTS.textList, SHORTCUTS.textMessage, SHORTCUTS.textMessageList];

  it.each(forms)('%s: a guest and somebody of another workspace get no form', async (callback_id) => {
    const { slack } = world;
    await link(world, { channel: slack.channels.partners, name: `Partners ${callback_id}`, key: BIRCH_KEY });
    const ofMessage = callback_id.startsWith('text_this');
    const on = slack.say({ user: slack.people.member, channel: slack.channels.partners, text: 'Not theirs' });
    for (const user of [slack.people.guest, slack.people.outsider]) {
      const view = await open(callback_id, { user, forged: true, ...(ofMessage ? { on } : {}) });
      expect(view.view.submit).toBeNull();
      // A message has a channel, so the channel's rules are the reason.
      const why = ofMessage
        ? /⛔ (?:Guests cannot send texts from this channel|People of other workspaces cannot send)/
        : 'You are in no channel that you can send from.';
      expect(textOf(view)).toMatch(why);
    }
  });

  it('a person who lost the right while the form was open gets no preview', async () => {
    const { slack } = world;
    const user = slack.people.colleague;
    const form = await open(SHORTCUTS.writeText, { user });
    slack.leave(slack.channels.sales.id, user.id);
    const done = await slack.submitView({ user, view: form, values: filled('+442079460911', 'Left it') });
    expect(done.outcome).toBe('updated');
    const { id } = slack.directMessage(user.id);
    const said = await slack.waitFor(() =>
      slack
        .history(id)
        .map(textOf)
        .find((text) => text.includes('Left it')),
    );
    expect(said).toContain('You are not in <#C0SALES001>');
    slack.join(slack.channels.sales.id, user.id);
    expect(arrivalsAt(world, '442079460911')).toEqual([]);
  });
});

describe('a channel that lost its link while the form was open', () => {
  /** An admin unlinks #leads. */
  async function unlink() {
    const { slack } = world;
    const user = slack.people.admin;
    const command = await slack.command({ user, channel: slack.channels.leads, text: 'unlink' });
    const asked = await command.reply();
    const click = await slack.click({ user, message: asked, text: 'Unlink: no more texts from here' });
    await click.reply();
  }
  beforeEach(() => link(world, { channel: world.slack.channels.leads, name: `Leads ${Math.random()}` }));

  it('is an error at the channel, and the words stay', async () => {
    const { slack } = world;
    const user = slack.people.member;
    const form = await open(SHORTCUTS.writeText);
    await unlink();
    const values = { ...filled('+442079460912', 'Still here'), Channel: slack.channels.leads.id };
    const refused = await slack.submitView({ user, view: form, values });
    expect(refused.errors).toEqual({ channel: expect.stringContaining('Choose another one') });
    const done = await slack.submitView({ user, view: form, values: filled('+442079460912', 'Still here') });
    expect(done.outcome).toBe('updated');
    await press(world, await shownTo(world, user, 'Still here'), 'Cancel');
  });

  it('the list form says so, and asks for another one', async () => {
    const { slack } = world;
    const user = slack.people.member;
    const form = await open(SHORTCUTS.textList);
    await unlink();
    const values = {
      Recipients: '+442079460913',
      Message: 'A list all the same',
      Channel: slack.channels.leads.id,
    };
    await slack.submitView({ user, view: form, values });
    const again = await slack.waitFor(() => {
      const now = slack.view(form.view.id);
      return now && textOf(now).includes('not linked yet') ? now : undefined;
    });
    expect(textOf(again)).toContain('A list all the same');
    const Channel = slack.channels.sales.id;
    const done = await slack.submitView({ user, view: again, values: { Channel } });
    expect(done.errors).toEqual({});
    const preview = await shownTo(world, user, 'A list all the same');
    expect(preview.channel).toBe(slack.channels.sales.id);
    await press(world, preview, 'Cancel');
  });
});

describe('a shortcut that Slack delivers again', () => {
  it('opens one form, even at a bot that has started again', async () => {
    const { slack } = world;
    const user = slack.people.colleague;
    const { id } = slack.directMessage(user.id);
    const before = slack.history(id).length;
    const used = await slack.shortcut({ user, callback_id: SHORTCUTS.writeText });
    await formOf(slack, used);
    expect((await used.resend()).status).toBe(200);
    await world.stop();
    await world.start();
    expect((await used.resend()).status).toBe(200);
    await ask(world, 'balance');
    // Slack would have refused a second form, and the bot would have logged that.
    expect(world.output()).not.toContain('Slack did not open the modal');
    expect(slack.history(id)).toHaveLength(before);
    expect(slack.views(user.id)).toHaveLength(1);
  });
});

describe('Text a list', () => {
  it('asks for the channel, and goes on there', async () => {
    const { slack } = world;
    const user = slack.people.member;
    const form = await open(SHORTCUTS.textList);
    const values = {
      Recipients: '+442079460902\n+442079460903',
      Message: 'A list by shortcut',
      Channel: slack.channels.sales.id,
    };
    const done = await slack.submitView({ user, view: form, values });
    expect(done.outcome).toBe('updated');
    expect(textOf(slack.view(form.view.id) as OpenView)).toContain('Go on in <#C0SALES001>');
    const preview = await shownTo(world, user, 'A list by shortcut');
    expect(preview.channel).toBe(slack.channels.sales.id);
    await confirmBulk(world, preview);
    await cardIn(world, /\*Finished\*/);
    expect(arrivalsAt(world, '442079460903')).toHaveLength(1);
  });
});

describe('Text this message', () => {
  it('begins with the message’s words', async () => {
    const { slack } = world;
    const user = slack.people.member;
    const text = 'Call <@U0MEMBER02> in <#C0SUPPORT1|> :wave: <https://example.com|our site> 1 &lt; 2';
    const on = slack.say({ user, channel: slack.channels.sales, text });
    const form = await open(SHORTCUTS.textMessage, { on });
    expect(textOf(form)).toContain('Call @ben in #support 👋 our site (https://example.com) 1 < 2');
    expect(textOf(form)).not.toContain('Channel:');
    await slack.submitView({ user, view: form, values: { Recipient: '+442079460904' } });
    const preview = await shownTo(world, user, 'Call @ben');
    await press(world, preview, 'Send');
    await receiptOf(world, preview);
    expect(arrivalsAt(world, '442079460904')).toMatchObject([
      { text: 'Call @ben in #support 👋 our site (https://example.com) 1 < 2' },
    ]);
  });
});

describe('Text this list', () => {
  it('uses the message’s file', async () => {
    const { slack } = world;
    const user = slack.people.member;
    const on = messageWith([{ name: 'guests.csv', bytes: CSV }]);
    const form = await open(SHORTCUTS.textMessageList, { on });
    expect(textOf(form)).toContain('We use “guests.csv”, unless you paste recipients');
    const done = await slack.submitView({ user, view: form, values: { Message: 'Dear {name}' } });
    expect(done.errors).toEqual({});
    const preview = await shownTo(world, user, 'from “guests.csv”');
    await confirmBulk(world, preview);
    await cardIn(world, /\*Finished\*[\s\S]*guests\.csv|guests\.csv[\s\S]*\*Finished\*/);
    expect(arrivalsAt(world, '442079460952')).toMatchObject([{ text: 'Dear Ben' }]);
  });

  it('uses a list in the message’s words', async () => {
    const { slack } = world;
    const text = 'phone,name\n+442079460952,Ben\n+442079460953,Cem';
    const on = slack.say({ user: slack.people.member, channel: slack.channels.sales, text });
    const form = await open(SHORTCUTS.textMessageList, { on });
    expect(textOf(form)).toContain(`Recipients: [${text} ▾`);
  });

  it.each([
    ['no file', [], 'This message has no file'],
    ['a picture', ['shop.png'], 'shop.png cannot be read as a list'],
    ['a workbook', ['list.xlsx'], 'list.xlsx is a spreadsheet file'],
    ['two pictures', ['a.png', 'b.png'], 'None of this message’s files is a list'],
    ['two lists', ['a.csv', 'b.csv'], 'This message has several lists'],
  ])('%s: the form says so and takes a list', async (_, names, sentence) => {
    const { slack } = world;
    const files = names.map((name) => ({ name, bytes: CSV }));
    const on = messageWith(files);
    const form = await open(SHORTCUTS.textMessageList, { on });
    expect(textOf(form)).toContain(sentence);
    const values = {
      Recipients: '+442079460905',
      Message: `Instead of ${names.join(' and ') || 'nothing'}.`,
    };
    const done = await slack.submitView({ user: slack.people.member, view: form, values });
    expect(done.errors).toEqual({});
    const preview = await shownTo(
      world,
      slack.people.member,
      `Instead of ${names.join(' and ') || 'nothing'}.`,
    );
    await press(world, preview, 'Cancel');
  });

  it('takes the one list among pictures', async () => {
    const on = messageWith(['shop.png', 'guests.csv'].map((name) => ({ name, bytes: CSV })));
    expect(textOf(await open(SHORTCUTS.textMessageList, { on }))).toContain('We use “guests.csv”');
  });

  it('a file that the bot can’t see: an error at the field, and the form stays', async () => {
    const { slack } = world;
    const on = messageWith([{ name: 'hidden.csv', bytes: CSV }]);
    const form = await open(SHORTCUTS.textMessageList, { on });
    slack.fault({ method: 'files.info', fault: { kind: 'refused', error: 'file_not_found' } });
    const values = { Message: 'Dear {name}' };
    const done = await slack.submitView({ user: slack.people.member, view: form, values });
    expect(done.errors).toEqual({ csv_file: expect.stringContaining('Switchboard is not in its channel') });
  });
});

describe('a message’s channel', () => {
  it('that is not linked: the form asks for a channel, and the preview comes in the message’s channel', async () => {
    const { slack } = world;
    const user = slack.people.member;
    const on = slack.say({ user, channel: slack.channels.duet, text: 'From the two of us' });
    const form = await open(SHORTCUTS.textMessage, { on });
    expect(textOf(form)).toContain('From the two of us');
    await slack.submitView({
      user,
      view: form,
      values: { ...filled('+442079460914'), Message: 'For a third' },
    });
    const preview = await shownTo(world, user, 'For a third');
    expect(preview.channel).toBe(slack.channels.duet.id);
    expect(textOf(preview)).toContain('Paid by <#C0SALES001>');
    await press(world, preview, 'Send');
    await receiptOf(world, preview);
    expect(arrivalsAt(world, '442079460914')).toHaveLength(1);
  });

  it.each([
    ['without words', '', 'This message has no words'],
    ['longer than a form holds', 'x'.repeat(3001), 'This message is too long for a text'],
  ])('a message %s: the form says so', async (_, text, sentence) => {
    const { slack } = world;
    const on = slack.say({ user: slack.people.member, channel: slack.channels.sales, text });
    expect(textOf(await open(SHORTCUTS.textMessage, { on }))).toContain(sentence);
  });

  it('a reply in a thread is a message as any other', async () => {
    const { slack } = world;
    const user = slack.people.member;
    const first = slack.say({ user, channel: slack.channels.sales, text: 'The question' });
    const channel = slack.channels.sales;
    const on = slack.say({ user, channel, text: 'The answer', thread_ts: first.ts });
    const form = textOf(await open(SHORTCUTS.textMessage, { on }));
    expect(form).toContain('The answer');
    expect(form).not.toContain('The question');
  });
});

it('the help names them', async () => {
  const said = await ask(world, 'help');
  for (const name of ['Write a text', 'Text a list', 'Text this message', 'Text this list'])
    expect(said).toContain(`*${name}*`);
});
