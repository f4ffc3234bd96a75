import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import {
  arrivalsAt,
  ask,
  eventually,
  formOf,
  historyOf,
  link,
  receiptOf,
  rows,
  sendRequests,
} from '../helpers/world-steps.ts';

/** Somebody recorded Slack's requests, and sends the same bytes again with a matching signature. */
describe('a recorded request that is played again', () => {
  let world: World;
  const sends = () => rows(world, 'SELECT * FROM sends').length;

  beforeAll(async () => {
    world = await createWorld();
    await world.start();
    await link(world);
  });
  afterAll(() => world.close());

  it('within five minutes: a command makes no second draft, a click sends no second text', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const { sales } = slack.channels;
    const command = await slack.command({ user: member, channel: sales, text: 'send +442079461801 Hello' });
    const preview = await command.reply();
    expect((await command.resend()).status).toBe(200);
    const click = await slack.click({ user: member, message: preview, text: 'Send' });
    expect((await click.resend()).status).toBe(200);
    await receiptOf(world, { ...preview, to: member.id } as Parameters<typeof receiptOf>[1]);
    expect((await click.resend()).status).toBe(200);
    await ask(world, 'balance');
    expect(sends()).toBe(1);
    expect(sendRequests(world)).toHaveLength(1);
    expect(arrivalsAt(world, '442079461801')).toHaveLength(1);
  });

  it('within five minutes, to a bot that has started again: nothing is drafted, decided or said once more', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const { sales } = slack.channels;
    const command = await slack.command({ user: member, channel: sales, text: 'send +442079461803 Hello' });
    const preview = await command.reply();
    const refused = await slack.command({ user: member, channel: sales, text: 'send 12 Hello' });
    await refused.reply();
    const click = await slack.click({ user: member, message: preview, text: 'Send' });
    await receiptOf(world, { ...preview, to: member.id } as Parameters<typeof receiptOf>[1]);
    const late = await slack.click({ user: member, message: preview, text: 'Send', forged: true });
    await late.reply();
    await world.stop();
    await world.start();
    const told = () => slack.calls.filter(({ method }) => /^chat\.|^response_url$/.test(method)).length;
    const before = [sends(), sendRequests(world).length, told()];
    for (const recorded of [command, refused, click, late]) {
      expect((await recorded.resend()).status).toBe(200);
    }
    await ask(world, 'help');
    const [drafts = 0, requests = 0, answers = 0] = before;
    expect([sends(), sendRequests(world).length, told()]).toEqual([drafts, requests, answers + 1]);
  });

  it('within five minutes: no second balance is read or said', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const requests = () => world.service.requests.filter(({ endpoint }) => endpoint === 'balance').length;
    await sleep(300);
    const before = requests();
    const command = await slack.command({ user: member, channel: slack.channels.sales, text: 'balance' });
    expect(textOf(await command.reply())).toContain('credits');
    expect(requests()).toBe(before + 1);
    const told = () => slack.calls.filter(({ method }) => method !== 'ack').length;
    // At once, it may show the figure that the first one has read.
    const again = await slack.command({ user: member, channel: slack.channels.sales, text: 'balance' });
    expect(textOf(await again.reply())).toContain('credits');
    const toldBefore = told();
    const asked = requests();
    for (const recorded of [command, again]) {
      for (let times = 1; times <= 7; times += 1) expect((await recorded.resend()).status).toBe(200);
    }
    await sleep(300);
    for (const recorded of [command, again]) expect((await recorded.resend()).status).toBe(200);
    await ask(world, 'help');
    expect(requests()).toBe(asked);
    expect(told()).toBe(toldBefore + 1);
  });

  it('within five minutes: an admin’s form sets once more what it had set, and sends nothing', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const { leads } = slack.channels;
    const command = await slack.command({ user: admin, channel: leads, text: 'link' });
    const submitted = await slack.submitView({
      user: admin,
      view: await formOf(slack, command),
      values: {},
      forged: true,
    });
    expect(submitted.status).toBe(200);
    const asked = await slack.command({ user: admin, channel: leads, text: 'unlink' });
    await slack.click({ user: admin, message: await asked.reply(), text: 'Unlink: no more texts from here' });
    await eventually(() => historyOf(world, leads).some((line) => /unlinked/i.test(line)));
    expect(await ask(world, 'balance', { user: admin, channel: leads })).toMatch(/not linked/);
    const before = [sends(), sendRequests(world).length];
    expect((await submitted.resend()).status).toBe(200);
    await expect.poll(() => ask(world, 'balance', { user: admin, channel: leads })).toContain('credits');
    expect([sends(), sendRequests(world).length]).toEqual(before);
  });

  it('after five minutes: it is refused, whatever it is', async () => {
    const { slack } = world;
    const command = await slack.command({
      user: slack.people.member,
      channel: slack.channels.sales,
      text: 'send +442079461802 Hello',
    });
    expect(textOf(await command.reply())).toContain('[Send]');
    const before = sends();
    expect((await command.resend({ ageSeconds: 301 })).status).toBe(401);
    expect(sends()).toBe(before);
  });
});
