import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, SHORT_WAITS, type World } from './helpers/world.ts';
import { formOf } from './helpers/world-steps.ts';

const KEY = 'sandbox-key-acme-0001';
const TEXT = 'Hello';
const NUMBER = '442079460958';

/**
 * The whole product from outside: the bot is a process, Slack signs its requests, the service is a real server. Each
 * step builds on the step before, like a day in a workspace.
 */
describe('the story', () => {
  let world: World;
  const sentTo = (phone: string) =>
    world.service.messages.filter((message) => message.phone.replace('+', '') === phone);

  beforeAll(async () => {
    world = await createWorld({ env: SHORT_WAITS });
    await world.start();
  });
  afterAll(() => world.close());

  it('an admin links #sales by pasting a key', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const command = await slack.command({ user: admin, channel: slack.channels.sales, text: 'link' });
    expect(command.status).toBe(200);
    const form = await formOf(slack, command);
    const done = await slack.submitView({
      user: admin,
      view: form,
      values: { 'Instance name': 'Acme', 'API key': KEY, 'Low-credit threshold': '999' },
    });
    expect(done.errors).toEqual({});
    expect(done.outcome).toBe('updated');
    const [told] = slack.views(admin.id).slice(-1);
    expect(told && textOf(told)).toContain('1,000 credits');
    await slack.waitFor(() =>
      slack.history(slack.channels.sales.id).some((message) => textOf(message).includes('Acme')),
    );
  });

  it('a member sees number, country, text, segments, estimate and balance before anything is spent', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const command = await slack.command({
      user: member,
      channel: slack.channels.sales,
      text: `send +44 20 7946 0958 ${TEXT}`,
    });
    expect(command.ms).toBeLessThan(3000);
    const preview = textOf(await command.reply());
    for (const words of [
      '+44 20 7946 0958',
      'United Kingdom',
      TEXT,
      `${TEXT.length} of 160`,
      '≈ 1 credit',
      '1,000',
    ]) {
      expect(preview).toContain(words);
    }
    expect(world.service.messages).toEqual([]);
  });

  it('Send spends once; the receipt and the line in the channel tell it', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const [draft] = slack.ephemerals(member.id).slice(-1);
    if (!draft) throw new Error('no draft');
    await Promise.all([
      slack.click({ user: member, message: draft, text: 'Send' }),
      slack.click({ user: member, message: draft, text: 'Send', forged: true }),
    ]);
    await slack.waitFor(() =>
      slack.ephemerals(member.id).some((shown) => textOf(shown).includes('1 credit used · 999 left')),
    );
    await slack.waitFor(() =>
      slack
        .history(slack.channels.sales.id)
        .some((message) => textOf(message).includes('sent a text to ···0958 · 1 credit · 999 left')),
    );
    expect(sentTo(NUMBER)).toHaveLength(1);
    expect(slack.history(slack.channels.sales.id).map(textOf).join()).not.toContain(TEXT);
  });

  it('/sms balance is right', async () => {
    const { slack } = world;
    const command = await slack.command({
      user: slack.people.member,
      channel: slack.channels.sales,
      text: 'balance',
    });
    expect(textOf(await command.reply())).toContain('999 credits');
  });

  it('spending below the threshold brings one warning', async () => {
    const { slack } = world;
    for (const phone of ['+442079460001', '+442079460002']) await sendText(world, phone, 'One more');
    const warnings = () =>
      slack.history(slack.channels.sales.id).filter((message) => /low|below/i.test(textOf(message)));
    await slack.waitFor(() => warnings().length > 0);
    await world.stop();
    await world.start();
    await sendText(world, '+442079460003', 'And one more');
    expect(warnings()).toHaveLength(1);
  });

  it('killed in the middle and started again, nobody is texted twice and the person learns the outcome', async () => {
    const { slack, service } = world;
    const { member } = slack.people;
    service.addFault({ kind: 'hang', when: 'after', endpoint: 'send' } as never);
    const phone = '+442079460077';
    const command = await slack.command({
      user: member,
      channel: slack.channels.sales,
      text: `send ${phone} In the middle`,
    });
    const draft = await command.reply();
    await slack.click({ user: member, message: draft, text: 'Send' });
    await slack.waitFor(() => sentTo(phone.slice(1)).length === 1);
    await world.kill();
    await world.start();
    await slack.waitFor(() => slack.ephemerals(member.id).some((shown) => textOf(shown).includes('Unknown')));
    await slack.waitFor(() =>
      slack.ephemerals(member.id).some((shown) => textOf(shown).includes('Unknown, probably sent')),
    );
    expect(sentTo(phone.slice(1))).toHaveLength(1);
  });

  it('every payload was valid, with a text; no key, text or whole number is in a wrong place', () => {
    const { slack } = world;
    expect(slack.failures).toEqual([]);
    expect(slack.warnings).toEqual([]);
    expect(JSON.stringify(slack.calls)).not.toContain(KEY);
    for (const secret of [KEY, TEXT, 'One more', 'In the middle', NUMBER, '442079460077', '+44 20 7946']) {
      expect(world.output(), secret).not.toContain(secret);
    }
    for (const file of readdirSync(world.dataDir)) {
      expect(readFileSync(join(world.dataDir, file)).includes(KEY), file).toBe(false);
    }
  });
});

/** Sends a text, from the command to the receipt. */
async function sendText({ slack }: World, phone: string, text: string): Promise<void> {
  const { member } = slack.people;
  const command = await slack.command({
    user: member,
    channel: slack.channels.sales,
    text: `send ${phone} ${text}`,
  });
  const draft = await command.reply();
  await slack.click({ user: member, message: draft, text: 'Send' });
  await slack.waitFor(() =>
    slack.ephemerals(member.id).some((shown) => shown.ts === draft.ts && textOf(shown).includes('used')),
  );
}
