import { type Ephemeral, textOf } from 'slack-playground';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../local/free-port.ts';
import type { World } from '../helpers/world.ts';
import {
  ACME_KEY,
  ask,
  draft,
  formOf,
  link,
  press,
  receiptOf,
  rows,
  sendRequests,
  sendText,
} from '../helpers/world-steps.ts';
import { worldsOfFile } from '../helpers/worlds-of-file.ts';

const newWorld = worldsOfFile();

async function worldWith(env: (world: World, closed: string) => Record<string, string>): Promise<World> {
  // While the service is down, its port must stay free.
  const world = await newWorld({ sandbox: { port: await freePort() } });
  const closed = `http://127.0.0.1:${await freePort()}/api/v1`;
  Object.assign(world.environment, env(world, closed));
  await world.start();
  return world;
}

describe.concurrent('where the service is', () => {
  it('the other host form is used while the first is down', async () => {
    const world = await worldWith(({ service }, closed) => ({
      SMS_BASE_URL: closed,
      SMS_BASE_URL_ALT: service.urlAlt,
    }));
    expect(await link(world)).toContain('1,000 credits');
    expect(await sendText(world, '+442079460301 By the other way')).toMatch(/^✅ \*Sent\*[\s\S]*999 left/);
    expect(await ask(world, 'balance')).toContain('*999 credits*');
    expect(world.service.requests.map(({ host }) => host)).not.toContain('main');
    expect(sendRequests(world)).toHaveLength(1);
  });

  it('down in both forms: tried for about 9 s, then not sent, and nothing is charged or repeated later', async () => {
    const world = await worldWith(() => ({}));
    const { slack, service } = world;
    await link(world);
    const preview = await draft(world, '+442079460302 Nobody is there');
    await service.close();
    await press(world, preview, 'Send');
    const sending = await slack.waitFor(() => {
      const now = slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
      return now?.edited ? textOf(now) : undefined;
    });
    expect(sending).toMatch(/^📤 \*Sending\* to \+44 20 7946 0302/);
    const text = await receiptOf(world, preview);
    expect(text).toMatch(
      /^⛔ \*Not sent\*[\s\S]*could not be reached[\s\S]*No credits were used[\s\S]*\[Write a text\]/,
    );
    const [send] = rows(world, 'SELECT decided_at, ended_at FROM sends');
    const took = Number(send?.ended_at) - Number(send?.decided_at);
    expect(took).toBeGreaterThan(7000);
    expect(rows(world, 'SELECT state FROM chunks')).toEqual([{ state: 'not_sent' }]);
    expect(sendRequests(world)).toEqual([]);
    // The form opens with everything that was typed.
    const again = await press(world, preview, 'Write a text');
    expect(textOf(await formOf(slack, again))).toContain('[Nobody is there]');
    const balance = await ask(world, 'balance');
    expect(balance).toMatch(/cannot be read right now[\s\S]*Last known: \*1,000 credits\*/);
  });

  it('silent while a draft is made: the preview comes in time, and says that the balance is not known', async () => {
    const world = await worldWith(() => ({ BALANCE_POLL_MS: '86400000' }));
    const { service, slack } = world;
    const { admin, member } = slack.people;
    const added = await world.runAdmin(['add-instance', '--name', 'Acme'], `${ACME_KEY}\n`);
    expect(added.code).toBe(0);
    service.addFault({ kind: 'hang', endpoint: 'balance', times: 'always' });
    const command = await slack.command({ user: admin, channel: slack.channels.sales, text: 'link' });
    const form = await formOf(slack, command);
    await slack.submitView({ user: admin, view: form });
    const told = await slack.waitFor(() => {
      const now = slack.view(form.view.id);
      return now && textOf(now).includes('*Linked*') ? textOf(now) : undefined;
    });
    expect(told).toContain('The balance could not be read right now');
    const asked = await slack.command({
      user: member,
      channel: slack.channels.sales,
      text: 'send +442079460303 Without a balance',
    });
    const preview = await asked.reply();
    expect(textOf(preview)).toMatch(/≈ 1 credit\n[\s\S]*The balance could not be read right now/);
    await slack.click({ user: member, message: preview, text: 'Send' });
    expect(await receiptOf(world, preview as Ephemeral)).toMatch(/^✅ \*Sent\*[\s\S]*999 left/);
    expect(await ask(world, 'balance')).toMatch(/cannot be read right now[\s\S]*Last known: \*999 credits\*/);
  });
});
