import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from 'slack-playground';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import { ACME_KEY, ask, draft, link, loaded, openModal, press, receiptOf } from '../helpers/world-steps.ts';

const NUMBER = '+442079460958';
const OTHER = '+442079460959';

let world: World;

const bytes = () =>
  readdirSync(world.dataDir)
    .filter((name) => name.startsWith('switchboard.db'))
    .map((name) => readFileSync(join(world.dataDir, name), 'latin1'))
    .join('');

beforeAll(async () => {
  world = await createWorld();
  await world.start();
  await link(world);
  for (const words of [`${NUMBER} Zanzibar`, `${OTHER} Wombat`]) {
    const preview = await draft(world, words);
    await press(world, preview, 'Send');
    await receiptOf(world, preview);
  }
  const list = `${NUMBER}, Ana\n${OTHER}, Ben`;
  const preview = await draftBulk(world, { recipients: list, message: 'Hello {2}' });
  await confirmBulk(world, preview);
  await cardSaying(world, /Finished/);
  await ask(world, `optout ${NUMBER} Yeti`);
});
afterAll(() => world?.close());

it('export writes all that is kept of a workspace as lines of JSON, and no key', async () => {
  const { code, stdout } = await world.runAdmin(['export']);
  expect(code).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const kinds = new Set(lines.map(({ kind }) => kind));
  const ofRecords = ['workspace', 'link', 'instance'];
  const ofLedger = ['sends', 'chunks', 'texts', 'spending', 'budgets', 'outbox', 'account-days', 'opt-outs'];
  for (const kind of [...ofRecords, ...ofLedger]) expect([...kinds]).toContain(kind);
  for (const word of ['Zanzibar', 'Wombat', 'Hello Ana', NUMBER.slice(1), 'Yeti'])
    expect(stdout).toContain(word);
  expect(stdout).not.toMatch(/sealedKey|sealedTokens|keyFingerprint/);
  expect(stdout).not.toContain(ACME_KEY);
});

it('erase deletes every trace of one number, also from the files and the look-up, and says how many', async () => {
  const told = () => ask(world, `history ${NUMBER}`, { user: world.slack.people.admin });
  expect(await told()).toContain('2 messages');
  const wrong = await world.runAdmin(['erase', '--phone', '020 7946 0958']);
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('Nothing was erased');
  const { code, stdout, stderr } = await world.runAdmin(['erase', '--phone', NUMBER]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('Texts and list entries erased: 2 · messages in the look-up erased: 2.');
  expect(stdout).toContain(
    'stays opted out in 1 workspace, so that nobody texts it. Only its keyed hash is kept',
  );
  expect(await ask(world, `send ${NUMBER} Hi`)).toContain('is opted out');
  expect(await ask(world, 'optouts')).toContain('• erased');
  expect(await told()).toContain('no message');
  await world.stop();
  for (const word of [NUMBER.slice(1), '7946 0958', 'Zanzibar', 'Hello Ana'])
    expect(bytes(), word).not.toContain(word);
  for (const word of [OTHER.slice(1), 'Wombat', 'Hello Ben']) expect(bytes(), word).toContain(word);
});

it('a send that is not over is not erased, and the command says so', async () => {
  await world.start();
  const { slack } = world;
  const user = slack.people.member;
  const asked = { user, channel: slack.channels.sales, text: `optin ${NUMBER}` };
  const form = await loaded(slack, await openModal(slack, asked));
  await slack.submitView({ user, view: form, values: { Why: 'Asked again' } });
  await draft(world, `${NUMBER} Quokka`);
  const { stdout } = await world.runAdmin(['erase', '--phone', NUMBER]);
  expect(stdout).toContain('Not erased: 1.');
  expect(bytes()).toContain('Quokka');
});

it('a rejected number that was erased is not called none', async () => {
  const { slack, service } = world;
  const recipients = '+447700900555';
  const body = JSON.stringify({
    success: false,
    error: { code: 'VALIDATION_ERROR', message: 'No such number' },
  });
  service.addFault({ kind: 'answer', endpoint: 'send', when: 'before', status: 422, body });
  await confirmBulk(world, await draftBulk(world, { recipients, message: 'Capybara' }));
  const card = await cardSaying(world, /Try the rejected again/);
  await world.runAdmin(['erase', '--phone', recipients]);
  const click = await slack.click({
    user: slack.people.member,
    message: card,
    text: 'Try the rejected again',
  });
  expect(textOf(await click.reply())).toContain('were deleted, so there is nothing to try again');
});
