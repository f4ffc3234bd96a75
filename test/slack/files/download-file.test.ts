import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { WebClient } from '@slack/web-api';
import { pino } from 'pino';
import type { Playground } from 'slack-playground';
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  SECRETS,
  silent,
  startPlayground,
  webClientOf,
} from '../../../packages/slack-playground/test/helpers/slack-bot.ts';
import { createDownload, type GivenFile } from '../../../src/slack/files/download-file.ts';
import { FILE_SENTENCES } from '../../../src/slack/ui/lists/list-problems.ts';

const CSV = 'phone,name\n+442079460958,Zoë\n';

let slack: Playground;
let logged: string;
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  slack = await startPlayground();
  logged = '';
  closing.push(slack.close);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  expect(logged).not.toContain(SECRETS.botToken);
});

function downloadFrom(apiUrl: string) {
  const web = webClientOf({ apiUrl });
  const log = pino(
    {},
    {
      write(line: string) {
        logged += line;
      },
    },
  );
  return createDownload({ web, botToken: SECRETS.botToken, apiUrl, log });
}

/** A file in Slack, as a form passes it on. */
async function given(content: string, name = 'list.csv'): Promise<GivenFile & { url: string }> {
  const web = new WebClient(SECRETS.botToken, { slackApiUrl: slack.apiUrl, logger: silent });
  const done = await web.filesUploadV2({ channel_id: slack.channels.sales.id, filename: name, content });
  const { id } = slack.history(slack.channels.sales.id).at(-1)?.files?.[0] ?? {};
  const { file } = await web.files.info({ file: String(id) });
  expect(done.ok).toBe(true);
  return { id: String(id), name, url: String(file?.url_private_download) };
}

/** A server on this machine, beside the playground; resolves with its address. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const sentenceOf = (sentence: string, mayPass = false) => ({ kind: 'problem', sentence, mayPass });

test('a file comes as it is', async () => {
  const got = await downloadFrom(slack.apiUrl)(await given(CSV));
  expect(got).toMatchObject({ kind: 'file', name: 'list.csv' });
  expect(got.kind === 'file' && Buffer.from(got.bytes).toString()).toBe(CSV);
});

test('if a file comes as an id only, the bot asks Slack for its address and name', async () => {
  const { id } = await given(CSV, 'Liste.TXT');
  expect(await downloadFrom(slack.apiUrl)({ id, name: 'list.csv' })).toMatchObject({ name: 'Liste.TXT' });
  const gone = await downloadFrom(slack.apiUrl)({ id: 'F0GONE0001', name: 'list.csv' });
  expect(gone).toEqual(sentenceOf(FILE_SENTENCES.gone));
});

test('the token goes to no other host, whatever the file says', async () => {
  const seen: unknown[] = [];
  const elsewhere = await serve((request, response) => {
    seen.push(request.headers);
    response.end(CSV);
  });
  const download = downloadFrom(slack.apiUrl);
  const { port } = new URL(elsewhere);
  for (const url of [
    `${elsewhere}/list.csv`,
    `http://files.slack.com@127.0.0.1:${port}/list.csv`,
    `http://localhost:${port}/list.csv`,
    'http://files.slack.com/list.csv',
    'https://files.slack.com.example/list.csv',
    'not an address',
  ]) {
    expect(await download({ id: 'F1', name: 'list.csv', url })).toEqual(sentenceOf(FILE_SENTENCES.refused));
  }
  expect(seen).toEqual([]);
});

test.each(['https://files.slack.com', 'https://files.slack-gov.com'])('%s is Slack’s', async (host) => {
  const network = getGlobalDispatcher();
  closing.push(() => setGlobalDispatcher(network));
  const slackOnly = new MockAgent();
  slackOnly.disableNetConnect();
  setGlobalDispatcher(slackOnly);
  const headers = { authorization: `Bearer ${SECRETS.botToken}` };
  slackOnly.get(host).intercept({ path: '/list.csv', headers }).reply(200, CSV);
  const got = await downloadFrom(slack.apiUrl)({ id: 'F1', name: 'list.csv', url: `${host}/list.csv` });
  expect(got.kind === 'file' && Buffer.from(got.bytes).toString()).toBe(CSV);
});

test('no redirect is followed, and a page is no file', async () => {
  const paths: (string | undefined)[] = [];
  const origin = await serve((request, response) => {
    paths.push(request.url);
    if (request.url === '/moved') response.writeHead(302, { location: '/list.csv' }).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Sign in</h1>');
  });
  const download = downloadFrom(`${origin}/api/`);
  for (const path of ['/moved', '/page']) {
    const got = await download({ id: 'F1', name: 'list.csv', url: `${origin}${path}` });
    expect(got).toEqual(sentenceOf(FILE_SENTENCES.refused));
  }
  expect(paths).toEqual(['/moved', '/page']);
});

test('at most 10 MB are read, whatever size was announced', async () => {
  const parts = (most: number) =>
    Readable.from(Array.from({ length: most }, () => Buffer.alloc(1024 * 1024, 'x')));
  const origin = await serve((request, response) => {
    const body = parts(request.url === '/exact.csv' ? 10 : 100);
    body.pipe(response).on('close', () => body.destroy());
  });
  const download = downloadFrom(`${origin}/api/`);
  const exact = await download({ id: 'F1', name: 'list.csv', url: `${origin}/exact.csv` });
  expect(exact.kind === 'file' && exact.bytes.length).toBe(10 * 1024 * 1024);
  expect(await download({ id: 'F1', name: 'list.csv', url: `${origin}/large.csv` })).toMatchObject({
    sentence: expect.stringContaining('at most 10 MB'),
  });
});

test('names of other kinds are refused before anything is fetched', async () => {
  const { url } = await given(CSV);
  const before = slack.calls.length;
  for (const name of ['list.xlsx', 'photo.png', 'list', 'list.csv.exe']) {
    expect((await downloadFrom(slack.apiUrl)({ id: 'F1', name, url })).kind).toBe('problem');
  }
  expect(slack.calls.length).toBe(before);
});

test('Slack’s troubles are sentences, and the bot knows which may pass', async () => {
  const file = await given(CSV);
  const download = downloadFrom(slack.apiUrl);
  slack.fault({ method: 'url_private', fault: { kind: 'rate_limited', retryAfter: 7 } });
  expect(await download(file)).toEqual(sentenceOf(FILE_SENTENCES.busy, true));
  slack.fault({ method: 'url_private', fault: { kind: 'server_error' } });
  expect(await download(file)).toEqual(sentenceOf(FILE_SENTENCES.refused, true));
  slack.fault({ method: 'url_private', fault: { kind: 'lost_answer' } });
  expect(await download(file)).toEqual(sentenceOf(FILE_SENTENCES.noAnswer, true));
  slack.fault({ method: 'files.info', fault: { kind: 'rate_limited', retryAfter: 7 } });
  expect(await download({ id: file.id, name: file.name })).toEqual(sentenceOf(FILE_SENTENCES.busy, true));
  slack.fault({ method: 'files.info', fault: { kind: 'refused', error: 'missing_scope' } });
  expect(await download({ id: file.id, name: file.name })).toEqual(sentenceOf(FILE_SENTENCES.refused));
});
