import { type Choice, type OpenView, textOf } from 'slack-playground';
import { expect, it } from 'vitest';
import { inLinkedWorld } from '../helpers/linked-worlds-of-file.ts';
import type { World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk, submitBulk } from '../helpers/world-bulk.ts';
import {
  answerTo,
  ask,
  directOf,
  draft,
  eventually,
  formOf,
  historyOf,
  loaded,
  openModal,
  press,
  receiptOf,
  sendRequests,
  sendText,
} from '../helpers/world-steps.ts';

const WITH_ADMIN = {
  options: { env: { SLACK_ADMIN_IDS: 'U0ADMIN001' } },
  linked: { values: { 'Low-credit threshold': '0' } },
};

/** The limits form of #sales, as the admin sees it. */
async function limitsForm({ slack }: World): Promise<OpenView> {
  const where = { user: slack.people.admin, channel: slack.channels.sales };
  return loaded(slack, await openModal(slack, { ...where, text: 'limits' }));
}

async function save({ slack }: World, form: OpenView, values: Record<string, Choice>) {
  return slack.submitView({ user: slack.people.admin, view: form, values });
}

/** Saves these limits; resolves with what the admin reads then. */
async function limit(world: World, values: Record<string, Choice>): Promise<string> {
  const form = await limitsForm(world);
  const done = await save(world, form, values);
  if (done.outcome !== 'updated') throw new Error(`not saved: ${JSON.stringify(done)}`);
  return textOf(await loaded(world.slack, form));
}

const list = (count: number) =>
  Array.from({ length: count }, (_, place) => `+44770090${String(1000 + place)}, Ann`).join('\n');

inLinkedWorld('the limits form', WITH_ADMIN, (worldOf) => {
  it('takes members of the workspace as approvers only: others are named, with the reason', async () => {
    const world = worldOf();
    const { slack } = world;
    const { member, guest, outsider, colleague } = slack.people;
    slack.addUser({ ...colleague, deleted: true });
    const people = [member.id, guest.id, outsider.id, colleague.id, slack.bot.user_id];
    const form = await limitsForm(world);
    const done = await save(world, form, { Approvers: people });
    slack.addUser(colleague);
    expect(done.errors).toEqual({
      approvers:
        'Gus is a guest, Otto is from another workspace, Ben has left this workspace, Playbot is an app. ' +
        'Only members of this workspace can approve. Nothing was saved.',
    });
    // Of some people of other workspaces, Slack says nothing to the bot.
    const { errors } = await save(world, form, { Approvers: [member.id, 'U0NOTKNOWN'] });
    expect(errors).toEqual({
      approvers:
        'One of them is not in this workspace. Only members of this workspace can approve. Nothing was saved.',
    });
    await save(world, form, { Approvers: [member.id] });
    expect(textOf(await loaded(slack, form))).toContain('Saved');
    await limit(world, { Approvers: [] });
  });

  it.each([
    ['the limits', { 'Monthly budget (credits)': '700' }, { 'Largest list (recipients)': '50' }],
    ['the workspace’s rules', { 'Time zone': 'Asia/Dubai' }, { 'Text for {optout}': 'Reply END' }],
    ['the limits, for rules', { 'Monthly budget (credits)': '700' }, { 'Text for {optout}': 'Reply END' }],
    [
      'the workspace’s rules, for limits',
      { 'Time zone': 'Asia/Dubai' },
      { 'Largest list (recipients)': '50' },
    ],
  ])(
    'saves nothing if another admin has changed %s since it was opened, and says so',
    async (_what, theirs, values) => {
      const world = worldOf();
      const { slack } = world;
      const { owner: user } = slack.people;
      const before = textOf(await limitsForm(world));
      const opened = await openModal(slack, { user, channel: slack.channels.sales, text: 'limits' });
      const older = await loaded(slack, opened);
      await limit(world, theirs);
      const now = textOf(await limitsForm(world));
      for (const value of Object.values(theirs)) expect(now).toContain(`[${value}]`);
      const done = await slack.submitView({ user, view: older, values });
      expect(done.errors).toEqual({
        approval_above:
          'Somebody else has changed this since you opened the form. Nothing was saved. Please open it again.',
      });
      expect(textOf(await limitsForm(world))).toBe(now);
      await limit(world, { 'Monthly budget (credits)': '', 'Time zone': 'Europe/London' });
      expect(textOf(await limitsForm(world))).toBe(before);
    },
  );

  it('is for admins only, not by forged clicks and forms either', async () => {
    const world = worldOf();
    const { slack } = world;
    const { member: user } = slack.people;
    expect(await ask(world, 'limits')).toContain('Only admins can use `/sms limits`');
    const form = await limitsForm(world);
    const values = { 'Monthly budget (credits)': '1' };
    await slack.submitView({ user, view: form, values, forged: true });
    await eventually(() => textOf(slack.view(form.view.id) ?? form).includes('Only admins can use'));
    expect(textOf(await limitsForm(world))).not.toContain('of 1 this month');
  });

  it('begins with the admin’s own time zone, shows errors at their fields, and shows what was saved', async () => {
    const world = worldOf();
    const first = await limitsForm(world);
    expect(textOf(first)).toContain('Europe/London');
    expect(textOf(first)).toContain('Used this month: 0.');
    const wrong = await save(world, first, { 'Time zone': 'Mars/Base' });
    expect(wrong.errors).toEqual({ time_zone: expect.stringContaining('such as Europe/London') });
    expect(
      await limit(world, { 'Time zone': 'Asia/Tokyo', 'Daily limit per person (credits)': '500' }),
    ).toContain('Saved');
    const again = textOf(await limitsForm(world));
    expect(again).toContain('Asia/Tokyo');
    expect(again).toContain('500');
  });

  it('opens from the settings, on top of them', async () => {
    const world = worldOf();
    const { slack } = world;
    const { admin: user } = slack.people;
    const settings = await openModal(slack, { user, channel: slack.channels.sales, text: 'settings' });
    const click = await slack.clickInView({ user, view: await loaded(slack, settings), text: 'Limits' });
    const top = await formOf(slack, click);
    expect(textOf(top)).toContain('Used this month: 0.');
  });
});

inLinkedWorld('budgets', WITH_ADMIN, (worldOf) => {
  it('two drafts fit alone but not together: one is sent, the other reads what is left and until when', async () => {
    const world = worldOf();
    await limit(world, { 'Monthly budget (credits)': '1' });
    const drafts = [await draft(world, '+442079460811 One'), await draft(world, '+442079460812 Two')];
    expect(textOf(drafts[0] as never)).toContain('1 of 1 credit left this month, until ');
    const before = sendRequests(world).length;
    await Promise.all(drafts.map((each) => press(world, each, 'Send')));
    const refused = await world.slack.waitFor(() =>
      world.slack
        .ephemerals(world.slack.people.member.id)
        .map(textOf)
        .find((text) => text.includes('Over budget')),
    );
    expect(refused).toMatch(
      /This text may take 1 credit\.\n<#\w+> has 0 of 1 left this month, until .*\nAn admin can approve it or raise the budget\./,
    );
    expect(refused).toContain('[Edit]');
    const receipts = () =>
      world.slack
        .ephemerals(world.slack.people.member.id)
        .filter((each) => textOf(each).startsWith('✅ *Sent*'));
    await eventually(() => receipts().length === 1);
    expect(sendRequests(world)).toHaveLength(before + 1);
    expect(await ask(world, 'balance')).toContain('0 of 1 credit left this month, until ');
    expect(await ask(world, 'status')).toContain('*Monthly budget:* 0 of 1 credit left this month');
  });

  it('tells the channel and the admins that the budget is used up, once', async () => {
    const world = worldOf();
    const { slack } = world;
    const inChannel = () => historyOf(world).filter((text) => text.includes('budget is used or reserved'));
    await eventually(() => inChannel().length === 1);
    const toAdmin = () =>
      directOf(world, slack.people.admin).filter((text) => text.includes('budget is used or reserved'));
    await eventually(() => toAdmin().length === 1);
    expect(toAdmin()[0]).toContain('[Limits]');
    expect(textOf(await answerTo(world, 'send +442079460813 Three'))).toContain('Over budget');
    expect(inChannel()).toHaveLength(1);
  });

  it('a higher limit lets the next text go; a lower one says that more is already used', async () => {
    const world = worldOf();
    expect(await limit(world, { 'Monthly budget (credits)': '3' })).toContain('Saved');
    expect(await sendText(world, '+442079460814 Four')).toMatch(/^✅ \*Sent/);
    expect(await limit(world, { 'Monthly budget (credits)': '1' })).toContain('has used 2 this month');
    await limit(world, { 'Monthly budget (credits)': '' });
  });

  it('a list that is too long is refused with both figures', async () => {
    const world = worldOf();
    await limit(world, { 'Largest list (recipients)': '2' });
    const { slack } = world;
    const said = () =>
      JSON.stringify([slack.views(slack.people.member.id), slack.ephemerals(slack.people.member.id)]);
    await submitBulk(world, { recipients: list(3), message: 'Hello' });
    await eventually(() => said().includes('It has 3 recipients, and lists here may have 2'));
    expect(slack.failures).toEqual([]);
    await limit(world, { 'Largest list (recipients)': '' });
  });

  it('held credits outlive a kill -9 between Send and the answer', async () => {
    const world = worldOf();
    const { service } = world;
    await limit(world, { 'Monthly budget (credits)': '3' });
    service.addFault({ kind: 'delay', endpoint: 'send', ms: 1400 });
    const held = await draft(world, '+442079460815 Five');
    const before = sendRequests(world).length;
    await press(world, held, 'Send');
    await eventually(() => sendRequests(world).length > before);
    await world.kill();
    await world.start();
    expect(await receiptOf(world, held)).toMatch(/Unknown|Sent/);
    expect(await ask(world, 'balance')).toContain('0 of 3 credits left this month');
  });
});

inLinkedWorld('budgets of a list under way', WITH_ADMIN, (worldOf) => {
  it('a list that gets dearer pauses: the card says why, Resume what the rest may take, and a higher budget lets it go on', async () => {
    const world = worldOf();
    const { slack, service } = world;
    const { member } = slack.people;
    await limit(world, { 'Monthly budget (credits)': '100' });
    const preview = await draftBulk(world, { recipients: list(20), message: 'Dear {2}' });
    service.setSwitches({ price: { per: 'message', credits: 10 } });
    await confirmBulk(world, preview);
    const card = await cardSaying(world, /\*Paused\*/);
    expect(textOf(card)).toMatch(
      /cost more than estimated, so the rest is over <#\w+>’s monthly budget\. \d+ texts wait\.\nOnce an admin has raised the monthly budget with `\/sms limits`, press \*Resume\*/,
    );
    expect(await ask(world, 'status')).toContain('⏸ *Paused*');
    const resume = async () =>
      slack.click({ user: member, message: await cardSaying(world, /Paused/), text: 'Resume' });
    await resume();
    await eventually(() =>
      slack
        .ephemerals(member.id)
        .map(textOf)
        .some((text) =>
          /Still paused: over the monthly budget\.\* The rest of this list may take \d+ credits\.\n<#\w+> has \d+ of 100 left in the month in which this list began\./.test(
            text,
          ),
        ),
    );
    await limit(world, { 'Monthly budget (credits)': '1000' });
    await resume();
    expect(textOf(await cardSaying(world, /\*Finished\*/))).toContain('20');
    const texts = service.messages.map(({ phone, text }) => text === 'Dear Ann' && phone).filter(Boolean);
    expect([texts.length, new Set(texts).size]).toEqual([20, 20]);
  });
});

inLinkedWorld('an approval limit of a list under way', WITH_ADMIN, (worldOf) => {
  it('a list above the approval limit waits for an approver: its sender’s Resume says whom to ask', async () => {
    const world = worldOf();
    const { slack, service } = world;
    const { member, admin } = slack.people;
    await limit(world, {
      'Monthly budget (credits)': '',
      'Daily limit per person (credits)': '',
      'Approval above (credits)': '150',
    });
    const preview = await draftBulk(world, { recipients: list(12), message: 'Hello {2}' });
    service.setSwitches({ price: { per: 'message', credits: 20 } });
    await confirmBulk(world, preview);
    const card = await cardSaying(world, /\*Paused\*/);
    expect(textOf(card)).toMatch(/so a second person has to approve the rest\. \d+ texts? waits?\./);
    await slack.click({ user: member, message: card, text: 'Resume' });
    await eventually(() =>
      slack
        .ephemerals(member.id)
        .map(textOf)
        .some((text) =>
          /Still paused: it needs approval\.\* The whole list may take \d+ credits\.\nAbove 150 credits, a second person has to approve\.\nPlease ask .* to press \*Resume\*/.test(
            text,
          ),
        ),
    );
    expect(service.messages.filter(({ text }) => text === 'Hello Ann').length).toBeLessThan(12);
    await slack.click({ user: admin, message: await cardSaying(world, /Paused/), text: 'Resume' });
    const asked = await slack.waitFor(() =>
      slack.ephemerals(admin.id).find((each) => textOf(each).includes('it needs approval')),
    );
    const [label = ''] = /Approve up to [\d,]+ credits/.exec(textOf(asked)) ?? [];
    await slack.click({ user: admin, message: asked, text: label });
    await slack.waitFor(() =>
      slack
        .ephemerals(admin.id)
        .some((each) => each.ts === asked.ts && textOf(each).includes('The list goes on.')),
    );
    const finished = textOf(await cardSaying(world, /\*Finished\*/));
    expect(finished).toContain(`<@${admin.id}> ${label.replace('Approve', 'approved')}`);
    expect(service.messages.filter(({ text }) => text === 'Hello Ann')).toHaveLength(12);
    await limit(world, { 'Approval above (credits)': '' });
  });
});
