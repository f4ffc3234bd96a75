import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPlayground, type Playground } from '../../src/playground/server.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';

/** The whole product from outside: a Slack workspace, the messaging credit service, and the bot as a process. */
export interface World {
  slack: Playground;
  service: Sandbox;
  /** The folder of the bot's data. */
  dataDir: string;
  /** All that the bot has written to its log so far. */
  output(): string;
  /** Starts the bot; resolves when it is ready. */
  start(env?: Record<string, string>): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** The bot's base URL. */
  url: string;
  environment: Record<string, string>;
  close(): Promise<void>;
}

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const START_WITHIN_MS = 25_000;
const SECRETS = {
  signingSecret: 'a-signing-secret-of-the-world',
  botToken: 'xoxb-world-1234',
  appToken: 'xapp-world-1234',
};

/** Makes the world; the bot is started by `start`. `env` adds to or replaces what the bot is told. */
export async function createWorld(
  options: { env?: Record<string, string>; sandbox?: SandboxOptions; socketMode?: boolean } = {},
): Promise<World> {
  const service = await createSandbox(options.sandbox);
  const slack = await createPlayground(SECRETS);
  const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-world-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  if (!options.socketMode) slack.setEventsUrl(`${url}/slack/events`);
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    SLACK_BOT_TOKEN: SECRETS.botToken,
    ...(options.socketMode
      ? { SLACK_APP_TOKEN: SECRETS.appToken }
      : { SLACK_SIGNING_SECRET: SECRETS.signingSecret }),
    SLACK_API_URL: slack.apiUrl,
    PORT: String(port),
    SMS_BASE_URL: service.url,
    SMS_TIMEOUT_MS: '1500',
    LEASE_MS: '3000',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: dataDir,
    LOG_LEVEL: 'debug',
    ...options.env,
  };
  let bot: ChildProcess | undefined;
  let output = '';

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const running = bot;
    bot = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null)
      return running?.exitCode ?? null;
    const exited = once(running, 'exit');
    running.kill(signal);
    const [code] = await exited;
    return code as number | null;
  }

  return {
    slack,
    service,
    dataDir,
    url,
    environment,
    output: () => output,
    async start(env = {}) {
      const child = spawn(process.execPath, [MAIN], {
        env: { ...environment, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      bot = child;
      child.stdout.on('data', (part) => {
        output += part;
      });
      child.stderr.on('data', (part) => {
        output += part;
      });
      for (const until = Date.now() + START_WITHIN_MS; Date.now() < until; await sleep(30)) {
        if (child.exitCode !== null) throw new Error(`the bot ended with ${child.exitCode}:\n${output}`);
        const ready = await fetch(`${url}/readyz`).then(
          (answer) => answer.ok,
          () => false,
        );
        if (ready) return;
      }
      throw new Error(`the bot is not ready:\n${output}`);
    },
    async kill() {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    async close() {
      await end('SIGKILL');
      await Promise.all([slack.close(), service.close()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}
