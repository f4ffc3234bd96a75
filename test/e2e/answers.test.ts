import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FaultInput } from 'credit-sandbox';
import { channel, type Ephemeral, textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import {
  answerTo,
  ask,
  directOf,
  draft,
  eventually,
  formOf,
  historyOf,
  link,
  press,
  receiptOf,
  sendRequests,
} from '../helpers/world-steps.ts';

/** An answer of the service, the text's outcome, and what the receipt and the channel say. */
interface Case {
  name: string;
  fault: FaultInput;
  /** How many texts the service really sent. */
  texts: 0 | 1;
  /** The first line of the final receipt. */
  receipt: RegExp;
  line: RegExp | undefined;
}

const PROBABLY_NOT =
  /^⚠️ \*Unknown, probably not sent\*\nTo .* · nothing was charged so far · a charge may still come\n/;
const PROBABLY =
  /^⚠️ \*Unknown, probably sent\*\nTo .* · 1 credit was taken · someone else may use this key\n/;
/** What people read, by how many texts the service sent. `later`: none, but Linux may still deliver the request. */
const SAID = {
  0: { receipt: PROBABLY_NOT, line: /···\d{4} · \*Unknown, probably not sent\*/ },
  1: { receipt: PROBABLY, line: /···\d{4} · \*Unknown, probably sent\*/ },
  later: { receipt: /^⚠️ \*Unknown\*[\s\S]*Checking the balance for clues/, line: /···\d{4} · \*Unknown\*/ },
};
const json = { 'Content-Type': 'application/json' };
const refusal = JSON.stringify({ success: false, error: { code: 'BLOCKED', message: 'Sender is blocked.' } });

const clear: Case[] = [
  {
    name: 'a valid 201',
    fault: delay(),
    texts: 1,
    receipt: /^✅ \*Sent\* to/,
    line: /sent a text to ···\d{4} · 1 credit · 99 left/,
  },
  {
    name: '401',
    fault: { kind: 'key_revoked', endpoint: 'send' },
    texts: 0,
    receipt: /^⛔ \*Rejected\*/,
    line: undefined,
  },
  {
    name: '402',
    fault: { kind: 'no_credits', endpoint: 'send' },
    texts: 0,
    receipt: /^⛔ \*Rejected\*/,
    line: undefined,
  },
  {
    name: '422',
    fault: answer(
      422,
      JSON.stringify({ success: false, error: { code: 'VALIDATION_ERROR', message: 'Not a phone.' } }),
    ),
    texts: 0,
    receipt: /^⛔ \*Rejected\*[\s\S]*Not a phone\./,
    line: undefined,
  },
  {
    name: 'any other 4xx with an error object',
    fault: answer(403, refusal),
    texts: 0,
    receipt: /^⛔ \*Rejected\*[\s\S]*Sender is blocked\.[\s\S]*Reference `/,
    line: undefined,
  },
  {
    name: 'one 429 with Retry-After',
    fault: { ...answer(429, '<h1>Slow down</h1>'), headers: { 'Retry-After': '1' } },
    texts: 1,
    receipt: /^✅ \*Sent\* to/,
    line: /sent a text to/,
  },
  {
    name: 'three 429 in a row',
    fault: { ...answer(429, ''), times: 3 },
    texts: 0,
    receipt: /^⛔ \*Not sent\*[\s\S]*limits requests per minute[\s\S]*No credits were used/,
    line: undefined,
  },
];

const doubtful: Case[] = (
  [
    ['500 before it was processed', { kind: 'server_error', when: 'before' }, 0],
    ['500 after it was charged', { kind: 'server_error', when: 'after' }, 1],
    ['HTML of a proxy, not processed', { kind: 'bad_gateway', when: 'before' }, 0],
    ['HTML of a proxy, charged', { kind: 'bad_gateway', when: 'after' }, 1],
    ['a redirect', { ...answer(302, ''), headers: { Location: '/api/v1/messages/send' } }, 0],
    ['another 2xx', { ...answer(200, refusal.replace('false', 'true')), when: 'after' }, 1],
    ['204 without a body', answer(204, ''), 0],
    ['201 that says success: false', answer(201, refusal), 0],
    ['201 with other fields', answer(201, JSON.stringify({ success: true, data: { id: 1 } })), 0],
    ['a body that is no JSON', { kind: 'garbage' }, 1],
    ['4xx without an error object', { ...answer(404, '<h1>Not found</h1>'), headers: {} }, 0],
    ['reset, not processed', { kind: 'reset', when: 'before' }, 'later'],
    ['reset after it was charged', { kind: 'reset', when: 'after' }, 1],
    ['time-out, not processed', { kind: 'hang', when: 'before' }, 'later'],
    ['time-out after it was charged', { kind: 'hang', when: 'after' }, 1],
    ['a truncated body', { kind: 'truncate' }, 1],
    ['a body that stalls', { kind: 'stall' }, 1],
  ] as [string, FaultInput, keyof typeof SAID][]
).map(([name, fault, texts]) => ({
  name,
  fault: { ...fault, endpoint: 'send' } as FaultInput,
  texts: texts === 1 ? 1 : 0,
  ...SAID[texts],
}));

function delay(): FaultInput {
  return { kind: 'delay', ms: 300, endpoint: 'send' };
}

function answer(status: number, body: string) {
  return { kind: 'answer', endpoint: 'send', when: 'before', status, body, headers: json } as const;
}

/** Each case has its own channel, instance and account, so no other case changes its balance. */
describe('what an answer means, for a single send', () => {
  let world: World;
  const cases = [...clear, ...doubtful];
  const previews: Ephemeral[] = [];
  const room = (index: number) => `C0ANSWER${String(index).padStart(2, '0')}`;
  const key = (index: number) => `answers-key-${String(index).padStart(4, '0')}`;
  const phone = (index: number) => `4420794602${String(index).padStart(2, '0')}`;
  const mine = (index: number) => sendRequests(world).filter((request) => request.key === key(index));

  /** The words of the modal that a button of this receipt opens for `user`. The receipt may be another person's. */
  async function modalOf({ to, ts }: Ephemeral, text: string, user = to): Promise<string> {
    const { slack } = world;
    const message = slack.ephemerals(to).find((one) => one.ts === ts) as Ephemeral;
    const click = await slack.click({ user, message, text, forged: user !== to });
    return textOf(await formOf(slack, click));
  }

  beforeAll(async () => {
    const numbers = cases.map((_, index) => index);
    const seed = {
      accounts: numbers.map((index) => ({ user_id: index + 1, user_name: `Account ${index}`, credits: 100 })),
      instances: numbers.map((index) => ({ name: `I${index}`, key: key(index), user_id: index + 1 })),
    };
    world = await createWorld({
      sandbox: { seed },
      env: {
        SMS_TIMEOUT_MS: '700',
        SMS_ATTEMPT_LEASE_MS: '1400',
        SMS_RATE_WINDOW_MS: '1000',
        SMS_RATE_LIMIT: '50',
      },
    });
    await world.start();
    const { slack, service } = world;
    const { admin, member } = slack.people;
    for (const index of numbers) {
      const id = room(index);
      slack.addChannel(
        channel({ id, name: `answers-${index}`, members: [admin.id, member.id, slack.bot.user_id] }),
      );
      await link(world, {
        channel: id,
        key: key(index),
        name: `Instance ${index}`,
        values: { 'Low-credit threshold': '0' },
      });
    }
    // The cases run one by one, so that each request meets its own fault.
    for (const [index, { fault }] of cases.entries()) {
      const preview = await draft(world, `+${phone(index)} Text ${index}`, { channel: room(index) });
      previews.push(preview);
      service.addFault(fault);
      await press(world, preview, 'Send');
      await eventually(() => mine(index).length > 0);
      if (index < clear.length) await receiptOf(world, preview);
    }
  });
  afterAll(() => world.close());

  for (const [index, { name, receipt, line, texts }] of cases.entries()) {
    it(`${name}: receipt${line ? ' and line' : ', no line'}`, async () => {
      const { slack } = world;
      const preview = previews[index] as Ephemeral;
      const text = await slack.waitFor(() => {
        const now = slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
        const shown = now ? textOf(now) : '';
        return receipt.test(shown) ? shown : undefined;
      });
      expect(text).toContain(`Text ${index}`);
      // The reference is random, and may hold such letters.
      expect(text.replace(/`.*`/g, '')).not.toMatch(/undefined|NaN|ECONN|<h1>|null/);
      const lines = () => historyOf(world, { id: room(index) }).filter((one) => one.includes(`···`));
      if (line) await slack.waitFor(() => lines().some((one) => line.test(one)));
      else expect(lines()).toEqual([]);
      const arrived = world.service.messages.filter((message) => message.phone === phone(index));
      expect(arrived).toHaveLength(texts);
    });
  }

  it('only requests with a 429 were repeated', () => {
    const counts = Object.fromEntries(cases.map(({ name }, index) => [name, mine(index).length]));
    const expected = Object.fromEntries(cases.map(({ name }) => [name, 1]));
    expect(counts).toEqual({ ...expected, 'one 429 with Retry-After': 2, 'three 429 in a row': 3 });
  });

  it('402 names the needed and the available credits', async () => {
    const text = await receiptOf(world, previews[2] as Ephemeral);
    expect(text).toMatch(/needs 1 credit, and the account has 0/);
  });

  it('the admin and the channel each read once of a 401, and once that the key works again', async () => {
    const { slack } = world;
    const where = { id: room(1) };
    const told = () => directOf(world, slack.people.admin).filter((text) => text.includes('“Instance 1”'));
    const lines = () => historyOf(world, where).filter((text) => text.includes('API key'));
    await slack.waitFor(() => told().length >= 1 && lines().length >= 1);
    // The key works again: the next draft asks the service, and the bot says so.
    await draft(world, `+${phone(1)} Again`, { channel: where.id });
    await slack.waitFor(() => told().length >= 2 && lines().length >= 2);
    expect(told()).toEqual([
      expect.stringMatching(/service refuses the API key …0001[\s\S]*Replace key/),
      expect.stringContaining('Texts can be sent again'),
    ]);
    expect(lines()).toEqual([
      expect.stringContaining('Texts cannot be sent'),
      expect.stringContaining('Texts can be sent again'),
    ]);
    // Admins can still press the button of the news, as often as they like.
    const { admin, member } = slack.people;
    const card = slack.history(where.id).find((one) => textOf(one).includes('Texts cannot be sent'));
    if (!card) throw new Error('the news is not there');
    const refused = await slack.click({ user: member, message: card, text: 'Replace key' });
    expect(textOf(await refused.reply())).toMatch(
      /Only admins can replace or remove an API key[\s\S]*<@U0ADMIN001>/,
    );
    for (const _again of [1, 2]) {
      const form = await formOf(
        slack,
        await slack.click({ user: admin, message: card, text: 'Replace key' }),
      );
      expect(textOf(form)).toContain('The new key replaces …0001 in “Instance 1”');
      await slack.closeView({ user: admin, view: form });
    }
    const opened = await slack.click({ user: admin, message: card, text: 'Replace key' });
    const form = await formOf(slack, opened);
    const isKnown = { user: admin, view: form, values: { 'API key': key(0) } };
    expect((await slack.submitView(isKnown)).errors).toEqual({
      api_key: expect.stringContaining('already the key of the instance “Instance 0”'),
    });
  });

  it('a status other than "sent" is kept and shown by itself', async () => {
    world.service.setSwitches({ status: 'queued' });
    const channelId = room(0);
    const preview = await draft(world, `+${phone(0)} Other status`, { channel: channelId });
    await press(world, preview, 'Send');
    const text = await receiptOf(world, preview);
    world.service.setSwitches({ status: 'sent' });
    expect(text).toMatch(/^⚠️ \*Status “queued”\*/);
    expect(text).not.toMatch(/\*Sent\*/);
    expect(text).toContain('1 credit used · 98 left');
    expect(await modalOf(preview, 'Details')).toMatch(/status “queued”[\s\S]*\*Message id\*\n\d+/);
    await world.slack.waitFor(() =>
      historyOf(world, { id: channelId }).some((line) => line.includes('has the status “queued”')),
    );
  });

  it('Why? on an unknown receipt opens what is known, on each press, and for nobody who may not see it', async () => {
    const { slack } = world;
    const { guest, member } = slack.people;
    const index = cases.findIndex(({ name }) => name === 'a truncated body');
    const preview = previews[index] as Ephemeral;
    for (const _again of [1, 2]) {
      expect(await modalOf(preview, 'Why?')).toMatch(
        /Unknown, probably sent\* \(balance 100 before, 99 after\)[\s\S]*Text \d+[\s\S]*Reference `/,
      );
    }
    const forged = await modalOf(preview, 'Why?', guest.id);
    expect(forged).toMatch(/Only people who may send from this channel can see its history/);
    expect(forged).not.toMatch(/Text \d|Reference/);
    slack.leave(room(index), member.id);
    expect(await modalOf(preview, 'Why?')).toMatch(/You are not in/);
    slack.join(room(index), member.id);
  });

  it('only a person sends an unknown text again, and reads that it may arrive twice', async () => {
    const { slack } = world;
    const index = cases.findIndex(({ name }) => name === 'a truncated body');
    const preview = previews[index] as Ephemeral;
    await press(world, preview, 'Resend…');
    const again = await slack.waitFor(() =>
      slack
        .ephemerals(preview.to)
        .find((one) => one.ts !== preview.ts && textOf(one).includes(`Text ${index}`)),
    );
    expect(textOf(again)).toMatch(/may get this twice/);
    await press(world, again, 'Send');
    expect(await receiptOf(world, again)).toMatch(/^✅ \*Sent\*[\s\S]*The recipient may get both/);
    expect(mine(index)).toHaveLength(2);
    const status = await ask(world, 'status', { channel: room(index) });
    expect(status).toContain('*Unknown*\nnone');
    // A second press on the first receipt's button sends nothing.
    const spent = await slack.click({ user: preview.to, message: preview, text: 'Send', forged: true });
    expect(textOf(await spent.reply())).toMatch(/Unknown.*resent later/);
    expect(mine(index)).toHaveLength(2);
  });

  it('the receipt and the line of a text that was sent again say so, without its button', async () => {
    const index = cases.findIndex(({ name }) => name === 'a truncated body');
    const { to, ts } = previews[index] as Ephemeral;
    const now = world.slack.ephemerals(to).find((one) => one.ts === ts);
    expect(now && textOf(now)).toMatch(/You have resent it meanwhile/);
    expect(now && textOf(now)).not.toContain('[Resend');
    expect(historyOf(world, { id: room(index) }).join()).toContain('resent later');
  });

  it('its sender can resend an unknown text from /sms status, too; nobody else sees that button', async () => {
    const { slack } = world;
    const index = cases.findIndex(({ name }) => name === 'a body that stalls');
    const { to } = previews[index] as Ephemeral;
    const other = await answerTo(world, 'status', { channel: room(index), user: slack.people.admin });
    expect(textOf(other)).not.toContain('[Resend');
    const status = await answerTo(world, 'status', { channel: room(index) });
    await press(world, status as Ephemeral, 'Resend…');
    const again = await slack.waitFor(() =>
      slack.ephemerals(to).find((one) => one.ts > status.ts && textOf(one).includes(`Text ${index}`)),
    );
    expect(textOf(again)).toMatch(/may get this twice/);
    await press(world, again, 'Cancel');
    expect(mine(index)).toHaveLength(1);
  });

  it('an unknown text that somebody leaves is off the list; its receipt keeps its buttons', async () => {
    const { slack } = world;
    const index = cases.findIndex(({ name }) => name === 'HTML of a proxy, not processed');
    const preview = previews[index] as Ephemeral;
    const where = { channel: room(index), user: slack.people.admin };
    const status = await answerTo(world, 'status', where);
    await slack.click({ user: slack.people.admin, message: status, text: 'Leave it' });
    await slack.waitFor(() => {
      const now = slack.ephemerals(slack.people.admin.id).find(({ ts }) => ts === status.ts);
      return now && textOf(now).includes('*Unknown*\nnone');
    });
    const now = slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
    expect(now && textOf(now)).toMatch(/\[It arrived\].*\[Resend…\]/s);
    expect(await modalOf(preview, 'Why?')).toContain('left by <@U0ADMIN001>');
    expect(mine(index)).toHaveLength(1);
  });

  it('everybody who may send from the channel can say that an unknown text arrived: receipt and line say so, once', async () => {
    const { slack } = world;
    const index = cases.findIndex(({ name }) => name === 'a body that stalls');
    const preview = previews[index] as Ephemeral;
    const where = { channel: room(index), user: slack.people.admin };
    const status = await answerTo(world, 'status', where);
    expect(textOf(status)).toMatch(/1 text needs a decision[\s\S]*\[It arrived\]/);
    await slack.click({ user: slack.people.admin, message: status, text: 'It arrived' });
    const receipt = await slack.waitFor(() => {
      const now = slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
      return now && textOf(now).includes('said by') ? textOf(now) : undefined;
    });
    expect(receipt).toMatch(/^✅ \*Sent\* \(said by <@U0ADMIN001>\) · text to/);
    expect(receipt).not.toMatch(/\[It arrived\]|\[Resend/);
    await slack.waitFor(() =>
      historyOf(world, { id: room(index) })
        .join()
        .includes('sent (said by <@U0ADMIN001>)'),
    );
    await slack.waitFor(() => {
      const now = slack.ephemerals(slack.people.admin.id).find(({ ts }) => ts === status.ts);
      return now && textOf(now).includes('*Unknown*\nnone');
    });
    expect(await ask(world, 'history', where)).toContain('sent (somebody said so)');
    const late = await slack.click({ user: preview.to, message: preview, text: 'Send', forged: true });
    expect(textOf(await late.reply())).toContain('sent (said by <@U0ADMIN001>)');
    expect(mine(index)).toHaveLength(1);
  });

  it('a balance that cannot be read delays no draft, which says so', async () => {
    const { service, slack } = world;
    const where = { channel: room(0) };
    const silent = /^⚠️ \*The service did not answer as it should\.\*[\s\S]*\*Balance\*\n98 credits/;
    for (const kind of ['hang', 'bad_gateway'] as const) {
      service.addFault({ kind, endpoint: 'balance', times: 'always' });
      const balance = await answerTo(world, 'balance', where);
      expect(textOf(balance)).toMatch(/cannot be read right now[\s\S]*Last known: \*98 credits\*/);
      expect(await ask(world, 'status', where)).toMatch(silent);
      service.clearFaults();
    }
    expect(await ask(world, 'status', where)).not.toContain('did not answer');
    expect(slack.failures).toEqual([]);
    expect(slack.warnings).toEqual([]);
  });

  it('an unknown text with an unreadable stored number is not resent: the form opens to correct it', async () => {
    const { slack } = world;
    const index = cases.findIndex(({ name }) => name === 'reset after it was charged');
    const preview = previews[index] as Ephemeral;
    // An older version may have stored this.
    await world.stop();
    const db = new DatabaseSync(join(world.dataDir, 'switchboard.db'));
    const older = phone(index).replace(/^44/, '+4400');
    db.prepare(
      `UPDATE d_sends SET value = json_set(value, '$.record.details.e164', ?)
        WHERE value ->> '$.record.details.e164' = ?`,
    ).run(older, `+${phone(index)}`);
    db.close();
    await world.start();

    const click = await press(world, preview, 'Resend…');
    const answer = await click.reply();
    expect(textOf(answer)).toMatch(/number of this text is not right.*extra 0/);
    expect(textOf(answer)).toContain('the recipient may get both');
    const opened = await slack.click({ user: preview.to, message: answer, text: 'Open the form' });
    const form = await formOf(slack, opened);
    expect(JSON.stringify(form)).toContain(older);
    expect(mine(index)).toHaveLength(1);
  });
});
