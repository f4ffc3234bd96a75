// The production smoke test: installs and runs the image's files as the image does. Started by .ci/run
// with the checkout's own Node: node_modules/.bin/node test/smoke/production.ts
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../local/free-port.ts';

const PATIENCE_MS = 60_000;
const SIGNING_SECRET = 'smoke-signing-secret';

const checkout = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-smoke-'));
const copy = join(folder, 'app');
const bots: ChildProcess[] = [];
const slack = await startSlack();

try {
  copyProject();
  await refusesToStartWithoutVariables();
  await answersHelp();
  process.stdout.write('The production smoke test passed.\n');
} finally {
  for (const bot of bots) bot.kill('SIGKILL');
  slack.close();
  rmSync(folder, { recursive: true, force: true });
}

/** The files that the Dockerfile copies, with production's dependencies installed. */
function copyProject(): void {
  const dockerfile = readFileSync(join(checkout, 'Dockerfile'), 'utf8');
  for (const [, paths = ''] of dockerfile.matchAll(/^COPY (.*) \S+$/gm)) {
    for (const path of paths.split(' ')) cpSync(join(checkout, path), join(copy, path), { recursive: true });
  }
  execFileSync(
    'npm',
    ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'],
    {
      cwd: copy,
      stdio: 'inherit',
    },
  );
  expect(!existsSync(join(copy, 'node_modules/vitest')), 'The copy has devDependencies.');
  for (const name of ['credit-sandbox', 'slack-playground']) {
    expect(!existsSync(join(copy, 'node_modules', name)), `The copy has ${name}.`);
  }
}

async function refusesToStartWithoutVariables(): Promise<void> {
  const bot = startBot({});
  const ended = await Promise.race([
    once(bot.process, 'exit'),
    sleep(PATIENCE_MS, undefined, { ref: false }),
  ]);
  expect(ended !== undefined, 'Without its variables the bot does not stop.', bot);
  expect(
    (bot.process.exitCode ?? 0) > 0,
    'Without its variables the bot does not end with an exit code.',
    bot,
  );
  for (const name of ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET', 'SMS_BASE_URL', 'ENCRYPTION_KEY']) {
    const lines = bot
      .output()
      .split('\n')
      .filter((line) => line.includes(`${name} is missing: `));
    expect(lines.length === 1, `There should be one line for the missing ${name}.`, bot);
  }
  expect(!/^\s+at /m.test(bot.output()), 'Without its variables the bot prints a stack.', bot);
}

async function answersHelp(): Promise<void> {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const bot = startBot({
    SLACK_BOT_TOKEN: ['xoxb', 'smoke'].join('-'),
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_API_URL: slack.url,
    SMS_BASE_URL: 'https://sms.example.com/api/v1',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
  });
  await untilHealthy(base, bot);

  const answer = await slashHelp(base, SIGNING_SECRET);
  expect(answer.status === 200, `A signed /sms help is answered with ${answer.status}.`, bot);
  const forged = await slashHelp(base, 'another secret');
  expect(forged.status === 401, `A wrongly signed /sms help is answered with ${forged.status}.`, bot);

  const ended = once(bot.process, 'exit');
  bot.process.kill('SIGTERM');
  const stopped = await Promise.race([ended, sleep(PATIENCE_MS, undefined, { ref: false })]);
  expect(stopped !== undefined, 'The bot does not stop on SIGTERM.', bot);
}

type Bot = { process: ChildProcess; output(): string };

/** The arguments of Node in the image's command. */
function imageWords(): string[] {
  const [, command = '[]'] = /^CMD (.*)$/m.exec(readFileSync(join(checkout, 'Dockerfile'), 'utf8')) ?? [];
  return JSON.parse(command).slice(1);
}

/** Starts the copy as the image does, with these variables and no others. */
function startBot(variables: Record<string, string>): Bot {
  const { PATH = '', HOME = '' } = process.env;
  const started = spawn(process.execPath, imageWords(), {
    cwd: copy,
    env: { PATH, HOME, NODE_ENV: 'production', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  bots.push(started);
  const written: string[] = [];
  for (const stream of [started.stdout, started.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => written.push(text));
  }
  return { process: started, output: () => written.join('') };
}

async function untilHealthy(base: string, bot: Bot): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
    expect(bot.process.exitCode === null, 'The bot ended before it served.', bot);
    const response = await fetch(`${base}/healthz`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
  }
  expect(false, 'The bot does not become healthy.', bot);
}

/** `/sms help` as Slack sends it, signed with `secret`. */
async function slashHelp(base: string, secret: string): Promise<Response> {
  const body = new URLSearchParams({
    command: '/sms',
    text: 'help',
    team_id: 'T0SMOKE',
    team_domain: 'smoke',
    channel_id: 'C0SMOKE',
    channel_name: 'smoke',
    user_id: 'U0SMOKE',
    user_name: 'smoke',
    api_app_id: 'A0SMOKE',
    is_enterprise_install: 'false',
    response_url: `${slack.url}response`,
    trigger_id: '1.2.smoke',
  }).toString();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return fetch(`${base}/slack/events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
}

/** The parts of Slack's Web API that a start and a help text need. */
async function startSlack(): Promise<{ url: string; close(): void }> {
  const answers: Record<string, object> = {
    'auth.test': {
      url: 'https://smoke.example.com/',
      team: 'Smoke',
      team_id: 'T0SMOKE',
      user: 'switchboard',
      user_id: 'U0BOT',
      bot_id: 'B0BOT',
    },
    'users.info': { user: { id: 'U0SMOKE', team_id: 'T0SMOKE', name: 'smoke', is_admin: true } },
  };
  const server = createServer((request, response) => {
    request.resume();
    const method = request.url?.split('?')[0]?.replace('/api/', '') ?? '';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, ...answers[method] }));
  });
  const port = await listening(server);
  return { url: `http://127.0.0.1:${port}/api/`, close: () => server.close().closeAllConnections() };
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

function expect(condition: boolean, otherwise: string, bot?: Bot): asserts condition {
  if (!condition) throw new Error(bot ? `${otherwise} It wrote:\n${bot.output()}` : otherwise);
}
