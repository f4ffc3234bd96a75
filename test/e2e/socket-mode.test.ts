import { textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import {
  arrivalsAt,
  ask,
  draft,
  eventually,
  formOf,
  historyOf,
  link,
  press,
  receiptOf,
  sendRequests,
  sendText,
} from '../helpers/world-steps.ts';

/** The story's core again, over a socket that the bot opens. */
describe('Socket Mode', () => {
  let world: World;
  const connected = () => world.slack.waitFor(() => world.slack.socket.connections() > 0);

  beforeAll(async () => {
    world = await createWorld({ socketMode: true });
    await world.start();
    await connected();
  });
  afterAll(() => world.close());

  it('link, preview, Send twice, receipt, line, balance', async () => {
    const { slack } = world;
    expect(await link(world)).toContain('1,000 credits');
    const preview = await draft(world, '+44 20 7946 1201 Hello');
    expect(textOf(preview)).toContain('≈ 1 credit');
    await Promise.all([
      slack.click({ user: preview.to, message: preview, text: 'Send' }),
      slack.click({ user: preview.to, message: preview, text: 'Send', forged: true }),
    ]);
    expect(await receiptOf(world, preview)).toContain('1 credit used · 999 left');
    await slack.waitFor(() =>
      historyOf(world).some((line) => line.includes('···1201 · 1 credit · 999 left')),
    );
    expect(await ask(world, 'balance')).toContain('999 credits');
    expect(arrivalsAt(world, '442079461201')).toHaveLength(1);
  });

  it('forms: an error is at its field', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const command = await slack.command({ user: member, channel: slack.channels.sales, text: 'send' });
    const form = await formOf(slack, command);
    const done = await slack.submitView({
      user: member,
      view: form,
      values: { Recipient: '0812', Message: 'hi' },
    });
    expect(done.errors).toEqual({ recipient: expect.stringContaining('country code') });
  });

  it('an unknown request is acknowledged', async () => {
    const { slack } = world;
    const shortcut = await slack.shortcut({ user: slack.people.member, callback_id: 'of_an_older_version' });
    expect(shortcut.status).toBe(200);
  });

  it('an envelope that comes twice is one wish', async () => {
    const preview = await draft(world, '+442079461202 Once');
    const click = await press(world, preview, 'Send');
    await click.resend({ retry: { num: 1, reason: 'timeout' } });
    expect(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
    expect(arrivalsAt(world, '442079461202')).toHaveLength(1);
  });

  for (const reason of ['drop', 'refresh_requested'] as const) {
    it(`a connection that ends (${reason}) is opened again`, async () => {
      world.slack.socket.disconnect(reason);
      await eventually(() => world.slack.socket.connections() === 0);
      await connected();
      expect(await sendText(world, `+44207946121${reason.length % 10} After the gap`)).toMatch(
        /^✅ \*Sent\*/,
      );
    });
  }

  it('killed in the middle and started again: one text, and the person learns the outcome', async () => {
    const { service } = world;
    const preview = await draft(world, '+442079461204 In the middle');
    service.addFault({ kind: 'hang', when: 'after', endpoint: 'send' });
    const before = sendRequests(world).length;
    await press(world, preview, 'Send');
    await eventually(() => sendRequests(world).length > before);
    await world.kill();
    await world.start();
    expect(await receiptOf(world, preview)).toMatch(/^⚠️ \*Unknown/);
    await connected();
    expect(arrivalsAt(world, '442079461204')).toHaveLength(1);
  });

  it('stops on a signal, with a send in flight settled', async () => {
    const preview = await draft(world, '+442079461205 The last');
    world.service.addFault({ kind: 'delay', ms: 500, endpoint: 'send' });
    const before = sendRequests(world).length;
    await press(world, preview, 'Send');
    await eventually(() => sendRequests(world).length > before);
    expect(await world.stop()).toBe(0);
    expect(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
    expect(world.slack.failures).toEqual([]);
    expect(world.slack.warnings).toEqual([]);
  });
});
