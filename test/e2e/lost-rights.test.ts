import { type Ephemeral, textOf } from 'slack-playground';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { linkedWorldsOfFile } from '../helpers/linked-worlds-of-file.ts';
import type { World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import { limitChannel } from '../helpers/world-limits.ts';
import {
  answerTo,
  arrivalsAt,
  ask,
  BIRCH_KEY,
  directOf,
  draft,
  eventually,
  formOf,
  link,
  loaded,
  openModal,
  press,
  rows,
  withoutTimes,
} from '../helpers/world-steps.ts';

const newWorld = linkedWorldsOfFile();
let world: World;
beforeAll(async () => {
  world = await newWorld({ env: { LIST_UNDO_SECONDS: '0' } });
});

let admins = 0;

/** An admin by Slack's word. `demote` takes the right away again. */
async function newAdmin() {
  const { slack } = world;
  admins += 1;
  const admin = { ...slack.people.admin, id: `U0MOMENT0${admins}`, name: `moment${admins}` };
  slack.addUser(admin);
  slack.join(slack.channels.sales.id, admin.id);
  expect(await ask(world, 'help', { user: admin })).toContain('/sms settings');
  return { admin, demote: () => slack.addUser({ ...admin, is_admin: false }) };
}

/** The words of /sms status, without the time of the key's check: each status checks the key. */
async function status(): Promise<string> {
  const said = await ask(world, 'status', { user: world.slack.people.owner });
  return withoutTimes(said);
}

describe('who was an admin until a moment ago', () => {
  it.each([
    ['settings', { 'Low-credit threshold': '7' }],
    ['limits', { 'Monthly budget (credits)': '7' }],
    ['link', { 'Low-credit threshold': '7' }],
  ])('saves nothing in the form of /sms %s that is open', async (text, values) => {
    const { slack } = world;
    const { admin, demote } = await newAdmin();
    const asked = { user: admin, channel: slack.channels.sales };
    const before = await status();
    const form = await loaded(slack, await openModal(slack, { ...asked, text }));
    demote();
    await slack.submitView({ user: admin, view: form, values });
    const said = await slack.waitFor(() => {
      const now = textOf(slack.view(form.view.id) ?? form);
      return now.includes('Only admins can') && now;
    });
    expect(said).not.toContain('Saved');
    expect(await status()).toBe(before);
  });

  it('replaces no key', async () => {
    const { slack } = world;
    const { owner } = slack.people;
    const { admin, demote } = await newAdmin();
    const asked = { user: admin, channel: slack.channels.sales, text: 'settings' };
    const settings = await loaded(slack, await openModal(slack, asked));
    const click = await slack.clickInView({ user: admin, view: settings, text: 'Replace key' });
    const form = await formOf(slack, click);
    demote();
    await slack.submitView({ user: admin, view: form, values: { 'API key': BIRCH_KEY } });
    await slack.waitFor(() => textOf(slack.view(form.view.id) ?? form).includes('Only admins can'));
    expect(await ask(world, 'balance', { user: owner })).toContain('*1,000 credits*');
  });

  it('unlinks no channel, though the bot had asked whether to', async () => {
    const { slack } = world;
    const { owner } = slack.people;
    const { admin, demote } = await newAdmin();
    const question = await answerTo(world, 'unlink', { user: admin });
    demote();
    const click = await slack.click({
      user: admin,
      message: question,
      text: 'Unlink: no more texts from here',
    });
    expect(textOf(await click.reply())).toContain('Only admins can');
    expect(await ask(world, 'balance', { user: owner })).toContain('*1,000 credits*');
  });

  it('approves nothing', async () => {
    const { slack } = world;
    const { member, owner } = slack.people;
    const { admin, demote } = await newAdmin();
    limitChannel(world, { approvalAbove: 0 });
    const preview = (await answerTo(world, 'send +447700900860 Who may')) as Ephemeral;
    await slack.click({ user: member, message: preview, text: 'Ask for approval' });
    const card = await slack.waitFor(() =>
      slack.history(slack.channels.sales.id).findLast((each) => textOf(each).includes('Approval needed')),
    );
    demote();
    const click = await slack.click({ user: admin, message: card, text: 'Approve and send' });
    expect(textOf(await click.reply())).toMatch(/admins? .*can/i);
    expect(arrivalsAt(world, '447700900860')).toEqual([]);
    await slack.click({ user: owner, message: card, text: 'Approve and send' });
    await slack.waitFor(() => arrivalsAt(world, '447700900860').length === 1);
    limitChannel(world, {});
  });

  it('declines nothing, though the form for the reason was open', async () => {
    const { slack } = world;
    const { member, owner } = slack.people;
    const { admin, demote } = await newAdmin();
    limitChannel(world, { approvalAbove: 0 });
    const preview = (await answerTo(world, 'send +447700900867 Keep me')) as Ephemeral;
    await slack.click({ user: member, message: preview, text: 'Ask for approval' });
    const card = await slack.waitFor(() =>
      slack.history(slack.channels.sales.id).findLast((each) => textOf(each).includes('Approval needed')),
    );
    const click = await slack.click({ user: admin, message: card, text: 'Decline' });
    const form = await formOf(slack, click);
    demote();
    await slack.submitView({ user: admin, view: form, values: { Reason: 'No more of these' } });
    await slack.waitFor(() => /admins? .*can/i.test(textOf(slack.view(form.view.id) ?? form)));
    await slack.click({ user: owner, message: card, text: 'Approve and send' });
    await slack.waitFor(() => arrivalsAt(world, '447700900867').length === 1);
    limitChannel(world, {});
  });

  it('opts no number in if only admins may', async () => {
    const { slack } = world;
    const { owner } = slack.people;
    const { admin, demote } = await newAdmin();
    const asked = { user: admin, channel: slack.channels.sales };
    await ask(world, 'optout +447700900868 asked for it', { user: owner });
    const limits = await loaded(slack, await openModal(slack, { ...asked, user: owner, text: 'limits' }));
    await slack.submitView({
      user: owner,
      view: limits,
      values: { 'Who may change opt-outs': 'Only admins' },
    });
    const form = await loaded(slack, await openModal(slack, { ...asked, text: 'optin +447700900868' }));
    demote();
    await slack.submitView({ user: admin, view: form, values: { Why: 'They say so' } });
    await slack.waitFor(() => /[Oo]nly admins can/.test(textOf(slack.view(form.view.id) ?? form)));
    expect(await ask(world, 'optouts', { user: owner })).toContain('0868');
  });

  it('sends no text that only admins may send, though it was drafted before', async () => {
    const { owner } = world.slack.people;
    const { admin, demote } = await newAdmin();
    await link(world, { user: owner, values: { 'Who can send': 'admins' } });
    const preview = await draft(world, '+447700900864 Mine', { user: admin });
    demote();
    const click = await press(world, preview, 'Send');
    expect(textOf(await click.reply())).toContain('Only admins can send');
    expect(arrivalsAt(world, '447700900864')).toEqual([]);
  });

  it('sends no list of that kind either', async () => {
    const { admin, demote } = await newAdmin();
    const recipients = 'phone\n+447700900865\n+447700900866';
    const preview = await draftBulk(world, { user: admin, recipients, message: 'Ours' });
    demote();
    const click = await confirmBulk(world, preview);
    expect(textOf(await click.reply())).toContain('Only admins can send');
    expect(arrivalsAt(world, '447700900865')).toEqual([]);
  });

  it('lets no list go on that only admins may send', async () => {
    const { slack, service } = world;
    const { owner } = slack.people;
    const { admin, demote } = await newAdmin();
    service.addFault({ kind: 'no_credits', endpoint: 'send', times: 'always' });
    // Eight of them at most are on their way when the first refusal pauses the list: some are left.
    const numbers = Array.from({ length: 10 }, (_, index) => `44770090088${index}`);
    const recipients = ['phone', ...numbers.map((number) => `+${number}`)].join('\n');
    await confirmBulk(world, await draftBulk(world, { user: admin, recipients, message: 'Whose' }));
    const card = await cardSaying(world, /\*Paused\*/);
    const ofList = (state: string) =>
      rows(
        world,
        `SELECT * FROM chunks JOIN sends ON sends.id = send WHERE sends.state = 'paused' AND chunks.state = '${state}'`,
      ).length;
    await eventually(() => ofList('sending') === 0);
    const left = ofList('pending');
    expect(left).toBeGreaterThan(0);
    service.clearFaults();
    demote();
    const click = await slack.click({ user: admin, message: card, text: 'Resume' });
    expect(textOf(await click.reply())).toContain('Only admins can send');
    expect(numbers.flatMap((number) => arrivalsAt(world, number))).toEqual([]);
    await slack.click({ user: owner, message: card, text: 'Resume' });
    await cardSaying(world, new RegExp(`\\*Finished\\*.*\\*Sent\\*\\n${left}`, 's'));
  });

  it('finds no admin’s Home any more', async () => {
    const { slack } = world;
    const { admin, demote } = await newAdmin();
    await slack.openApp({ user: admin });
    const shown = () => textOf(slack.home(admin.id) ?? []);
    await slack.waitFor(() => shown().includes('Instances and their keys'));
    demote();
    await slack.openApp({ user: admin });
    await slack.waitFor(() => shown() !== '' && !shown().includes('Instances and their keys'));
  });

  it('gets no file of opted-out numbers', async () => {
    const { slack } = world;
    const { owner } = slack.people;
    const { admin, demote } = await newAdmin();
    await ask(world, 'optout +447700900861 asked for it', { user: owner });
    const list = await answerTo(world, 'optouts', { user: admin });
    demote();
    await slack.click({ user: admin, message: list, text: 'Export CSV' });
    await slack.waitFor(() => directOf(world, admin).some((each) => each.includes('Only admins can')));
    expect(directOf(world, admin).join('\n')).not.toContain('opted-out.csv');
  });

  it('reads whom to ask about a damaged link, and their words come back', async () => {
    const { admin, demote } = await newAdmin();
    const preview = await draft(world, '+447700900859 Whom to ask', { user: admin });
    const other = await newAdmin();
    const list = await draftBulk(world, { user: other.admin, recipients: '+447700900858', message: 'Whom' });
    const db = openDatabase(world.dataDir);
    db.sql(`UPDATE kv SET value = substr(value, 1, 40) WHERE namespace = 'links'`).run();
    db.close();
    demote();
    other.demote();
    const said = textOf(await (await press(world, preview, 'Send')).reply());
    expect(said).toMatch(/damaged in the database.*Please ask an admin/s);
    expect(said).toContain('Whom to ask');
    expect(said).not.toContain('Link this channel');
    expect(textOf(await (await confirmBulk(world, list)).reply())).not.toContain('Link this channel');
    expect(arrivalsAt(world, '447700900859')).toEqual([]);
  });
});
