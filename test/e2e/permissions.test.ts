import { type Choice, type Ephemeral, type OpenView, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/slack/ui/command-list.ts';
import { draftJob, openListForm, submitList } from '../helpers/bulk-steps.ts';
import { createWorld, type World } from '../helpers/world.ts';
import {
  answerTo,
  arrivalsAt,
  ask,
  BIRCH_KEY,
  draft,
  formOf,
  historyOf,
  link,
  press,
  receiptOf,
  rows,
  sendText,
} from '../helpers/world-steps.ts';

/** The commands that the help lists for admins alone. */
const ADMINS_WORDS = [...Map.groupBy<string, { word: string; for: string }>(COMMANDS, ({ word }) => word)]
  .filter(([, usages]) => usages.every(({ for: who }) => who.includes('admins')))
  .map(([word]) => word);

let world: World;
beforeAll(async () => {
  world = await createWorld({
    env: { SLACK_ADMIN_IDS: 'U0MEMBER02', SMS_RATE_LIMIT: '1000' },
    sandbox: { switches: { rateLimit: 1000 } },
  });
  await world.start();
  await link(world, { channel: world.slack.channels.partners, values: { 'Low-credit threshold': '0' } });
});
afterAll(() => world.close());
afterEach(() => {
  expect(world.slack.failures).toEqual([]);
  expect(world.slack.warnings).toEqual([]);
});

/** An admin changes a channel's settings. */
async function change(channel: { id: string }, values: Record<string, Choice>): Promise<string> {
  const { slack } = world;
  const { admin } = slack.people;
  const command = await slack.command({ user: admin, channel, text: 'settings' });
  const form = await formOf(slack, command);
  const done = await slack.submitView({ user: admin, view: form, values });
  if (done.outcome !== 'updated') throw new Error(JSON.stringify(done.errors));
  return textOf(await slack.waitFor(() => slack.view(form.view.id)));
}

/** Opens the form of a button in the settings, on top of them. */
async function fromSettings(channel: { id: string }, text: string) {
  const { slack } = world;
  const { admin } = slack.people;
  const command = await slack.command({ user: admin, channel, text: 'settings' });
  const click = await slack.clickInView({ user: admin, view: await formOf(slack, command), text });
  return formOf(slack, click);
}

describe('guests and people of other workspaces', () => {
  it('cannot send, write, confirm or see balances', async () => {
    const { slack } = world;
    const { partners } = slack.channels;
    const preview = await draft(world, '+442079460801 Not theirs', { channel: partners });
    const before = rows(world, 'SELECT id FROM sends').length;
    for (const user of [slack.people.guest, slack.people.outsider]) {
      const forged = user === slack.people.outsider;
      const type = async (text: string) => {
        const command = await slack.command({ user, channel: partners, text, forged });
        return textOf(await command.reply());
      };
      const why = /Guests cannot send|People of other workspaces cannot send/;
      const refused = await type('send +442079460801 Not lost');
      expect(refused).toMatch(why);
      // The bot shows the words again. A form can't help, since there is no channel to send from.
      expect(refused).toMatch(/\+442079460801[\s\S]*Not lost$/);
      for (const what of ['balance', 'status']) {
        const said = await type(what);
        expect(said, user.name).toMatch(
          new RegExp(
            `Only people who may send from this channel can see its ${what}.*ask <@U0ADMIN001>`,
            's',
          ),
        );
        expect(said).not.toMatch(/1,000|Nothing was sent/);
      }
      for (const text of ['help', 'blance']) {
        const said = await type(text);
        expect(said).toMatch(why);
        expect(said).toContain('ask <@U0ADMIN001>');
        expect(said).not.toMatch(/\/sms (send|balance|link)/);
      }
      for (const text of ['link', 'settings', 'unlink'])
        expect(await type(text)).toContain('Only admins can use');
      const form = await slack.command({ user, channel: partners, text: 'send', forged });
      expect(textOf(await formOf(slack, form))).not.toContain('Recipient');
      const help = await answerTo(world, 'help', { channel: partners });
      const click = await slack.click({ user, message: help, text: 'Show balance', forged: true });
      expect(textOf(await click.reply())).not.toContain('1,000');
      const send = await slack.click({ user, message: preview, text: 'Send', forged: true });
      expect(textOf(await send.reply())).toContain('only <@U0MEMBER01> can send this');
    }
    expect(rows(world, 'SELECT id FROM sends')).toHaveLength(before);
    expect(arrivalsAt(world, '442079460801')).toEqual([]);
  });

  it('can if the link lets them', async () => {
    const { slack } = world;
    const { partners } = slack.channels;
    await change(partners, { 'In this channel': ['guests', 'receipt_line'] });
    const user = slack.people.guest;
    expect(await sendText(world, '+442079460802 From a guest', { user, channel: partners })).toMatch(
      /^✅ \*Sent\*/,
    );
    await change(partners, { 'In this channel': ['receipt_line'] });
    expect(await ask(world, 'send +442079460802 hi', { user, channel: partners })).toContain(
      'Guests cannot send',
    );
  });
});

describe('who can send', () => {
  beforeAll(async () => {
    await link(world, {
      name: 'Birch',
      key: BIRCH_KEY,
      values: { 'Low-credit threshold': '0' },
    });
  });

  it('chosen people stay chosen while another choice is looked at', async () => {
    const { slack } = world;
    const user = slack.people.admin;
    const command = await slack.command({ user, channel: slack.channels.sales, text: 'settings' });
    const form = await formOf(slack, command);
    /** Chooses who can send; resolves with the form once its field for people has come or gone. */
    const choose = async (value: string) => {
      await slack.clickInView({ user, view: form, action_id: 'choose_who_can_send', value });
      return slack.waitFor(() => {
        const shown = slack.view(form.view.id);
        return shown && textOf(shown).includes('People:') === (value === 'chosen') ? shown : undefined;
      });
    };
    slack.fill({ user, view: await choose('chosen'), values: { People: ['U0MEMBER01', 'U0MEMBER02'] } });
    expect((await choose('admins')).view.private_metadata.length).toBeLessThanOrEqual(3000);
    const now = await choose('chosen');
    expect(now.view.state.values.people).toMatchObject({
      people: { selected_users: ['U0MEMBER01', 'U0MEMBER02'] },
    });
    await slack.closeView({ user, view: now });
  });

  it('a hundred chosen people stay so, even if somebody looks at another choice', async () => {
    const { slack } = world;
    const user = slack.people.owner;
    const { sales: channel } = slack.channels;
    const many = Array.from({ length: 100 }, (_, index) => `U0CHOSEN${String(index).padStart(3, '0')}`);
    for (const id of many) slack.addUser({ ...slack.people.member, id, name: id.toLowerCase() });
    const settings = async () => formOf(slack, await slack.command({ user, channel, text: 'settings' }));
    const choose = async (form: OpenView, value: string) => {
      await slack.clickInView({ user, view: form, action_id: 'choose_who_can_send', value });
      return slack.waitFor(() => {
        const shown = slack.view(form.view.id);
        return shown && textOf(shown).includes('People:') === (value === 'chosen') && shown;
      });
    };
    const form = await choose(await settings(), 'chosen');
    await slack.submitView({ user, view: form, values: { People: many } });
    const later = await settings();
    await choose(later, 'admins');
    const again = await choose(later, 'chosen');
    expect(again.view.private_metadata.length).toBeLessThanOrEqual(3000);
    await slack.closeView({ user, view: again });
    await change(channel, { People: ['U0MEMBER01'] });
    await change(channel, { 'Who can send': 'everyone' });
  });

  it('chosen people, whose field comes with that choice; typed values stay', async () => {
    const { slack } = world;
    const user = slack.people.admin;
    const command = await slack.command({ user, channel: slack.channels.sales, text: 'settings' });
    const form = await formOf(slack, command);
    expect(textOf(form)).not.toContain('People:');
    slack.fill({ user, view: form, values: { 'Low-credit threshold': '7' } });
    await slack.clickInView({ user, view: form, action_id: 'choose_who_can_send', value: 'chosen' });
    const now = await slack.waitFor(() => {
      const shown = slack.view(form.view.id);
      return shown && textOf(shown).includes('People:') && shown;
    });
    expect(now.view.state.values.threshold).toMatchObject({ threshold: { value: '7' } });
    expect(now.view.state.values.who_can_send).toMatchObject({
      choose_who_can_send: { selected_option: { value: 'chosen' } },
    });
    const values = { People: ['U0MEMBER01'], 'Low-credit threshold': '0' };
    const done = await slack.submitView({ user, view: now, values });
    expect(done.outcome).toBe('updated');
  });

  it('chosen people and admins', async () => {
    const { people } = world.slack;
    await draft(world, '+442079460811 Chosen');
    await draft(world, '+442079460811 Admin', { user: people.admin });
    const said = await ask(world, 'send +442079460811 hi', { user: people.owner });
    expect(said).toContain('[Send]');
    await change(world.slack.channels.sales, { People: ['U0OWNER001'] });
    expect(await ask(world, 'send +442079460811 hi')).toMatch(/Only chosen people.*<@U0OWNER001>/);
    const { submitView, command } = world.slack;
    const form = await formOf(
      world.slack,
      await command({ user: people.admin, channel: 'C0SALES001', text: 'settings' }),
    );
    const none = await submitView({ user: people.admin, view: form, values: { People: [] } });
    expect(none.errors).toEqual({ people: expect.stringContaining('at least one person') });
  });

  it('only admins, among them those of SLACK_ADMIN_IDS', async () => {
    const { people, channels } = world.slack;
    await change(channels.sales, { 'Who can send': 'admins' });
    expect(await ask(world, 'send +442079460812 hi')).toContain(
      'Only admins can send texts from this channel',
    );
    await draft(world, '+442079460812 By SLACK_ADMIN_IDS', { user: people.colleague });
    const command = await world.slack.command({
      user: people.colleague,
      channel: channels.sales,
      text: 'settings',
    });
    expect(textOf(await formOf(world.slack, command))).toContain('Replace key');
  });

  it.each(['settings', 'link'])(
    'only admins, also once a form of /sms %s that was open before that is submitted with another change',
    async (text) => {
      const { slack } = world;
      const { sales: channel } = slack.channels;
      await change(channel, { 'Who can send': 'everyone' });
      const command = await slack.command({ user: slack.people.owner, channel, text });
      const view = await formOf(slack, command);
      await change(channel, { 'Who can send': 'admins' });
      const values = { 'Low-credit threshold': '3' };
      const done = await slack.submitView({ user: slack.people.owner, view, values });
      expect(Object.values(done.errors ?? {}).join()).toContain('Somebody else has changed this');
      expect(await ask(world, 'send +442079460801 Hi', { channel })).toMatch(/Only admins can send/);
      await change(channel, { 'Who can send': 'everyone', 'Low-credit threshold': '0' });
    },
  );

  it('permission that was withdrawn between draft and click: refused, nothing sent', async () => {
    const { channels } = world.slack;
    await change(channels.sales, { 'Who can send': 'everyone' });
    const preview = await draft(world, '+442079460813 In time');
    await change(channels.sales, { 'Who can send': 'admins' });
    const click = await press(world, preview, 'Send');
    expect(textOf(await click.reply())).toMatch(/Only admins can send texts.*Nothing was done/);
    expect(arrivalsAt(world, '442079460813')).toEqual([]);
    await change(channels.sales, { 'Who can send': 'everyone' });
    await press(world, preview, 'Send');
    expect(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
  });

  it('permission that was withdrawn while a list was typed: the form stays, with the reason', async () => {
    const { slack } = world;
    const { sales } = slack.channels;
    const user = slack.people.member;
    const form = await formOf(slack, await slack.command({ user, channel: sales, text: 'bulk' }));
    await change(sales, { 'Who can send': 'admins' });
    const values = { Recipients: '+442079460814, Ana', Message: 'Hi {2}' };
    const done = await slack.submitView({ user, view: form, values });
    expect(done.outcome).toBe('updated');
    const again = await slack.waitFor(() => {
      const now = slack.view(form.view.id);
      return now && textOf(now).includes('Only admins') ? textOf(now) : undefined;
    });
    expect(again).toContain('+442079460814, Ana');
    expect(again).toContain('Hi {2}');
    await change(sales, { 'Who can send': 'everyone' });
  });

  it.each(ADMINS_WORDS)('members cannot use /sms %s', async (word) => {
    expect(await ask(world, word)).toContain('Only admins can use');
  });

  it('members cannot link, change or unlink, not by forged forms and clicks either', async () => {
    const { slack } = world;
    const { admin, member } = slack.people;
    const form = await formOf(
      slack,
      await slack.command({ user: admin, channel: slack.channels.sales, text: 'settings' }),
    );
    await slack.submitView({
      user: member,
      view: form,
      values: { 'Low-credit threshold': '5' },
      forged: true,
    });
    expect(await ask(world, 'status')).toContain('*Low-credit threshold*\noff');
    const question = await answerTo(world, 'unlink', { user: admin });
    const click = await slack.click({
      user: member,
      message: question,
      text: 'Unlink: no more texts from here',
      forged: true,
    });
    expect(textOf(await click.reply())).toContain('Only admins');
    expect(await ask(world, 'balance')).toContain('credits');
  });
});

describe('another channel than the one of the command', () => {
  it('says first that it pays: in the form, and in the draft', async () => {
    const { slack } = world;
    const { partners, sales } = slack.channels;
    const user = slack.people.guest;
    slack.join(sales.id, user.id);
    await change(partners, { 'In this channel': ['guests', 'receipt_line'] });
    const refused = await answerTo(world, 'send +442079460861 From elsewhere', { user, channel: sales });
    const click = await slack.click({ user, message: refused, text: 'Open the form' });
    const form = await formOf(slack, click);
    expect(textOf(form)).toContain(`*Paid by <#${partners.id}>*, and sent from there.`);
    // The form already has number and words.
    await slack.submitView({ user, view: form });
    const preview = await slack.waitFor(() =>
      slack.ephemerals(user.id).find((one) => /From elsewhere[\s\S]*\[Send\]/.test(textOf(one))),
    );
    expect(textOf(preview)).toMatch(new RegExp(`^\\*Paid by <#${partners.id}>\\*`));
    const here = await draft(world, '+442079460861 From here', { user, channel: partners });
    expect(textOf(here)).not.toContain('Paid by');
    await change(partners, { 'In this channel': ['receipt_line'] });
    slack.leave(sales.id, user.id);
  });
});

describe('in a direct message', () => {
  it('questions about a channel are asked there; words after link are refused first', async () => {
    const { slack } = world;
    const { admin, member } = slack.people;
    for (const user of [admin, member]) {
      const where = { user, channel: slack.directMessage(user.id) };
      for (const text of ['balance', 'status']) {
        expect(await ask(world, text, where)).toContain('is about a channel. Type it there');
      }
      const help = await ask(world, 'help', where);
      expect(help).toContain('asks for the channel');
      expect(help).not.toMatch(/not linked|\[Link this channel\]|\[Show balance\]/);
    }
    const where = { user: admin, channel: slack.directMessage(admin.id) };
    for (const text of ['link', 'settings', 'unlink']) {
      expect(await ask(world, text, where)).toContain('is about a channel. Type it there');
      expect(await ask(world, `${text} some-key`, where)).toContain('If that was a key, rotate it');
    }
    const duet = { user: member, channel: slack.channels.duet };
    expect(await ask(world, 'send +442079460841 hi', duet)).toContain('You can write from these');
    // Slack's name for the direct messages of several people.
    const group = {
      ...slack.channels.duet,
      id: 'G0GROUP0001',
      name: 'mpdm-ana--ben--cleo-1',
      kind: 'public',
    } as const;
    slack.addChannel({ ...group, members: [member.id, admin.id] });
    const among = { user: member, channel: group };
    expect(await ask(world, 'send +442079460841 hi', among)).toContain('You can write from these');
    expect(await ask(world, 'link', { ...among, user: admin })).toContain(
      'is about a channel. Type it there',
    );
  });

  it('whoever can send from no channel reads so: nobody can link a direct message', async () => {
    const { slack } = world;
    const { guest } = slack.people;
    const where = { user: guest, channel: slack.directMessage(guest.id) };
    const ways = [
      () => slack.command({ ...where, text: 'send' }),
      () => slack.command({ ...where, text: 'bulk' }),
      async () => press(world, (await answerTo(world, 'help', where)) as Ephemeral, 'Write a text'),
    ];
    for (const way of ways) {
      const shown = textOf(await formOf(slack, await way()));
      expect(shown).toContain('You are in no channel that you can send from.');
      expect(shown).not.toMatch(/not linked|in this channel/);
    }
  });
});

describe('leaving a channel', () => {
  it('takes the right to send from it, also by a button or draft in the direct message', async () => {
    const { slack } = world;
    const { member, admin } = slack.people;
    const { leads } = slack.channels;
    await link(world, { channel: leads, name: 'Leads', key: addKey('leads-key-0003', 1) });
    expect(historyOf(world, leads).join()).toContain('“Leads”');
    const im = slack.directMessage(member.id);
    const list = await answerTo(world, 'send +442079460821 hi', { channel: im });
    expect(textOf(list)).toContain(`<#${leads.id}>`);
    const spot = list.blocks.find(
      (block) => JSON.stringify(block).includes(`<#${leads.id}>`) && block.accessory,
    );
    const open = await slack.click({ user: member, message: list, block_id: String(spot?.block_id) });
    const form = await formOf(slack, open);
    await slack.submitView({
      user: member,
      view: form,
      values: { Recipient: '+442079460821', Message: 'From the direct message' },
    });
    const preview = await slack.waitFor(() =>
      slack.ephemerals(member.id).find((one) => one.channel === im.id && textOf(one).includes('[Send]')),
    );
    slack.leave(leads.id, member.id);
    const late = await slack.click({ user: member, message: preview, text: 'Send' });
    expect(textOf(await late.reply())).toMatch(/not in <#C0LEADS001>, so nothing was done/);
    const again = await slack.click({
      user: member,
      message: list,
      block_id: String(spot?.block_id),
      forged: true,
    });
    const choice = textOf(await formOf(slack, again));
    expect(choice).toContain('Channel:');
    expect(choice).not.toContain('#leads');
    expect(arrivalsAt(world, '442079460821')).toEqual([]);
    slack.join(leads.id, member.id);
    await slack.click({ user: member, message: preview, text: 'Send', forged: true });
    expect(await receiptOf(world, preview as Ephemeral)).toMatch(/^✅ \*Sent\*/);
    await slack.waitFor(() => historyOf(world, leads).some((line) => line.includes('···0821')));
    expect(await ask(world, 'help', { user: admin, channel: leads })).toContain('[Settings]');
  });

  describe('counts at the decision, for what was opened or drafted in the channel before', () => {
    const away = /not in <#C0SALES001>, so nothing was done/;
    beforeEach(() => world.slack.join(world.slack.channels.sales.id, world.slack.people.member.id));
    afterEach(() => world.slack.join(world.slack.channels.sales.id, world.slack.people.member.id));
    const leave = () => world.slack.leave(world.slack.channels.sales.id, world.slack.people.member.id);
    const drafts = () => rows(world, 'SELECT id FROM sends').length;

    it('the send form', async () => {
      const { slack } = world;
      const user = slack.people.member;
      const command = await slack.command({ user, channel: slack.channels.sales, text: 'send' });
      const view = await formOf(slack, command);
      const before = drafts();
      leave();
      await slack.submitView({ user, view, values: { Recipient: '+442079460823', Message: 'After' } });
      expect(textOf(await command.reply())).toMatch(away);
      expect(drafts()).toBe(before);
    });

    it('the send form of an edited draft, which stays as it is', async () => {
      const { slack } = world;
      const user = slack.people.member;
      const preview = await draft(world, '+442079460823 Before');
      const edit = await press(world, preview, 'Edit');
      const view = await formOf(slack, edit);
      leave();
      await slack.submitView({ user, view, values: { Message: 'After' } });
      expect(textOf(await edit.reply())).toMatch(away);
      slack.join(slack.channels.sales.id, user.id);
      await press(world, preview, 'Cancel');
      expect(await receiptOf(world, preview)).toMatch(/^\*Cancelled\*/);
    });

    it('and says so if the bot was put out of a private channel, and can’t know who is in it', async () => {
      const { slack } = world;
      const { leads } = slack.channels;
      const preview = await draft(world, '+442079460827 Unseen', { channel: leads });
      slack.leave(leads.id, slack.bot.user_id);
      const click = await press(world, preview, 'Send');
      expect(textOf(await click.reply())).toMatch(/cannot see whether you are.*Nothing was done.*\/invite/s);
      slack.join(leads.id, slack.bot.user_id);
      await press(world, preview, 'Cancel');
      expect(await receiptOf(world, preview)).toMatch(/^\*Cancelled\*/);
    });

    it('the list form', async () => {
      const { slack } = world;
      const view = await openListForm(world);
      const before = drafts();
      leave();
      await submitList(world, view, { Recipients: '+442079460824', Message: 'After' });
      expect(textOf(await slack.waitFor(() => slack.view(view.view.id)))).toMatch(away);
      expect(drafts()).toBe(before);
    });

    it('the buttons of drafts', async () => {
      const { slack } = world;
      const single = await draft(world, '+442079460825 Before');
      const list = await draftJob(world, { pasted: '+442079460826' }, 'Before');
      leave();
      for (const [message, text] of [
        [single, 'Send'],
        [list, 'Send 1 message'],
      ] as const) {
        const click = await press(world, message, text);
        expect(textOf(await click.reply())).toMatch(away);
      }
      expect([...arrivalsAt(world, '442079460825'), ...arrivalsAt(world, '442079460826')]).toEqual([]);
      slack.join(slack.channels.sales.id, slack.people.member.id);
      await press(world, single, 'Cancel');
      await press(world, list, 'Cancel');
    });
  });
});

describe('settings, keys and instances', () => {
  it('raising the threshold above the balance warns now, lowering it takes the warning back', async () => {
    const { slack } = world;
    const { partners } = slack.channels;
    await change(partners, { 'Low-credit threshold': '5000' });
    const card = () => historyOf(world, partners).filter((line) => /running low|threshold is/.test(line));
    await slack.waitFor(() => card().join().includes('running low'));
    await change(partners, { 'Low-credit threshold': '5' });
    await slack.waitFor(() => card().join().includes('threshold is 5.'));
    expect(card()).toHaveLength(1);
    for (const wrong of ['ten', '-5', '1e9999']) {
      const form = await formOf(
        slack,
        await slack.command({ user: slack.people.admin, channel: partners, text: 'settings' }),
      );
      const done = await slack.submitView({
        user: slack.people.admin,
        view: form,
        values: { 'Low-credit threshold': wrong },
        forged: true,
      });
      expect(done.errors, wrong).toEqual({ threshold: expect.stringContaining('whole number') });
    }
  });

  it('a low-credit warning leads to the top-up link, and admins to the settings', async () => {
    const { slack } = world;
    const { partners } = slack.channels;
    const url = 'https://pay.example/credits';
    await change(partners, { 'Low-credit threshold': '5000', 'Top-up link': url });
    const warning = await slack.waitFor(() =>
      slack.history(partners.id).findLast((message) => textOf(message).includes('running low')),
    );
    expect(JSON.stringify(warning.blocks)).toContain(`"url":"${url}"`);
    const { admin, guest } = slack.people;
    const refused = await slack.click({ user: guest, message: warning, text: 'Change threshold' });
    expect(textOf(await refused.reply())).toContain('Only admins');
    const opened = await slack.click({ user: admin, message: warning, text: 'Change threshold' });
    const form = await formOf(slack, opened);
    expect(textOf(form)).toContain(`Top-up link: [${url}`);
    const done = await slack.submitView({
      user: admin,
      view: form,
      values: { 'Top-up link': 'http://pay.example' },
    });
    expect(done.errors).toEqual({ top_up_url: expect.stringContaining('https://') });
    await change(partners, { 'Low-credit threshold': '0', 'Top-up link': '' });
  });

  it('another account behind a replaced key is asked about, then taken', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const { leads } = slack.channels;
    const form = await fromSettings(leads, 'Replace key');
    const key = addKey('leads-key-0004', 2);
    await slack.submitView({ user: admin, view: form, values: { 'API key': key } });
    const asked = await slack.waitFor(() => slack.view(form.view.id));
    expect(textOf(asked)).toContain('belongs to another account');
    expect(await ask(world, 'balance', { channel: leads, user: admin })).toContain('Acme Ltd');
    await slack.submitView({
      user: admin,
      view: asked,
      values: { 'API key': key, 'Another account': ['accept'] },
    });
    expect(textOf(await slack.waitFor(() => slack.view(form.view.id)))).toMatch(
      /^Replace key\n✅ \*Replaced\*.*…0004/,
    );
    expect(await ask(world, 'balance', { channel: leads, user: admin })).toContain('Birch');
  });

  it('a known key leads to its instance; a key of another instance is refused as a replacement', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const form = await fromSettings(slack.channels.leads, 'Replace key');
    const done = await slack.submitView({ user: admin, view: form, values: { 'API key': BIRCH_KEY } });
    expect(done.errors).toEqual({
      api_key: expect.stringMatching(/already the key of the instance “Birch”/),
    });
    const { support } = slack.channels;
    slack.join(support.id, slack.bot.user_id);
    expect(await link(world, { channel: support, key: BIRCH_KEY, name: 'Again' })).toContain(
      'already saved as',
    );
    expect((await world.runAdmin(['status'])).stdout).not.toContain('Again');
  });

  it('Unlink asks first; open drafts expire; the instance stays and can be removed after that', async () => {
    const { slack } = world;
    const { admin, member } = slack.people;
    const { leads } = slack.channels;
    const where = { channel: leads };
    const preview = await draft(world, '+442079460831 Open', where);
    const blocked = await fromSettings(leads, 'Remove instance');
    expect(textOf(blocked)).toMatch(
      /cannot be removed yet.*\/sms unlink.*\*Remove instance\* on the \*Home\* tab/s,
    );
    await slack.closeView({ user: admin, view: blocked, all: true });
    const kept = await answerTo(world, 'unlink', { ...where, user: admin });
    await slack.click({ user: admin, message: kept, text: 'Keep it' });
    expect(await ask(world, 'balance', where)).toContain('credits');
    const asked = await answerTo(world, 'unlink', { ...where, user: admin });
    expect(textOf(asked)).toMatch(/Unlink <#C0LEADS001> from “Leads”.*settings and limits are deleted/s);
    await slack.click({ user: admin, message: asked, text: 'Unlink: no more texts from here' });
    await slack.waitFor(() => historyOf(world, leads).some((line) => line.includes('unlinked this channel')));
    // A second press takes the result away from nobody, and an old question does not say that the link stays.
    const again = { user: admin, message: asked, text: 'Unlink: no more texts from here', forged: true };
    expect(textOf(await (await slack.click(again)).reply())).toContain('not linked');
    const result = slack.ephemerals(admin.id).find(({ ts }) => ts === asked.ts);
    expect(result && textOf(result)).toMatch(/Unlinked.*1 open draft expired/s);
    const late = { user: admin, message: kept, text: 'Keep it', forged: true };
    const said = textOf(await (await slack.click(late)).reply());
    expect(said).toContain('not linked');
    expect(said).not.toContain('stays linked');
    await press(world, preview, 'Send');
    const text = await slack.waitFor(() => {
      const now = slack.ephemerals(member.id).find(({ ts }) => ts === preview.ts);
      return now?.edited ? textOf(now) : undefined;
    });
    expect(text).toContain('the channel was unlinked, so nothing was sent to +44 20 7946 0831');
    expect(arrivalsAt(world, '442079460831')).toEqual([]);
    expect(await ask(world, 'send +442079460831 hi', where)).toContain('not linked');
    // An admin links the channel again, without the key.
    const command = await slack.command({ user: admin, channel: leads, text: 'link' });
    const form = await formOf(slack, command);
    await slack.submitView({ user: admin, view: form, values: { Instance: 'Leads · …0004' } });
    await slack.waitFor(() => historyOf(world, leads).at(-1)?.includes('linked <#C0LEADS001> to “Leads”'));
  });

  it('an instance without a linked channel is forgotten with its key', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const { leads } = slack.channels;
    const where = { user: admin, channel: leads };
    const form = await fromSettings(leads, 'Replace key');
    await slack.closeView({ user: admin, view: form });
    const settings = slack.views(admin.id).at(-1);
    if (!settings) throw new Error('the settings are closed');
    // Somebody unlinks the channel while the settings are open.
    const asked = await answerTo(world, 'unlink', where);
    await slack.click({ user: admin, message: asked, text: 'Unlink: no more texts from here' });
    await slack.waitFor(() => historyOf(world, leads).at(-1)?.includes('unlinked this channel'));
    const click = await slack.clickInView({ user: admin, view: settings, text: 'Remove instance' });
    const question = await formOf(slack, click);
    expect(textOf(question)).toContain('forgets “Leads” and its API key …0004');
    await slack.submitView({ user: admin, view: question });
    expect(textOf(await slack.waitFor(() => slack.view(question.view.id)))).toContain('*Removed*: “Leads”');
    expect((await world.runAdmin(['status'])).stdout).not.toContain('Leads');
    expect(await ask(world, 'balance', where)).toContain('not linked');
  });
});

/** Adds a key that the service accepts from now on. */
function addKey(key: string, user_id: number): string {
  world.service.addKey({ name: key, key, user_id });
  return key;
}
