import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readManifest } from '../src/manifest.ts';
import type { Playground } from '../src/server.ts';
import type { Json } from '../src/types.ts';
import { startHttpBot, startPlayground } from './helpers/slack-bot.ts';

const MANIFEST = `
features:
  shortcuts:
    - name: Write
      type: global
      callback_id: write
      description: Write something
    - name: Repeat this
      type: message
      callback_id: repeat
      description: Say it again
`;

let slack: Playground;
let stop: () => Promise<unknown>;
const heard: Json[] = [];

beforeEach(async () => {
  heard.length = 0;
  const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
  const file = join(folder, 'manifest.yml');
  writeFileSync(file, MANIFEST);
  slack = await startPlayground({ manifest: readManifest(file) });
  rmSync(folder, { recursive: true });
  ({ stop } = await startHttpBot(slack, (app) => {
    app.shortcut(/.*/, async ({ ack, body }) => {
      heard.push({ ...body });
      await ack();
    });
  }));
});
afterEach(async () => {
  await stop();
  await slack.close();
});

test('a global shortcut has the person and a trigger, and no channel', async () => {
  const { member } = slack.people;
  expect(await slack.shortcut({ user: member, callback_id: 'write' })).toMatchObject({ status: 200 });
  expect(heard).toMatchObject([
    {
      type: 'shortcut',
      callback_id: 'write',
      trigger_id: expect.any(String),
      user: { id: member.id },
      team: { id: slack.team.id },
    },
  ]);
  expect(heard[0]).not.toHaveProperty('channel');
  expect(heard[0]).not.toHaveProperty('response_url');
});

test('one on a message has the whole message, with its files and its thread', async () => {
  const { member, colleague } = slack.people;
  const { sales } = slack.channels;
  const root = slack.say({ user: colleague, channel: sales, text: 'Hello' });
  const reply = slack.say({
    user: colleague,
    channel: sales,
    text: 'The list',
    thread_ts: root.ts,
    files: [{ name: 'list.csv', bytes: 'number\n+441' }],
  });
  await slack.messageShortcut({ user: member, message: reply, callback_id: 'repeat' });
  expect(heard).toMatchObject([
    {
      type: 'message_action',
      callback_id: 'repeat',
      trigger_id: expect.any(String),
      response_url: expect.stringContaining('http'),
      channel: { id: sales.id },
      message_ts: reply.ts,
      message: {
        type: 'message',
        user: colleague.id,
        text: 'The list',
        ts: reply.ts,
        thread_ts: root.ts,
        files: [{ name: 'list.csv', filetype: 'csv', url_private_download: expect.any(String) }],
      },
    },
  ]);
});

test('nobody has a shortcut that is not in the manifest, or on a message that they do not see', async () => {
  const { member, guest, outsider } = slack.people;
  const message = slack.say({ user: member, channel: slack.channels.sales, text: 'Hello' });
  await expect(slack.shortcut({ user: member, callback_id: 'repeat' })).rejects.toThrow('no global shortcut');
  await expect(slack.shortcut({ user: outsider, callback_id: 'write' })).rejects.toThrow('another workspace');
  const on = { message, callback_id: 'repeat' };
  await expect(slack.messageShortcut({ user: guest, ...on })).rejects.toThrow('does not see');
  const once = { ...on, callback_id: 'write' };
  await expect(slack.messageShortcut({ user: member, ...once })).rejects.toThrow('no message shortcut');
  expect(await slack.shortcut({ user: member, callback_id: 'older', forged: true })).toMatchObject({
    status: 200,
  });
});
