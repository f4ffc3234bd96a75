import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/playground/render.ts';
import { createWorld, type World } from '../helpers/world.ts';
import {
  ACME_KEY,
  answerTo,
  ask,
  BIRCH_KEY,
  draft,
  eventually,
  historyOf,
  link,
  press,
  receiptOf,
  rows,
  sendText,
} from '../helpers/world-steps.ts';

const WRONG_KEY = 'wrong-key-of-somebody-7777';
const TEXTS = [
  'Zanzibar kept this',
  'Quokka refused this',
  'Axolotl unknown this',
  'Wombat typed this',
  'Ocelot edits',
];
const NUMBERS = ['+44 20 7946 0901', '+442079460902', '+442079460903', '+49 30 901820', '(020) 7946 0905'];

/** One day with everything in it, at the most talkative log level; then what was said to whom is searched. */
describe('what must stay where it is', () => {
  let world: World;

  beforeAll(async () => {
    world = await createWorld({ env: { LOG_LEVEL: 'debug' } });
    await world.start();
    const { slack, service } = world;
    const { admin, member, colleague, guest } = slack.people;
    const { sales } = slack.channels;

    const command = await slack.command({ user: admin, channel: sales, text: 'link' });
    const form = await command.view();
    await slack.submitView({
      user: admin,
      view: form,
      values: { 'Instance name': 'Acme', 'API key': WRONG_KEY },
    });
    await slack.submitView({ user: admin, view: form, values: { 'API key': ` ${ACME_KEY} \n` } });
    await link(world, { channel: slack.channels.leads, key: BIRCH_KEY, name: 'Birch' });
    await ask(world, `link ${WRONG_KEY}`, { user: admin });
    await ask(world, `${WRONG_KEY} is my key`, { user: admin });

    await sendText(world, `${NUMBERS[0]} ${TEXTS[0]}`);
    service.addFault({
      kind: 'answer',
      endpoint: 'send',
      when: 'before',
      status: 422,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        success: false,
        error: { code: 'VALIDATION_ERROR', message: `The phone 442079460902 is blocked: ${TEXTS[1]}` },
      }),
    });
    await sendText(world, `${NUMBERS[1]} ${TEXTS[1]}`);
    service.addFault({ kind: 'reset', endpoint: 'send' });
    await sendText(world, `${NUMBERS[2]} ${TEXTS[2]}`);
    service.addFault({ kind: 'key_revoked', endpoint: 'send' });
    await sendText(world, `${NUMBERS[2]} ${TEXTS[2]}`, { channel: slack.channels.leads });
    await ask(world, `send ${NUMBERS[4]} ${TEXTS[3]}`);
    await ask(world, `send ${NUMBERS[3]} 15 ${TEXTS[3]}`);
    await ask(world, `send ${NUMBERS[1]} ${TEXTS[3]} ${'x'.repeat(1000)}`);
    const preview = await draft(world, `${NUMBERS[1]} ${TEXTS[3]}`);
    const edit = await (await press(world, preview, 'Edit')).view();
    await slack.submitView({ user: member, view: edit, values: { Message: TEXTS[4] ?? '' } });
    await slack.click({ user: colleague, message: preview, text: 'Send', forged: true });

    // Slack and the store in trouble, with all of that in hand.
    slack.fault({ method: 'chat.postMessage', fault: { kind: 'server_error' } });
    slack.fault({ method: 'response_url', fault: { kind: 'lost_answer' } });
    slack.fault({ method: 'users.info', fault: { kind: 'refused', error: 'fatal_error' } });
    slack.fault({ method: 'views.open', fault: { kind: 'refused', error: 'internal_error' } });
    await slack.command({
      user: guest,
      channel: slack.channels.partners,
      text: `send ${NUMBERS[1]} ${TEXTS[3]}`,
    });
    await slack.command({ user: member, channel: sales, text: 'send' });
    await sendText(world, `${NUMBERS[0]} ${TEXTS[0]}`);
    await slack.command(
      { user: member, channel: sales, text: `send ${NUMBERS[1]} ${TEXTS[3]}` },
      { signature: 'wrong' },
    );
    await slack.command(
      { user: member, channel: sales, text: `send ${NUMBERS[1]} ${TEXTS[3]}` },
      { tamper: (body) => body.slice(0, -10) },
    );
    await ask(world, 'status');
    await answerTo(world, 'balance');
    await world.runAdmin(['status']);
    await world.runAdmin(['list-unknown']);
    await eventually(() => rows(world, "SELECT * FROM outbox WHERE state <> 'posted'").length === 0);
    await world.kill();
    await world.start();
    await ask(world, 'balance');
    await world.stop();
  }, 60_000);
  afterAll(() => world.close());

  for (const key of [ACME_KEY, BIRCH_KEY, WRONG_KEY]) {
    it(`the key …${key.slice(-4)} is in no Slack payload, log or plain byte of the data folder`, () => {
      expect(JSON.stringify(world.slack.calls)).not.toContain(key);
      expect(world.output()).not.toContain(key);
      for (const form of [key, Buffer.from(key).toString('base64'), Buffer.from(key).toString('hex')]) {
        expect(world.dataBytes(), form).not.toContain(form);
      }
    });
  }

  it('no token, secret or encryption key is in a payload, the log or the data folder', () => {
    const { SLACK_BOT_TOKEN, ENCRYPTION_KEY } = world.environment;
    for (const secret of [SLACK_BOT_TOKEN, ENCRYPTION_KEY, world.signingSecret] as string[]) {
      expect(JSON.stringify(world.slack.calls)).not.toContain(secret);
      expect(world.output()).not.toContain(secret);
      expect(world.dataBytes()).not.toContain(secret);
    }
  });

  it('no text and no whole number is in the log', () => {
    const log = world.output();
    expect(log.length).toBeGreaterThan(1000);
    for (const text of TEXTS) expect(log).not.toContain(text.split(' ')[0]);
    expect(log).not.toMatch(/44\W*20\W*7946|020\W*7946|49\W*30\W*9018/);
    expect(log).not.toContain('response/');
  });

  it('each line of the log is JSON with a time, a level and a sentence', () => {
    for (const line of world.output().trim().split('\n')) {
      expect(JSON.parse(line), line).toEqual(
        expect.objectContaining({
          level: expect.any(Number),
          time: expect.any(String),
          msg: expect.any(String),
        }),
      );
    }
  });

  it('nothing that everybody in a channel sees holds a text or a whole number', () => {
    const { channels } = world.slack;
    const everybody = [channels.sales, channels.leads, channels.partners].flatMap((one) =>
      historyOf(world, one),
    );
    expect(everybody.length).toBeGreaterThan(4);
    for (const text of [...TEXTS.map((one) => one.split(' ')[0] ?? ''), '7946', '442079']) {
      expect(everybody.join('\n')).not.toContain(text);
    }
  });

  it('buttons carry no key, and metadata no number or text', () => {
    const metadata = world.slack.calls
      .map(({ args }) => (args.view as { private_metadata?: string } | undefined)?.private_metadata ?? '')
      .join();
    expect(metadata).toContain('C0SALES001');
    expect(metadata).not.toMatch(/7946|Wombat|Ocelot/);
  });

  it('every payload is valid Block Kit with a text', () => {
    expect(world.slack.failures).toEqual([]);
    expect(world.slack.warnings).toEqual([]);
    const posts = world.slack.calls.filter(({ method }) => /response_url|chat\./.test(method));
    for (const { args } of posts) expect(String(args.text ?? '').trim(), JSON.stringify(args)).not.toBe('');
    const said = posts.map(({ args }) => JSON.stringify(args)).join();
    expect(said).not.toMatch(/undefined|NaN|\[object|ECONNRE|at Object\.|<h1>/);
  });

  it('the receipt is whole for the one who sent it', async () => {
    const { slack } = world;
    const own = slack.ephemerals(slack.people.member.id).map(textOf);
    expect(own.join('\n')).toContain('+44 20 7946 0901 · United Kingdom');
    const unknown = slack.ephemerals(slack.people.member.id).find((one) => textOf(one).includes('Axolotl'));
    expect(unknown && (await receiptOf(world, unknown))).toContain('Unknown');
  });
});
