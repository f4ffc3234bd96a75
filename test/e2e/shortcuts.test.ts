import { type Message, type OpenView, type Ref, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SHORTCUTS } from '../../src/slack/ui/ids.ts';
import { cardIn, shownTo } from '../helpers/bulk-steps.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { confirmBulk } from '../helpers/world-bulk.ts';
import { arrivalsAt, link, loaded, press, receiptOf } from '../helpers/world-steps.ts';

const CSV = 'name,phone\nAna,+442079460951\nBen,+442079460952\n';

let world: World;
beforeAll(async () => {
  world = await createWorld({
    env: { SMS_RATE_LIMIT: '1000' },
    sandbox: { switches: { rateLimit: 1000 } },
  });
  await world.start();
  await link(world);
});
afterAll(() => world.close());
afterEach(() => {
  world.slack.clearFaults();
  expect(world.slack.failures).toEqual([]);
  expect(world.slack.warnings).toEqual([]);
});

/** Uses a shortcut; the form that it opens. */
async function open(
  callback_id: string,
  { user = world.slack.people.member, on }: { user?: Ref; on?: Message } = {},
) {
  const { slack } = world;
  const used = on
    ? await slack.messageShortcut({ user, message: on, callback_id })
    : await slack.shortcut({ user, callback_id });
  return loaded(slack, await used.view());
}

/** A message with files in #sales. */
function messageWith(files: { name: string; bytes: string }[], form: OpenView): Message {
  const { slack } = world;
  const user = slack.people.member;
  const given = files.map((file) => {
    const { file: json } = slack.attachFile({ user, view: form, text: 'CSV file', ...file, forged: true });
    return json as unknown as NonNullable<Message['files']>[number];
  });
  return { ...slack.say({ user, channel: slack.channels.sales, text: 'the list' }), files: given };
}

describe('Write a text', () => {
  it('asks for the channel, and goes on there', async () => {
    const { slack } = world;
    const user = slack.people.member;
    const form = await open(SHORTCUTS.writeText);
    expect(textOf(form)).toContain('<#C0SALES001>');
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
    expect(textOf(form)).toContain('Call @ben in #support 👋 our site 1 < 2');
    expect(textOf(form)).not.toContain('Channel:');
    await slack.submitView({ user, view: form, values: { Recipient: '+442079460904' } });
    const preview = await shownTo(world, user, 'Call @ben');
    await press(world, preview, 'Send');
    await receiptOf(world, preview);
    expect(arrivalsAt(world, '442079460904')).toMatchObject([
      { text: 'Call @ben in #support 👋 our site 1 < 2' },
    ]);
  });
});

describe('Text this list', () => {
  it('uses the message’s file', async () => {
    const { slack } = world;
    const user = slack.people.member;
    const on = messageWith([{ name: 'guests.csv', bytes: CSV }], await open(SHORTCUTS.textList));
    const form = await open(SHORTCUTS.textMessageList, { on });
    expect(textOf(form)).toContain('Uses “guests.csv”, unless you paste recipients');
    const done = await slack.submitView({ user, view: form, values: { Message: 'Dear {name}' } });
    expect(done.errors).toEqual({});
    const preview = await shownTo(world, user, 'from “guests.csv”');
    await confirmBulk(world, preview);
    await cardIn(world, /\*Finished\*[\s\S]*guests\.csv|guests\.csv[\s\S]*\*Finished\*/);
    expect(arrivalsAt(world, '442079460952')).toMatchObject([{ text: 'Dear Ben' }]);
  });
});
