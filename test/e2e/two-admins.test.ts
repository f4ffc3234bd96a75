import { type Message, type OpenView, textOf, type User } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { draftJob, shownTo } from '../helpers/bulk-steps.ts';
import { createWorld, type World } from '../helpers/world.ts';
import {
  answerTo,
  ask,
  BIRCH_KEY,
  eventually,
  historyOf,
  link,
  loaded,
  newInstanceForm,
  openModal,
  press,
} from '../helpers/world-steps.ts';

const CHANGED =
  'Somebody else has changed this since you opened the form. Nothing was saved. Please open it again.';

let world: World;
beforeAll(async () => {
  // With this undo time, a list stays under way until its test ends.
  world = await createWorld({ env: { LIST_UNDO_SECONDS: '60' } });
  await world.start();
});
afterAll(() => world.close());
afterEach(() => {
  expect(world.slack.failures).toEqual([]);
  expect(world.slack.warnings).toEqual([]);
});

describe('a channel that another admin links while', () => {
  it('a link form is open for it: their settings stay, and the form says so', async () => {
    const { slack } = world;
    const { admin, owner, member } = slack.people;
    const { leads: channel } = slack.channels;
    slack.join(channel.id, owner.id);
    await link(world, { values: { 'Low-credit threshold': '0' } });
    const older = await loaded(slack, await openModal(slack, { user: owner, channel, text: 'link' }));
    await link(world, { channel, name: 'Leads', values: { 'Who can send': 'admins' } });
    const values = { 'Low-credit threshold': '3' };
    expect((await slack.submitView({ user: owner, view: older, values })).errors).toEqual({
      instance: CHANGED,
    });
    const where = { user: admin, channel };
    expect(await ask(world, 'status', where)).toMatch(
      /\*Low-credit threshold\*\n100.*\*Who can send\*\nonly admins/is,
    );
    expect(await ask(world, 'send +442079460801 Hi', { user: member, channel })).toMatch(
      /Only admins can send/,
    );
  });

  it('a form that shows its older link is saved with another change: their instance stays, and the form says so', async () => {
    const { slack } = world;
    const { admin, owner } = slack.people;
    const { sales: channel } = slack.channels;
    const older = await loaded(slack, await openModal(slack, { user: owner, channel, text: 'link' }));
    await link(world, { name: 'Birch', key: BIRCH_KEY, values: { 'Low-credit threshold': '0' } });
    const values = { 'Low-credit threshold': '1' };
    expect((await slack.submitView({ user: owner, view: older, values })).errors).toEqual({
      instance: CHANGED,
    });
    expect(await ask(world, 'status', { user: admin })).toMatch(/“Birch”.*\*Low-credit threshold\*\noff/s);
    await link(world, { values: { 'Low-credit threshold': '0' } });
  });

  it('somebody is asked whether to unlink it: they are asked about the new link first', async () => {
    const { slack } = world;
    const { admin, owner } = slack.people;
    const question = await answerTo(world, 'unlink', { user: owner });
    expect(textOf(question)).toMatch(/^\*Unlink <#C0SALES001> from “Acme”\?\*/);
    await link(world, {
      user: admin,
      name: 'Birch',
      key: BIRCH_KEY,
      values: { 'Low-credit threshold': '0' },
    });
    const shown = () => slack.ephemerals(owner.id).find(({ ts }) => ts === question.ts) ?? question;
    const unlink = 'Unlink: no more texts from here';
    await slack.click({ user: owner, message: question, text: unlink });
    const asked = await slack.waitFor(() => textOf(shown()).includes('Birch') && textOf(shown()));
    expect(asked).toMatch(
      /^Somebody has linked this channel again meanwhile\.\n\*Unlink <#C0SALES001> from “Birch”\?\*/,
    );
    expect(await ask(world, 'balance', { user: admin })).toContain('“Birch”');
    await slack.click({ user: owner, message: shown(), text: unlink });
    await slack.waitFor(() => textOf(shown()).includes('*Unlinked* from “Birch”'));
  });
});

describe('a channel that another admin unlinks while the settings are open', () => {
  it('has no limits any more, and its instance may be gone: their buttons say so', async () => {
    const { slack, service } = world;
    const { admin, owner } = slack.people;
    const key = 'gone-key-0009';
    service.addKey({ name: key, key, user_id: 1 });
    await link(world, { name: 'Gone', key, values: { 'Low-credit threshold': '0' } });
    const opened = await openModal(slack, { user: owner, channel: slack.channels.sales, text: 'settings' });
    const settings = await loaded(slack, opened);
    const question = await answerTo(world, 'unlink', { user: admin });
    await slack.click({ user: admin, message: question, text: 'Unlink: no more texts from here' });
    const now = () => slack.ephemerals(admin.id).find(({ ts }) => ts === question.ts) ?? question;
    await slack.waitFor(() => textOf(now()).includes('*Unlinked*'));
    const pressed = await slack.clickInView({ user: owner, view: settings, text: 'Limits' });
    const notice = await pressed.view();
    expect(textOf(notice)).toContain('Somebody unlinked this channel meanwhile');
    await slack.closeView({ user: owner, view: notice });
    await slack.openApp({ user: admin });
    const home = await slack.waitFor(() => {
      const shown = slack.home(admin.id);
      return shown && textOf(shown).includes('“Gone”') ? shown : undefined;
    });
    const gone = home.blocks.find((block) => /“Gone”.*Remove instance/.test(JSON.stringify(block)));
    const asked = await slack.clickInView({
      user: admin,
      view: home,
      text: 'Remove instance',
      block_id: String(gone?.block_id),
    });
    const removed = await loaded(slack, await asked.view());
    expect((await slack.submitView({ user: admin, view: removed })).outcome).toBe('updated');
    const again = await slack.clickInView({ user: owner, view: settings, text: 'Replace key' });
    expect(textOf(await again.view())).toContain('This instance was removed meanwhile');
    await slack.closeView({ user: owner, view: settings, all: true });
  });
});

describe('a form that Slack delivers once more after the bot has saved it', () => {
  const again = async (user: User, form: OpenView, values: { [label: string]: string | string[] }) => {
    const first = await world.slack.submitView({ user, view: form, values });
    expect(first.errors ?? {}).toEqual({});
    const second = await first.resend({ retry: { num: 1, reason: 'http_timeout' } });
    return JSON.stringify(second.body);
  };

  it('says that it is saved, whether link, settings or limits', async () => {
    const { slack } = world;
    const { admin: user } = slack.people;
    const { sales: channel } = slack.channels;
    const form = async (text: string) => loaded(slack, await openModal(slack, { user, channel, text }));
    await link(world, { values: { 'Low-credit threshold': '0' } });
    expect(await again(user, await form('link'), { 'Low-credit threshold': '2' })).toContain('*Linked*');
    const settings = await form('settings');
    expect(await again(user, settings, { 'Low-credit threshold': '3' })).toContain('Saved');
    const limits = { 'Largest list (recipients)': '500', 'Time zone': 'Asia/Tokyo' };
    expect(await again(user, await form('limits'), limits)).toContain('Saved');
    const back = { 'Largest list (recipients)': '', 'Time zone': 'Europe/London' };
    expect(await again(user, await form('limits'), back)).toContain('Saved');
  });

  it('says that it is saved, for a new key in a channel that was not linked', async () => {
    const { slack } = world;
    const { owner: user } = slack.people;
    const { leads: channel } = slack.channels;
    const asked = await answerTo(world, 'unlink', { user, channel });
    await slack.click({ user, message: asked, text: 'Unlink: no more texts from here' });
    await eventually(async () => /not linked/.test(await ask(world, 'balance', { user, channel })));
    const opened = await loaded(slack, await openModal(slack, { user, channel, text: 'link' }));
    const form = await newInstanceForm(slack, user, opened);
    const key = 'sandbox-key-acme-0006';
    world.service.addKey({ name: 'Acme', key, user_id: 1 });
    const values = { 'Instance name': 'Sixth', 'API key': key, 'Low-credit threshold': '0' };
    expect(await again(user, form, values)).toContain('*Linked*');
  });
});

it('a change of payer is accepted only as it was asked: not after another admin replaced the key', async () => {
  const { slack } = world;
  const { admin, owner } = slack.people;
  const { sales: channel } = slack.channels;
  const open = async (user: User) => {
    const settings = await loaded(slack, await openModal(slack, { user, channel, text: 'settings' }));
    await slack.clickInView({ user, view: settings, text: 'Replace key' });
    return slack.waitFor(() => {
      const top = slack.views(user.id).at(-1);
      return top && top.view.id !== settings.view.id && top;
    });
  };
  /** Submits the form as it is now; resolves with its words then. */
  const submit = async (user: User, form: OpenView, key: string, isAccepted: boolean) => {
    const now = slack.view(form.view.id) ?? form;
    const values = { 'API key': key, ...(isAccepted && { 'Another account': ['accept'] }) };
    await slack.submitView({ user, view: now, values });
    return textOf(slack.view(form.view.id) ?? form);
  };
  await link(world, { values: { 'Low-credit threshold': '0' } });
  const older = await open(owner);
  const [first, again, back] = ['sandbox-key-birch-0003', 'sandbox-key-birch-0004', 'sandbox-key-acme-0005'];
  for (const key of [first, again]) world.service.addKey({ name: key, key, user_id: 2 });
  world.service.addKey({ name: 'Acme again', key: back, user_id: 1 });
  expect(await submit(owner, older, first, false)).toContain('“Birch &amp; Co”. So far “Acme Ltd” pays');
  const newer = await open(admin);
  await submit(admin, newer, again, false);
  expect(await submit(admin, newer, again, true)).toContain('✅ *Replaced*');
  expect(await submit(owner, older, back, true)).toContain('“Acme Ltd”. So far “Birch &amp; Co” pays');
  expect(await ask(world, 'balance', { user: admin, channel })).toContain('Birch &amp; Co');
  expect(await submit(owner, older, back, true)).toContain('✅ *Replaced*');
});

it('of two admins who have the settings open, the second one reads that they changed, however many people are chosen', async () => {
  const { slack } = world;
  const { admin, owner, member } = slack.people;
  const many = Array.from({ length: 101 }, (_, at) => `U0MANY${1000 + at}`);
  for (const id of many) slack.addUser({ ...member, id, name: id.toLowerCase() });
  const settings = async (user: User) =>
    loaded(slack, await openModal(slack, { user, channel: slack.channels.sales, text: 'settings' }));
  /** Resolves with the errors at the fields, or with the form's words. */
  const submit = async (user: User, form: OpenView, values: { [label: string]: string | string[] }) => {
    const { errors } = await slack.submitView({ user, view: slack.view(form.view.id) ?? form, values });
    return Object.values(errors ?? {}).join() || textOf(slack.view(form.view.id) ?? form);
  };
  await link(world, { values: { 'Low-credit threshold': '0' } });
  const first = await settings(admin);
  await slack.clickInView({ user: admin, view: first, action_id: 'choose_who_can_send', value: 'chosen' });
  await slack.waitFor(() => textOf(slack.view(first.view.id) ?? first).includes('People:'));
  expect(await submit(admin, first, { People: many })).toContain('Saved');

  const older = await settings(owner);
  expect(await submit(admin, await settings(admin), { People: [...many, admin.id] })).toContain('Saved');
  expect(await submit(owner, older, { 'Low-credit threshold': '1' })).toBe(CHANGED);
  expect(await submit(owner, await settings(owner), { 'Low-credit threshold': '1' })).toContain('Saved');
  const other = await settings(owner);
  expect(other.view.state.values.people).toMatchObject({
    people: { selected_users: [...many, admin.id] },
  });
  expect(await submit(admin, await settings(admin), { People: many })).toContain('Saved');
  expect(await submit(owner, other, { People: [owner.id] })).toBe(CHANGED);
  const shown = await settings(owner);
  expect(shown.view.state.values.people).toMatchObject({ people: { selected_users: many } });
  expect(await submit(owner, shown, { People: [owner.id] })).toContain('Saved');
  expect(await ask(world, 'status', { user: admin })).toMatch(
    /\*Low-credit threshold\*\n1.*\*Who can send\*\n<@U0OWNER/is,
  );
  expect(await submit(owner, await settings(owner), { 'Who can send': 'everyone' })).toContain('Saved');
});

it('a link form that was open before another admin unlinks the channel after its jobs does not keep it linked', async () => {
  const { slack } = world;
  const { admin, owner } = slack.people;
  const { sales: channel } = slack.channels;
  await link(world, { values: { 'Low-credit threshold': '0' } });
  const [card] = await begin('+4477009004', 1);
  const older = await loaded(slack, await openModal(slack, { user: owner, channel, text: 'link' }));
  await slack.command({ user: admin, channel, text: 'unlink' });
  await press(world, await shownTo(world, admin, '[Unlink when it is done]'), 'Unlink when it is done');
  await shownTo(world, admin, 'will be unlinked from “Acme” once its jobs are done');
  const submit = async (view: OpenView) => {
    await slack.submitView({ user: owner, view, values: { 'Low-credit threshold': '1' } });
    return slack.waitFor(() => {
      const words = textOf(slack.view(view.view.id) ?? view);
      return words.includes('*Linked*') && words;
    });
  };
  const values = { 'Low-credit threshold': '1' };
  expect((await slack.submitView({ user: owner, view: older, values })).errors).toEqual({
    instance: CHANGED,
  });
  expect(await ask(world, 'status', { user: admin })).toContain('*Unlinking:*');
  const newer = await loaded(slack, await openModal(slack, { user: owner, channel, text: 'link' }));
  await submit(newer);
  expect(await ask(world, 'status', { user: admin })).not.toContain('*Unlinking:*');
  await slack.click({ user: slack.people.member, message: card as Message, text: 'Undo' });
  await eventually(() => historyOf(world).some((line) => line.includes('Undone')));
});

it('a job that begins while somebody is asked about those of its channel is not stopped unasked', async () => {
  const { slack } = world;
  const { admin } = slack.people;
  await link(world, { values: { 'Low-credit threshold': '0' } });
  await begin('+4477009002', 1);
  await slack.command({ user: admin, channel: slack.channels.sales, text: 'unlink' });
  const question = await shownTo(world, admin, '[Stop 1 job and unlink]');
  await begin('+4477009003', 2);
  await press(world, question, 'Stop 1 job and unlink');
  const again = await shownTo(world, admin, 'Another job has begun here meanwhile.');
  expect(textOf(again)).toContain('[Stop 2 jobs and unlink]');
  expect(historyOf(world).join()).not.toContain('*Stopped*');
  const [card] = slack.history(slack.channels.sales.id).filter((one) => textOf(one).includes('[Undo]'));
  await press(world, again, 'Stop 2 jobs and unlink');
  await eventually(() => historyOf(world).some((line) => line.includes('unlinked this channel')));
  await eventually(() => historyOf(world).filter((line) => line.includes('*Stopped*')).length === 2);
  // An old card must not say that a job is being sent if it was stopped before it began.
  const { member } = slack.people;
  await slack.click({ user: member, message: card as Message, text: 'Undo', forged: true });
  await shownTo(world, member, 'This job was stopped, so nothing was changed.');
});

/** Begins a job of 60 texts with a long undo time; resolves with the cards once there are `jobs`. */
async function begin(start: string, jobs: number): Promise<Message[]> {
  const { slack } = world;
  const many = Array.from({ length: 60 }, (_, index) => start + String(index).padStart(2, '0'));
  const draft = await draftJob(world, { pasted: many.join('\n') }, `Hello ${start}`);
  await press(world, draft, 'Send 60 messages');
  const cards = () => slack.history(slack.channels.sales.id).filter((one) => textOf(one).includes('[Undo]'));
  await eventually(() => cards().length === jobs);
  return cards();
}
