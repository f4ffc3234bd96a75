import { textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { draftBulk } from '../helpers/world-bulk.ts';
import {
  arrivalsAt,
  BIRCH_KEY,
  directOf,
  eventually,
  formOf,
  historyOf,
  link,
  rows,
  sendText,
} from '../helpers/world-steps.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { SLACK_ADMIN_IDS: 'U0MEMBER02,U0OUTSIDER', BALANCE_POLL_MS: '1000' } });
  await world.start();
  await link(world, { key: BIRCH_KEY, name: 'Birch', values: { 'Low-credit threshold': '3' } });
});
afterAll(() => world.close());
afterEach(() => {
  world.slack.clearFaults();
  expect(world.slack.failures).toEqual([]);
  expect(world.slack.warnings).toEqual([]);
});

/** The direct messages about this to the person who linked the channel and to the admin in SLACK_ADMIN_IDS. */
async function readBy(words: RegExp): Promise<string[]> {
  const { admin, colleague } = world.slack.people;
  return eventually(() => {
    const read = [admin, colleague].map((person) => directOf(world, person).find((text) => words.test(text)));
    return read.every((text) => text !== undefined) ? read : undefined;
  });
}

describe('news of a channel that the bot was put out of', () => {
  it('a low-credit warning goes to the person who linked the channel and to the admins, and ends there', async () => {
    const { slack, service } = world;
    const { sales } = slack.channels;
    slack.leave(sales.id, slack.bot.user_id);
    await sendText(world, '+442079460801 The last but two');
    for (const text of await readBy(/running low/)) {
      expect(text).toMatch(/cannot post in <#C0SALES001>.*Credits are running low.*2 credits left/s);
    }
    const { admin } = slack.people;
    const warning = await slack.waitFor(() =>
      slack.history(slack.directMessage(admin.id).id).find((one) => textOf(one).includes('running low')),
    );
    const click = await slack.click({ user: admin, message: warning, text: 'Change threshold' });
    expect(textOf(await formOf(slack, click))).toContain('Low-credit threshold: [3]');
    // The bot is back in the channel when the warning ends. People who read the warning also read of its end.
    slack.join(sales.id, slack.bot.user_id);
    service.topUp(2, 500);
    await readBy(/Enough credits again/);
    expect(directOf(world, slack.people.colleague).filter((text) => /credits/i.test(text))).toHaveLength(1);
    expect(historyOf(world).filter((text) => /running low|Enough credits again/.test(text))).toEqual([]);
  });

  it('the same people hear that a key is refused, and that it works again, with the channel’s name', async () => {
    const { slack, service } = world;
    const { leads } = slack.channels;
    await link(world, { channel: leads, key: BIRCH_KEY, name: 'Birch too' });
    slack.leave(leads.id, slack.bot.user_id);
    service.addFault({ kind: 'key_revoked', endpoint: 'balance', times: 1 });
    await readBy(/cannot post in <#C0LEADS001>.*Texts cannot be sent/s);
    await readBy(/cannot post in <#C0LEADS001>.*Texts can be sent again/s);
    // This person is an admin by the configuration, but of another workspace.
    expect(directOf(world, slack.people.outsider)).toEqual([]);
    expect(historyOf(world).join()).toMatch(/Texts cannot be sent.*Texts can be sent again/s);
    await eventually(() => rows(world, "SELECT id FROM outbox WHERE state <> 'posted'").length === 0);
  });

  it('goes to nobody who is no admin any more, and may not send from there either', async () => {
    const { slack, service } = world;
    const { admin, colleague } = slack.people;
    const about = (person: { id: string }) =>
      directOf(world, person).filter((text) => /Texts can(not)? be sent/.test(text));
    const before = [about(admin).length, about(colleague).length];
    expect(before[1]).toBeGreaterThan(0);
    slack.addUser({ ...admin, is_admin: false, is_restricted: true });
    try {
      service.addFault({ kind: 'key_revoked', endpoint: 'balance', times: 1 });
      // Two messages say that the key fails: one for the channel without the bot, one for the key. Two more say that it works.
      await eventually(() => about(colleague).length === (before[1] ?? 0) + 4);
      await eventually(() => rows(world, "SELECT id FROM outbox WHERE state <> 'posted'").length === 0);
    } finally {
      slack.addUser(admin);
    }
    expect(about(admin)).toHaveLength(before[0] ?? 0);
  });
});

describe('a list whose channel is archived', () => {
  it('pauses: its sender gets the card and the news as direct messages, and can resume it there', async () => {
    const { slack, service } = world;
    const { sales } = slack.channels;
    const { member } = slack.people;
    service.addFault({ kind: 'no_credits', endpoint: 'send', times: 1 });
    // More than are on their way at once, so that the pause leaves some.
    const phones = Array.from({ length: 12 }, (_, index) => `4420794609${50 + index}`);
    const preview = await draftBulk(world, {
      recipients: ['phone', ...phones.map((phone) => `+${phone}`)].join('\n'),
      message: 'Hello there',
    });
    // The channel is archived at the moment of the click, since nobody can press a button in an archived channel.
    slack.addChannel({ ...sales, is_archived: true });
    await slack.click({ user: member, message: preview, text: 'Send 12 messages', forged: true });
    const direct = () => slack.history(slack.directMessage(member.id).id);
    const found = (words: RegExp) =>
      eventually(() => direct().find((one) => words.test(textOf(one))), 40_000);
    await found(/\*Paused\* · a pasted list of 12.*\*Left\*\n[1-9]/s);
    const news = await found(/\[Resume\] \[Stop\]\nSent from <#C0SALES001>/);
    expect(direct()).toHaveLength(2);
    await slack.click({ user: member, message: news, text: 'Resume' });
    await found(/\*No longer paused\* · a pasted list of 12/);
    await found(/\*Finished\* · a pasted list of 12.*\*Sent\*\n11/s);
    await found(/\(results\.csv\)/);
    expect(phones.flatMap((phone) => arrivalsAt(world, phone))).toHaveLength(11);
  });
});
