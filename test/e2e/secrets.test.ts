import { textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../local/free-port.ts';
import { openListForm, submitList, wrongIn } from '../helpers/bulk-steps.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import {
  ACME_KEY,
  answerTo,
  ask,
  BIRCH_KEY,
  draft,
  eventually,
  formOf,
  historyOf,
  link,
  press,
  receiptOf,
  rows,
  sendText,
} from '../helpers/world-steps.ts';

const NEW_KEY = 'sandbox-key-acme-new-0003';
const WRONG_KEY = 'wrong-key-of-somebody-7777';
const TEXTS = [
  'Zanzibar kept this',
  'Quokka refused this',
  'Axolotl unknown this',
  'Wombat typed this',
  'Ocelot edits',
  'Narwhal pasted this',
  'Pangolin filed this',
  'Marmot',
  'Zebrafish',
];
const NUMBERS = ['+44 20 7946 0901', '+442079460902', '+442079460903', '+49 30 901820', '(020) 7946 0905'];

/** A day with everything in it, with the most detailed log. Afterwards the test searches all messages and lines. */
describe('what must stay where it is', () => {
  let world: World;
  let metricsPort: number;
  let metrics = '';

  beforeAll(async () => {
    metricsPort = await freePort();
    world = await createWorld({ env: { LOG_LEVEL: 'debug', METRICS_PORT: String(metricsPort) } });
    await world.start();
    const { slack, service } = world;
    const { admin, member, colleague, guest } = slack.people;
    const { sales } = slack.channels;

    const command = await slack.command({ user: admin, channel: sales, text: 'link' });
    const form = await formOf(slack, command);
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
    const edit = await formOf(slack, await press(world, preview, 'Edit'));
    await slack.submitView({ user: member, view: edit, values: { Message: TEXTS[4] ?? '' } });
    await slack.click({ user: colleague, message: preview, text: 'Send', forged: true });

    await lists(world);
    await replaceKey(world);

    // Now Slack and the store are in trouble, while all of that is under way.
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
    metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    await world.kill();
    await world.start();
    await ask(world, 'balance');
    await world.stop();
  });
  afterAll(() => world.close());

  for (const key of [ACME_KEY, BIRCH_KEY, NEW_KEY, WRONG_KEY]) {
    it(`the key …${key.slice(-4)} is in no Slack payload, log or plain byte of the data folder`, () => {
      expect(JSON.stringify(world.slack.calls)).not.toContain(key);
      expect(world.output()).not.toContain(key);
      expect(metrics).not.toContain(key);
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
      expect(metrics).not.toContain(secret);
      expect(world.dataBytes()).not.toContain(secret);
    }
  });

  it('no text and no full phone number is in the log or the metrics', () => {
    expect(world.output().length).toBeGreaterThan(1000);
    expect(metrics).toContain('switchboard_messages_total{outcome="unknown"}');
    for (const log of [world.output(), metrics]) {
      for (const text of TEXTS) expect(log).not.toContain(text.split(' ')[0]);
      expect(log).not.toMatch(/44\W*20\W*7946|020\W*7946|49\W*30\W*9018/);
      expect(log).not.toMatch(/response\/|files-pri|upload\//);
    }
  });

  it('texts and numbers stand in the database as they are: who has it can read them', () => {
    const bytes = world.dataBytes();
    for (const word of ['Zanzibar', 'Narwhal', 'Pangolin', '442079460901', '442079460911']) {
      expect(bytes).toContain(word);
    }
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

  it('nothing that everybody in a channel sees holds a text or a full phone number', () => {
    const { channels } = world.slack;
    const everybody = [channels.sales, channels.leads, channels.partners].flatMap((one) =>
      historyOf(world, one),
    );
    expect(everybody.length).toBeGreaterThan(4);
    // A job's card names its list's file and its results, and repeats nothing else that somebody wrote.
    const said = everybody
      .join('\n')
      .replaceAll(/\* (?:· )?Zebrafish\.csv/g, '')
      .replaceAll('`Zebrafish-results.csv`', '');
    expect(said.length).toBeLessThan(everybody.join('\n').length);
    for (const text of [...TEXTS.map((one) => one.split(' ')[0] ?? ''), '7946', '442079']) {
      expect(said).not.toContain(text);
    }
  });

  it('buttons carry no key, and metadata no number or text', () => {
    const metadata = world.slack.calls
      .map(({ args }) => (args.view as { private_metadata?: string } | undefined)?.private_metadata ?? '')
      .join();
    expect(metadata).toContain('C0SALES001');
    expect(metadata).not.toMatch(/20 ?7946|Wombat|Ocelot/);
  });

  it('every payload is valid Block Kit with a text', () => {
    expect(world.slack.failures).toEqual([]);
    expect(world.slack.warnings).toEqual([]);
    const posts = world.slack.calls.filter(({ method }) => /response_url|chat\./.test(method));
    for (const { args } of posts) expect(String(args.text ?? '').trim(), JSON.stringify(args)).not.toBe('');
    const said = posts.map(({ args }) => JSON.stringify(args)).join();
    expect(said).not.toMatch(/undefined|NaN|\[object|ECONNRE|at Object\.|<h1>/);
  });

  it('its sender sees the whole receipt', async () => {
    const { slack } = world;
    const own = slack.ephemerals(slack.people.member.id).map(textOf);
    expect(own.join('\n')).toContain('*Sent* to +44 20 7946 0901 · ');
    const unknown = slack.ephemerals(slack.people.member.id).find((one) => textOf(one).includes('Axolotl'));
    expect(unknown && (await receiptOf(world, unknown))).toContain('Unknown');
  });
});

/** Lists, pasted and as a file: refused in part, unknown, edited, cancelled, with faults on the way. */
async function lists(world: World): Promise<void> {
  const { slack, service } = world;
  const [, , , , , pasted = '', filed = ''] = TEXTS;
  const recipients = 'phone,name\n+442079460911,Marmot\n+442079460912,Marmot\n+442079460,Marmot\n';
  service.addFault({
    kind: 'answer',
    endpoint: 'bulk',
    when: 'before',
    status: 422,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      success: false,
      error: { code: 'VALIDATION_ERROR', message: `442079460911 may not read: ${pasted}` },
    }),
  });
  await confirmBulk(world, await draftBulk(world, { recipients, message: `${pasted}, {name}` }));
  await cardSaying(world, /Finished/);

  const form = await openListForm(world);
  const file = { name: 'Zebrafish.csv', bytes: recipients };
  const misspelt = await submitList(world, form, { Message: `${filed} {nmae}` }, { file });
  await wrongIn(world, form, misspelt);
  slack.fault({ method: 'url_private', fault: { kind: 'refused', error: 'missing_scope' } });
  await submitList(world, form, { Message: `${filed} {name}` });
  slack.fault({ method: 'upload_url', fault: { kind: 'refused', error: 'no_such_place' } });
  service.addFault({ kind: 'reset', endpoint: 'bulk' });
  await confirmBulk(world, await draftBulk(world, { file, message: `${filed}, {name}` }));
  const ended = () => slack.history(slack.channels.sales.id).filter((one) => /Finished/.test(textOf(one)));
  await eventually(() => ended().length === 2);

  const cancelled = await draftBulk(world, { recipients, message: pasted });
  await press(world, cancelled, 'Edit');
  await press(world, cancelled, 'Cancel');
}

/** An admin replaces the key of #sales's instance with another key of the same account. */
async function replaceKey({ slack, service }: World): Promise<void> {
  const { admin } = slack.people;
  const { sales } = slack.channels;
  const { user_id } = service.state().accounts[0] ?? { user_id: 0 };
  service.addKey({ name: 'Acme, new', key: NEW_KEY, user_id });
  const command = await slack.command({ user: admin, channel: sales, text: 'settings' });
  const click = await slack.clickInView({
    user: admin,
    view: await formOf(slack, command),
    text: 'Replace key',
  });
  const form = await formOf(slack, click);
  await slack.submitView({ user: admin, view: form, values: { 'API key': WRONG_KEY } });
  await slack.submitView({ user: admin, view: form, values: { 'API key': NEW_KEY } });
  const done = await slack.waitFor(() => slack.view(form.view.id));
  if (!/Replaced/.test(textOf(done))) throw new Error(`the key was not replaced: ${textOf(done)}`);
}
