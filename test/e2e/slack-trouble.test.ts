import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliverByHttp, type Fault, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import {
  ACME_KEY,
  answerTo,
  arrivalsAt,
  ask,
  BIRCH_KEY,
  directOf,
  draft,
  eventually,
  formOf,
  historyOf,
  link,
  newInstanceForm,
  press,
  receiptOf,
  rows,
} from '../helpers/world-steps.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { SMS_RATE_LIMIT: '1000' }, sandbox: { switches: { rateLimit: 1000 } } });
  await world.start();
});
afterAll(() => world.close());
afterEach(() => world.slack.clearFaults());

const linesAbout = (digits: string) => historyOf(world).filter((line) => line.includes(`···${digits}`));

describe('while the key is checked', () => {
  it('a check of more than 2 s says "Checking the key…", then the reason over an empty key field', async () => {
    const { slack, service } = world;
    const { admin } = slack.people;
    const command = await slack.command({ user: admin, channel: slack.channels.sales, text: 'link' });
    const form = await formOf(slack, command);
    service.addFault({ kind: 'key_revoked', endpoint: 'balance', ms: 2400 });
    const values = { 'Instance name': 'Acme', 'API key': ACME_KEY, 'Low-credit threshold': '7' };
    const done = await slack.submitView({ user: admin, view: form, values });
    expect(done.outcome).toBe('updated');
    expect(textOf(await slack.waitFor(() => slack.view(form.view.id)))).toMatch(/^Checking the key…/);
    const again = await slack.waitFor(() => {
      const now = slack.view(form.view.id);
      return now && textOf(now).includes('API key:') ? now : undefined;
    });
    expect(textOf(again)).toMatch(/rejects this key.*Nothing was saved/);
    expect(textOf(again)).toContain('Instance name: [Acme');
    expect(textOf(again)).toContain('Low-credit threshold: [7]');
    expect(JSON.stringify(again.view)).not.toContain(ACME_KEY);
    const empty = await slack.submitView({ user: admin, view: again });
    expect(empty.outcome).toBe('not_sent');

    service.addFault({ kind: 'delay', endpoint: 'balance', ms: 2400 });
    await slack.submitView({
      user: admin,
      view: again,
      values: { 'API key': ACME_KEY, 'Low-credit threshold': '0' },
    });
    await slack.waitFor(() => {
      const now = slack.view(form.view.id);
      return now && textOf(now).includes('*Linked*');
    });
    expect(await ask(world, 'balance')).toContain('1,000 credits');
  });

  it('the same for a key that replaces another', async () => {
    const { slack, service } = world;
    const { admin } = slack.people;
    const command = await slack.command({ user: admin, channel: slack.channels.sales, text: 'settings' });
    const settings = await formOf(slack, command);
    const click = await slack.clickInView({ user: admin, view: settings, text: 'Replace key' });
    const form = await formOf(slack, click);
    service.addFault({ kind: 'key_revoked', endpoint: 'balance', ms: 2400 });
    const done = await slack.submitView({ user: admin, view: form, values: { 'API key': BIRCH_KEY } });
    expect(done.outcome).toBe('updated');
    expect(textOf(await slack.waitFor(() => slack.view(form.view.id)))).toMatch(/^Checking the key…/);
    const again = await slack.waitFor(() => {
      const now = slack.view(form.view.id);
      return now && textOf(now).includes('API key:') ? now : undefined;
    });
    expect(textOf(again)).toMatch(/rejects this key.*Nothing was saved/);
    expect(JSON.stringify(again.view)).not.toContain(BIRCH_KEY);
    // If the new key belongs to another account, the bot asks about that, also with an empty key field.
    const other = await slack.submitView({ user: admin, view: again, values: { 'API key': BIRCH_KEY } });
    expect(other.outcome).toBe('updated');
    const asked = await slack.waitFor(() => slack.view(form.view.id));
    expect(textOf(asked)).toMatch(/belongs to another account\*: “Birch &amp; Co”. So far “Acme Ltd” pays/);
    expect(JSON.stringify(asked.view)).not.toContain(BIRCH_KEY);
    await slack.closeView({ user: admin, view: asked, all: true });
    expect(await ask(world, 'balance')).toContain('Acme Ltd');
  });
});

describe('while a receipt or a line is due', () => {
  let count = 0;
  /** The receipt needs response_url, the line chat.postMessage. The faults strike both for the same text. */
  const troubles: { name: string; receipt?: [Fault, times: number]; line: [Fault, times: number] }[] = [
    { name: 'both answer 500', receipt: [{ kind: 'server_error' }, 3], line: [{ kind: 'server_error' }, 2] },
    {
      name: 'both answer 429',
      receipt: [{ kind: 'rate_limited', retryAfter: 1 }, 2],
      line: [{ kind: 'rate_limited', retryAfter: 1 }, 1],
    },
    {
      name: 'the answers of both are lost',
      receipt: [{ kind: 'lost_answer' }, 2],
      line: [{ kind: 'lost_answer' }, 1],
    },
    {
      name: 'chat.postMessage says internal_error',
      line: [{ kind: 'refused', error: 'internal_error' }, 1],
    },
    {
      name: 'chat.postMessage is refused for now',
      line: [{ kind: 'refused', error: 'team_access_not_granted' }, 1],
    },
  ];
  for (const { name, receipt, line } of troubles) {
    // If an answer is lost, nobody can know whether the line was posted.
    const lines = line[0].kind === 'lost_answer' ? 2 : 1;
    it(`${name}: delivered later, the receipt once, the line ${lines > 1 ? 'twice' : 'once'}`, async () => {
      const { slack } = world;
      count += 1;
      const phone = `4420794607${String(count).padStart(2, '0')}`;
      const preview = await draft(world, `+${phone} ${name}`);
      const direct = directOf(world, { id: preview.to }).length;
      if (receipt) slack.fault({ method: 'response_url', fault: receipt[0], count: receipt[1] });
      slack.fault({ method: 'chat.postMessage', fault: line[0], count: line[1] });
      await press(world, preview, 'Send');
      expect(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
      await slack.waitFor(() => linesAbout(phone.slice(-4)).length >= lines);
      await eventually(() => rows(world, "SELECT * FROM outbox WHERE state <> 'posted'").length === 0);
      expect(linesAbout(phone.slice(-4))).toHaveLength(lines);
      expect(directOf(world, { id: preview.to })).toHaveLength(direct);
      expect(arrivalsAt(world, phone)).toHaveLength(1);
    });
  }

  it('all of Slack is down, and the bot is killed: receipt, line and warning come after the new start', async () => {
    const { slack, service } = world;
    const phone = '442079460751';
    const { leads } = slack.channels;
    await link(world, {
      channel: leads,
      key: BIRCH_KEY,
      name: 'Birch',
      values: { 'Low-credit threshold': '3' },
    });
    const preview = await draft(world, `+${phone} Through the night`, { channel: leads });
    service.addFault({ kind: 'delay', endpoint: 'send', ms: 700 });
    await press(world, preview, 'Send');
    await eventually(() => rows(world, "SELECT * FROM chunks WHERE state = 'sending'").length === 1);
    slack.fault({ method: '*', fault: { kind: 'server_error' }, count: Number.POSITIVE_INFINITY });
    await eventually(() => service.messages.some((message) => message.phone === phone));
    await eventually(() => rows(world, "SELECT * FROM outbox WHERE topic = 'low_credit'").length === 1);
    await world.kill();
    slack.clearFaults();
    await world.start();
    expect(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
    const history = () => historyOf(world, leads);
    await slack.waitFor(() => history().some((line) => line.includes('···0751')));
    await slack.waitFor(() => history().some((line) => line.includes('running low')));
    expect(history().filter((line) => line.includes('running low'))).toHaveLength(1);
    expect(arrivalsAt(world, phone)).toHaveLength(1);
  });

  it('response_url is used up: the receipt comes as a direct message', async () => {
    const { slack, service } = world;
    const preview = await draft(world, '+442079460752 Used up');
    service.addFault({ kind: 'delay', endpoint: 'send', ms: 700 });
    const click = await press(world, preview, 'Send');
    const url = String(click.payload.response_url);
    for (let use = 0; use < 5; use += 1) {
      await fetch(url, {
        method: 'POST',
        body: JSON.stringify({ text: 'x' }),
        headers: { 'content-type': 'application/json' },
      });
    }
    await slack.waitFor(() =>
      directOf(world, { id: preview.to }).some((text) => /^✅ \*Sent\* to \+44 20 7946 0752/.test(text)),
    );
    expect(arrivalsAt(world, '442079460752')).toHaveLength(1);
  });

  it('response_url asks to wait for hours: the receipt comes as a direct message at once', async () => {
    const { slack } = world;
    const preview = await draft(world, '+442079460754 Not for hours');
    const fault = { kind: 'rate_limited', retryAfter: 7200 } as const;
    slack.fault({ method: 'response_url', fault, count: Number.POSITIVE_INFINITY });
    try {
      await press(world, preview, 'Send');
      await slack.waitFor(() =>
        directOf(world, { id: preview.to }).some((text) => /^✅ \*Sent\* to \+44 20 7946 0754/.test(text)),
      );
    } finally {
      slack.clearFaults();
    }
    expect(arrivalsAt(world, '442079460754')).toHaveLength(1);
  });

  it('a slow "Sending…" never covers the receipt', async () => {
    const shown: string[] = [];
    const slow = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      const { text } = JSON.parse(body) as { text: string };
      // Slack is late, so the message changes late.
      if (text.startsWith('📤 *Sending*')) await sleep(700);
      shown.push(text);
      response.end('ok');
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    try {
      const preview = await draft(world, '+442079460753 Overtaken');
      const { payload } = await world.slack.click(
        { user: preview.to, message: preview, text: 'Send' },
        { signature: 'wrong' },
      );
      const response_url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/response`;
      const click = { type: 'interactive', payload: { ...payload, response_url } } as const;
      const ack = await deliverByHttp(`${world.url}/slack/events`, world.signingSecret, click);
      expect(ack.status).toBe(200);
      await eventually(() => shown.some((text) => text.startsWith('📤 *Sending*')));
      await eventually(() => shown.at(-1)?.startsWith('✅ *Sent*'));
      expect(shown.at(-1)).toMatch(/^✅ \*Sent\* to \+44 20 7946 0753/);
    } finally {
      slow.close();
    }
  });
});

describe('while Slack does not say who somebody is', () => {
  it('a command does nothing, and its person reads why', async () => {
    const { slack } = world;
    for (const fault of [{ kind: 'server_error' }, { kind: 'refused', error: 'user_not_found' }] as Fault[]) {
      slack.fault({ method: 'users.info', fault, count: 1 });
      const text = await ask(world, 'send +442079460761 Who am I', { user: slack.people.owner });
      expect(text).toMatch(/Slack did not answer as it should, so nothing was done/);
      expect(text).toMatch(/\+442079460761[\s\S]*Who am I[\s\S]*\[Open the form\]/);
    }
    expect(rows(world, "SELECT * FROM sends WHERE details LIKE '%442079460761%'")).toEqual([]);
  });

  it('nor which channels they can send from, or whether the bot is in one: the person reads that Slack is to blame', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const fault: Fault = { kind: 'rate_limited', retryAfter: 1 };
    slack.fault({ method: 'users.conversations', fault, count: 1 });
    const channel = slack.directMessage(member.id);
    const text = await ask(world, 'send +442079460764 Which channel', { channel });
    expect(text).toMatch(/Slack did not answer as it should, so nothing was done.*Which channel/s);
    slack.fault({ method: 'conversations.info', fault, count: 1 });
    const link = await ask(world, 'link', { user: slack.people.admin, channel: slack.channels.support });
    expect(link).toMatch(/Slack did not answer as it should, so nothing was done/);
  });

  it('nothing is sent for a click, and it is said; the next click sends', async () => {
    const { slack } = world;
    const preview = await draft(world, '+442079460762 Who clicks');
    await world.stop();
    await world.start();
    for (const method of ['users.info', 'conversations.members']) {
      slack.fault({ method, fault: { kind: 'rate_limited', retryAfter: 1 }, count: 1 });
      const click = await press(world, preview, 'Send');
      expect(textOf(await click.reply()), method).toMatch(
        /did not answer as it should.*nothing new was sent/is,
      );
    }
    expect(arrivalsAt(world, '442079460762')).toEqual([]);
    await press(world, preview, 'Send');
    expect(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
  });
});

describe('while modals fail', () => {
  for (const error of ['expired_trigger_id', 'internal_error'])
    it(`views.open says ${error}: the person reads so in another way`, async () => {
      world.slack.fault({ method: 'views.open', fault: { kind: 'refused', error } });
      const text = await ask(world, 'send');
      expect(text).toMatch(/Slack did not answer as it should.*nothing new was sent.*Please try again/is);
      expect(text).not.toContain(error);
    });

  it('a click inside a form that cannot be carried out gets an answer', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const command = await slack.command({ user: admin, channel: slack.channels.sales, text: 'settings' });
    const form = await formOf(slack, command);
    slack.fault({ method: 'views.push', fault: { kind: 'server_error' } });
    await slack.clickInView({ user: admin, view: form, text: 'Replace key' });
    await slack.waitFor(() => {
      const top = slack.views(admin.id).at(-1);
      return top && /something went wrong|did not answer/i.test(textOf(top));
    });
  });
});

describe('while the bot is not in the channel', () => {
  it('says /invite before a link form opens; an open form saves nothing and keeps what was typed', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const { support } = slack.channels;
    const open = slack.views(admin.id).length;
    const invite = await answerTo(world, 'link', { user: admin, channel: support });
    expect(textOf(invite)).toMatch(/`\/invite @Switchboard`[\s\S]*\[Link this channel\]/);
    expect(slack.views(admin.id)).toHaveLength(open);
    slack.join(support.id, slack.bot.user_id);
    const click = await slack.click({ user: admin, message: invite, text: 'Link this channel' });
    const form = await newInstanceForm(slack, admin, await formOf(slack, click));
    slack.leave(support.id, slack.bot.user_id);
    world.service.addKey({ name: 'Spare', key: 'spare-key-0009', user_id: 1 });
    const values = { 'Instance name': 'Spare', 'API key': 'spare-key-0009' };
    const done = await slack.submitView({ user: admin, view: form, values });
    expect(Object.values(done.errors).join()).toContain('/invite @Switchboard');
    const status = await world.runAdmin(['status']);
    expect(status.stdout).not.toContain('Spare');
    slack.join(support.id, slack.bot.user_id);
    expect((await slack.submitView({ user: admin, view: form })).outcome).toBe('updated');
    expect(historyOf(world, support).join()).toContain('“Spare”');
  });

  it('a channel that the bot was put out of: the text is sent, the receipt comes, the line is given up', async () => {
    const { slack } = world;
    const { support } = slack.channels;
    const where = { channel: support };
    const preview = await draft(world, '+442079460771 Put out', where);
    slack.leave(support.id, slack.bot.user_id);
    await press(world, preview, 'Send');
    expect(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
    await eventually(() => rows(world, "SELECT * FROM outbox WHERE state <> 'posted'").length === 0);
    const balance = await answerTo(world, 'balance', where);
    const share = await slack.click({
      user: slack.people.member,
      message: balance,
      text: 'Share in channel',
    });
    expect(textOf(await share.reply())).toContain('/invite @Switchboard');
  });

  it('a channel in which few may post: whoever shares the balance reads that the bot may not', async () => {
    const { slack } = world;
    await link(world);
    const balance = await answerTo(world, 'balance');
    const error = 'restricted_action_read_only_channel';
    slack.fault({ method: 'chat.postMessage', fault: { kind: 'refused', error } });
    const share = await slack.click({
      user: slack.people.member,
      message: balance,
      text: 'Share in channel',
    });
    const said = textOf(await share.reply());
    expect(said).toContain('may not post in this channel');
    expect(said).not.toMatch(/went wrong|invite/);
  });
});
