import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_ATTACHED_BYTES } from '../src/people-with-files.ts';
import { textOf } from '../src/render.ts';
import type { Playground } from '../src/server.ts';
import { KEPT_FILES } from '../src/snapshot.ts';
import type { Json, OpenView } from '../src/types.ts';
import { SECRETS, startHttpBot, startPlayground, webClientOf } from './helpers/slack-bot.ts';

const CSV = 'number,text\n+442079460958,"Hello, Zoë"\n';
const LENGTH = Buffer.byteLength(CSV);

let slack: Playground;
let web: WebClient;

function client(): WebClient {
  return webClientOf(slack);
}

beforeEach(async () => {
  slack = await startPlayground();
  web = client();
});
afterEach(() => slack.close());

/** The error code of a refused call. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const failed = await call.then(
    () => {
      throw new Error('Slack did not refuse.');
    },
    (error) => error,
  );
  return failed.data?.error ?? String(failed);
}

function uploaded(channel: string, more: object = {}) {
  return web.filesUploadV2({ channel_id: channel, filename: 'report.csv', content: CSV, ...more });
}

/** Does the first two steps of an upload. Resolves with the id for the third. */
async function posted(content = CSV, name = 'report.csv'): Promise<string> {
  const length = Buffer.byteLength(content);
  const { upload_url, file_id } = await web.files.getUploadURLExternal({ filename: name, length });
  const answer = await fetch(String(upload_url), { method: 'POST', body: content });
  expect(await answer.text()).toBe(`OK - ${length}`);
  return String(file_id);
}

async function complete(id: string, args: object = {}): Promise<{ files: Json[] }> {
  const given = { files: [{ id }], ...args };
  return (await web.apiCall('files.completeUploadExternal', given)) as unknown as { files: Json[] };
}

const download = (url: unknown, token = SECRETS.botToken, redirect: 'follow' | 'manual' = 'manual') =>
  fetch(String(url), { headers: { authorization: `Bearer ${token}` }, redirect });

describe('an upload', () => {
  it('by filesUploadV2 is a message with the file, and the file can be downloaded', async () => {
    const { sales } = slack.channels;
    await uploaded(sales.id, { title: 'The report', initial_comment: 'All 2 of 2' });
    const [message] = slack.history(sales.id);
    expect(message).toMatchObject({
      user: slack.bot.user_id,
      text: 'All 2 of 2',
      files: [
        {
          name: 'report.csv',
          title: 'The report',
          filetype: 'csv',
          mimetype: 'text/csv',
          size: LENGTH,
          user: slack.bot.user_id,
        },
      ],
    });
    expect(message && textOf(message)).toBe('All 2 of 2\n(report.csv)');
    const { file } = await web.files.info({ file: String(message?.files?.[0]?.id) });
    expect(file).toMatchObject({
      channels: [sales.id],
      groups: [],
      ims: [],
      is_public: true,
      mode: 'snippet',
    });
    const answer = await download(file?.url_private_download);
    expect(await answer.text()).toBe(CSV);
    expect(answer.headers.get('content-type')).toBe('text/csv');
    expect(answer.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''report.csv");
    expect(await (await download(file?.url_private)).text()).toBe(CSV);
  });

  it('keeps what a picture shows, in 1000 characters at most', async () => {
    const asked = (alt_txt: string) => ({ filename: 'a.png', length: 1, alt_txt });
    const { upload_url, file_id } = await web.files.getUploadURLExternal(asked('A chart that falls'));
    await fetch(String(upload_url), { method: 'POST', body: 'x' });
    await complete(String(file_id));
    const { file } = await web.files.info({ file: String(file_id) });
    expect(file).toMatchObject({ alt_txt: 'A chart that falls' });
    const tooLong = web.files.getUploadURLExternal(asked('a'.repeat(1001)));
    expect(await refusal(tooLong)).toBe('alt_txt_too_large');
  });

  it('of two files is one message', async () => {
    const file_uploads = [
      { filename: 'one.txt', content: 'One' },
      { filename: 'two.bin', file: Buffer.from([0, 255, 13, 10]) },
    ];
    await web.filesUploadV2({ channel_id: slack.channels.sales.id, file_uploads });
    const said = slack.history(slack.channels.sales.id);
    expect(said.map(({ files }) => files?.map(({ name }) => name))).toEqual([['one.txt', 'two.bin']]);
    const [, second] = said[0]?.files ?? [];
    expect([...(slack.fileBytes(String(second?.id)) ?? [])]).toEqual([0, 255, 13, 10]);
  });

  it('takes bare bytes as well, and answers with the whole file', async () => {
    const { leads } = slack.channels;
    const id = await posted();
    const { files } = await complete(id, { channels: leads.id });
    expect(files).toMatchObject([
      { id, title: 'report.csv', channels: [], groups: [leads.id], is_public: false },
    ]);
    expect(slack.history(leads.id)).toHaveLength(1);
  });

  it('goes to a direct message by its id; a person’s id is refused', async () => {
    const { member } = slack.people;
    const dm = slack.directMessage(member.id);
    await complete(await posted(), { channel_id: dm.id });
    expect(slack.history(dm.id)).toHaveLength(1);
    expect(await refusal(complete(await posted(), { channel_id: member.id }))).toBe('invalid_channel');
  });

  it('may have blocks beside it; a comment makes Slack ignore them', async () => {
    const { sales } = slack.channels;
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'The *report*' } }];
    await complete(await posted(), { channel_id: sales.id, blocks });
    await complete(await posted(), { channel_id: sales.id, blocks, initial_comment: 'Words' });
    expect(slack.history(sales.id).map(textOf)).toEqual([
      'The *report*\n(report.csv)',
      'Words\n(report.csv)',
    ]);
    const bad = complete(await posted(), { channel_id: sales.id, blocks: [{ type: 'none' }] });
    expect(await refusal(bad)).toBe('invalid_blocks');
    expect(slack.warnings).toEqual([]);
  });

  it('of an unknown type is binary', async () => {
    const id = await posted('x', 'notes.constructor');
    expect((await complete(id)).files).toMatchObject([{ filetype: 'binary' }]);
  });

  it('without a conversation makes no message', async () => {
    const { files } = await complete(await posted());
    expect(slack.conversations().flatMap(({ id }) => slack.history(id))).toEqual([]);
    expect((await web.files.info({ file: String(files[0]?.id) })).file?.channels).toEqual([]);
  });

  it('is refused in a channel without the bot, and can still be completed', async () => {
    const { support, duet, sales } = slack.channels;
    const id = await posted();
    expect(await refusal(complete(id, { channel_id: support.id }))).toBe('not_in_channel');
    expect(await refusal(complete(id, { channel_id: duet.id }))).toBe('channel_not_found');
    expect(await refusal(complete(id, { channel_id: 'C0NOWHERE1' }))).toBe('channel_not_found');
    await complete(id, { channel_id: sales.id });
    expect(await refusal(complete(id, { channel_id: sales.id }))).toBe('file_not_found');
    expect(slack.history(sales.id)).toHaveLength(1);
  });

  it('becomes a file only when its bytes have come and the app completes it', async () => {
    const { upload_url, file_id } = await web.files.getUploadURLExternal({ filename: 'a.csv', length: 3 });
    const file = String(file_id);
    expect(await refusal(complete(file))).toBe('file_not_found');
    const post = (url: unknown, body: string) => fetch(String(url), { method: 'POST', body });
    expect((await post(upload_url, 'too long')).status).toBe(400);
    expect((await post(`${upload_url}0`, 'abc')).status).toBe(404);
    expect((await post(upload_url, 'abc')).status).toBe(200);
    expect((await post(upload_url, 'abc')).status).toBe(404);
    expect(await refusal(web.files.info({ file }))).toBe('file_not_found');
    await complete(file);
    expect((await web.files.info({ file })).file?.size).toBe(3);
  });

  it('needs a name, a length and a list of files', async () => {
    const url = (args: object) => refusal(web.apiCall('files.getUploadURLExternal', { ...args }));
    expect(await url({ length: 3 })).toBe('invalid_arguments');
    expect(await url({ filename: 'a.csv', length: 0 })).toBe('invalid_arguments');
    expect(await url({ filename: 'a.csv', length: 2_000_000_000 })).toBe('file_upload_size_restricted');
    for (const files of [[], '[', 'F1', undefined]) {
      expect(await refusal(web.apiCall('files.completeUploadExternal', { files }))).toBe('invalid_arguments');
    }
  });

  it('is in the records with its three steps, without its bytes', async () => {
    await uploaded(slack.channels.sales.id);
    expect(slack.calls.map(({ method, status }) => [method, status])).toEqual([
      ['files.getUploadURLExternal', 200],
      ['upload_url', 200],
      ['files.completeUploadExternal', 200],
    ]);
    expect(JSON.stringify(slack.calls)).not.toContain('Zoë');
  });
});

describe('a download', () => {
  let url: string;
  beforeEach(async () => {
    const { files } = await complete(await posted());
    url = String(files[0]?.url_private_download);
  });

  it('without the bot’s token is redirected to the sign-in page', async () => {
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(302);
    const page = await download(url, 'xoxb-other', 'follow');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await page.text()).not.toContain('number');
  });

  it('of a file that does not exist answers 404', async () => {
    expect((await download(url.replace(/-F\w+/, '-F0NOTHING00'))).status).toBe(404);
  });

  it('can go wrong like any call', async () => {
    slack.fault({ method: 'url_private', fault: { kind: 'refused', error: 'missing_scope' } });
    slack.fault({ method: 'url_private', fault: { kind: 'server_error' } });
    slack.fault({ method: 'url_private', fault: { kind: 'rate_limited', retryAfter: 7 } });
    slack.fault({ method: 'url_private', fault: { kind: 'lost_answer' } });
    expect((await download(url)).status).toBe(302);
    expect((await download(url)).status).toBe(500);
    const limited = await download(url);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    await expect(download(url)).rejects.toThrow();
    expect(await (await download(url)).text()).toBe(CSV);
  });
});

it('an upload can go wrong at each step', async () => {
  const { sales } = slack.channels;
  slack.fault({ method: 'files.getUploadURLExternal', fault: { kind: 'rate_limited', retryAfter: 7 } });
  await expect(uploaded(sales.id)).rejects.toMatchObject({ retryAfter: 7 });
  slack.fault({ method: 'upload_url', fault: { kind: 'refused', error: 'upload_failed' } });
  await expect(uploaded(sales.id)).rejects.toMatchObject({ statusCode: 400 });
  slack.fault({ method: 'files.completeUploadExternal', fault: { kind: 'lost_answer' } });
  await expect(uploaded(sales.id)).rejects.toThrow();
  expect(slack.history(sales.id)).toHaveLength(1);
});

describe('a file_input', () => {
  const element = { type: 'file_input', action_id: 'roster', filetypes: ['csv', 'txt'], max_files: 2 };
  const input = {
    type: 'input',
    block_id: 'numbers',
    label: { type: 'plain_text', text: 'Numbers' },
    element,
  };
  const form = (blocks: Json[] = [input]) => ({
    type: 'modal' as const,
    title: { type: 'plain_text' as const, text: 'Many' },
    submit: { type: 'plain_text' as const, text: 'Go' },
    blocks: blocks as never,
  });

  let view: OpenView;
  let submitted: Json[];
  let stop: () => Promise<unknown>;
  beforeEach(async () => {
    submitted = [];
    const bot = await startHttpBot(slack, (app) => {
      app.command('/app', async ({ ack, body, client: own }) => {
        await ack();
        await own.views.open({ trigger_id: body.trigger_id, view: form() });
      });
      app.view(/.*/, async ({ ack, view: { state } }) => {
        await ack();
        submitted.push(...((state.values.numbers?.roster?.files ?? []) as unknown as Json[]));
      });
    });
    stop = bot.stop;
    const opened = await slack.command({ user: slack.people.member, channel: slack.channels.sales });
    view = await opened.view();
  });
  afterEach(() => stop());

  const attach = (name: string, bytes: string | Uint8Array = CSV, more: object = {}) =>
    slack.attachFile({ user: slack.people.member, view, text: 'Numbers', name, bytes, ...more });
  const submit = () => slack.submitView({ user: slack.people.member, view });
  const errors = () => slack.view(view.view.id)?.errors;

  it('gives the app a file that it can read', async () => {
    attach('roster.csv');
    expect(await submit()).toMatchObject({ outcome: 'closed' });
    expect(submitted).toMatchObject([
      { name: 'roster.csv', filetype: 'csv', mimetype: 'text/csv', size: LENGTH, mode: 'snippet' },
    ]);
    expect(submitted[0]?.user).toBe(slack.people.member.id);
    expect(await (await download(submitted[0]?.url_private_download)).text()).toBe(CSV);
    expect((await web.files.info({ file: String(submitted[0]?.id) })).file?.user).toBe(
      slack.people.member.id,
    );
  });

  it('that is required shows an error if it is empty', async () => {
    expect(await submit()).toMatchObject({
      outcome: 'not_sent',
      errors: { numbers: 'Please complete this required field.' },
    });
  });

  it('shows an error for files of a wrong type, too many or too large', async () => {
    expect(attach('photo.png').problem).toBe(
      'photo.png is not of a type that can be used here: choose .csv or .txt.',
    );
    expect(errors()).toEqual({ numbers: expect.stringContaining('photo.png') });
    expect(attach('big.csv', new Uint8Array(MAX_ATTACHED_BYTES + 1)).problem).toMatch(
      /^big\.csv is too large/,
    );
    expect(attach('full.csv', new Uint8Array(MAX_ATTACHED_BYTES)).problem).toBeNull();
    expect(errors()).toEqual({});
    expect(attach('ROSTER.CSV').problem).toBeNull();
    expect(attach('third.csv').problem).toBe('Only 2 files can be given here: remove one first.');
  });

  it('takes any file with `forged`', async () => {
    expect(attach('photo.png', 'x', { forged: true }).problem).toBeNull();
    await submit();
    expect(submitted).toMatchObject([{ name: 'photo.png', mimetype: 'image/png', mode: 'hosted' }]);
  });

  it('loses a file that the person removes', async () => {
    const { file } = attach('roster.csv');
    attach('other.csv');
    const id = String(file?.id);
    slack.removeFile({ user: slack.people.member, view, text: 'Numbers', file: id });
    expect(slack.fileBytes(id)).toBeUndefined();
    expect(() => slack.removeFile({ user: slack.people.member, view, text: 'Numbers', file: id })).toThrow();
    await submit();
    expect(submitted.map(({ name }) => name)).toEqual(['other.csv']);
  });

  it('keeps its files when the app changes the form around it', async () => {
    attach('roster.csv');
    const hint = { ...input, hint: { type: 'plain_text', text: 'One number a line' } };
    await web.views.update({ view_id: view.view.id, view: form([hint]) });
    await submit();
    expect(submitted.map(({ name }) => name)).toEqual(['roster.csv']);
  });

  it('takes no file of somebody else’s, and other elements take none', () => {
    expect(() => attach('roster.csv', CSV, { user: slack.people.admin })).toThrow('somebody else’s');
    expect(() => attach('roster.csv', CSV, { text: 'Other' })).toThrow('No element fits');
  });
});

describe('after a restart', () => {
  let filesFolder: string;
  beforeEach(async () => {
    filesFolder = join(mkdtempSync(join(tmpdir(), 'switchboard-files-')), 'files');
    await slack.close();
    slack = await startPlayground({ filesFolder });
    web = client();
  });
  afterEach(() => rmSync(join(filesFolder, '..'), { recursive: true, force: true }));

  it('the files of the snapshot are still there', async () => {
    const { sales } = slack.channels;
    await uploaded(sales.id);
    const json = JSON.stringify(slack.snapshot());
    expect(json).not.toContain('Zoë');
    await slack.close();
    slack = await startPlayground({ filesFolder });
    web = client();
    slack.restore(JSON.parse(json));
    const { file } = await web.files.info({ file: String(slack.history(sales.id)[0]?.files?.[0]?.id) });
    expect(file).toMatchObject({ name: 'report.csv', channels: [sales.id] });
    expect(await (await download(file?.url_private_download)).text()).toBe(CSV);
  });

  it('a reset deletes them, and so does a snapshot without them', async () => {
    await uploaded(slack.channels.sales.id);
    const before = slack.snapshot();
    expect(readdirSync(filesFolder)).toHaveLength(1);
    slack.restore({ ...before, files: [] });
    expect(readdirSync(filesFolder)).toEqual([]);
    await uploaded(slack.channels.sales.id);
    slack.reset();
    expect(readdirSync(filesFolder)).toEqual([]);
    expect(slack.snapshot().files).toEqual([]);
  });

  it('without an upload there is no folder', () => {
    slack.reset();
    expect(existsSync(filesFolder)).toBe(false);
  });

  it('the oldest files are deleted first', async () => {
    const first = await posted();
    await complete(first, { channel_id: slack.channels.sales.id });
    for (let n = 0; n < KEPT_FILES; n++) await complete(await posted(`${n}`));
    expect(readdirSync(filesFolder)).toHaveLength(KEPT_FILES);
    expect(await refusal(web.files.info({ file: first }))).toBe('file_not_found');
  });
});
