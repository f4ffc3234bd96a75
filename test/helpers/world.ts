import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSandbox, type Sandbox, type SandboxOptions } from 'credit-sandbox';
import { createPlayground, type Playground } from 'slack-playground';
import { freePort } from '../../local/free-port.ts';
import { ADMIN, COMPILE_CACHE, type Command, START_BUNDLED } from './start-command.ts';

/** The whole product from outside: a Slack workspace, the messaging credit service, and the bot as a process. */
export interface World {
  slack: Playground;
  service: Sandbox;
  /** The folder of the bot's data. */
  dataDir: string;
  /** The bot's log so far. */
  output(): string;
  /** Starts the bot; resolves when it is ready. None of its files can grow beyond `largestFileKb`, as on a full disk. */
  start(env?: Record<string, string>, limits?: { largestFileKb?: number }): Promise<void>;
  /** Ends the bot by kill -9. */
  kill(): Promise<void>;
  /** Ends the bot by SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Runs the bot's program beside the bot; resolves when it ends, which it must within 50 s. */
  runMain(env?: Record<string, string>, limits?: { largestFileKb?: number }): Promise<Ended>;
  /** Runs `npm run admin -- WORDS`, with `input` as its standard input. */
  runAdmin(words: string[], input?: string, env?: Record<string, string>): Promise<Ended>;
  /** Every byte in the data folder, as text in which ASCII stays readable. */
  dataBytes(): string;
  /** The bot's base URL. */
  url: string;
  /** The secret with which Slack signs its requests. */
  signingSecret: string;
  environment: Record<string, string>;
  close(): Promise<void>;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The time from start to end, ms. */
  ms: number;
}

const START_WITHIN_MS = 50_000;
const SECRETS = {
  signingSecret: 'a-signing-secret-of-the-world',
  botToken: 'xoxb-world-1234',
  appToken: 'xapp-world-1234',
};

/**
 * Variables for tests that wait until a text is unknown, or for the evidence on it. Other tests keep the bot's own times,
 * since a busy machine makes any request late.
 */
export const SHORT_WAITS = { SMS_TIMEOUT_MS: '3000', SMS_ATTEMPT_LEASE_MS: '4000' };

/** `env` adds to the bot's variables or replaces them. `bot`: the program that runs; by default, the bundled bot. */
export interface WorldOptions {
  env?: Record<string, string>;
  sandbox?: SandboxOptions;
  socketMode?: boolean;
  bot?: Command;
}

/** Makes the world. Its `start` starts the bot. */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const service = await createSandbox(options.sandbox);
  const slack = await createPlayground({ ...SECRETS, command: '/sms' });
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
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: dataDir,
    // Lists begin at once, unless a test is about the undo time.
    LIST_UNDO_SECONDS: '0',
    LOG_LEVEL: 'debug',
    // Most tests send the same words again and again.
    REPEAT_GUARD_HOURS: '0',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...options.env,
  };
  let bot: ChildProcess | undefined;
  let output = '';

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const running = bot;
    bot = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null)
      return running?.exitCode ?? null;
    const exited = once(running, 'close');
    running.kill(signal);
    const [code] = await exited;
    return code as number | null;
  }

  return {
    slack,
    service,
    dataDir,
    url,
    signingSecret: SECRETS.signingSecret,
    environment,
    output: () => output,
    runMain: (env = {}, { largestFileKb } = {}) =>
      run(limited(options.bot ?? START_BUNDLED, largestFileKb), { ...environment, ...env }),
    runAdmin: (words, input = '', env = {}) => run([...ADMIN, ...words], { ...environment, ...env }, input),
    dataBytes: () =>
      readdirSync(dataDir)
        .map((file) => readFileSync(join(dataDir, file), 'latin1'))
        .join('\n'),
    async start(env = {}, { largestFileKb } = {}) {
      const [command, ...words] = limited(options.bot ?? START_BUNDLED, largestFileKb);
      const child = spawn(command, words, {
        cwd: tmpdir(),
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
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`the bot ended with ${child.exitCode}:\n${output}`);
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

/** The same command in a shell that lets no file grow beyond this many KB. */
function limited(command: Command, largestFileKb: number | undefined): Command {
  return largestFileKb === undefined
    ? command
    : ['bash', '--norc', '-c', `ulimit -f ${largestFileKb}; exec "$0" "$@"`, ...command];
}

/**
 * Runs a program to its end, with `env` as its whole environment, in a folder without an env file. If it does not end
 * within 50 s, kills it; then the code is null.
 */
async function run([command, ...words]: Command, env: Record<string, string>, input = ''): Promise<Ended> {
  const begun = performance.now();
  const child = spawn(command, words, { cwd: tmpdir(), env, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = { code: null as number | null, stdout: '', stderr: '' };
  child.stdout.on('data', (part) => {
    ended.stdout += part;
  });
  child.stderr.on('data', (part) => {
    ended.stderr += part;
  });
  // A program that does not read its input may end before this writes it.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const timer = setTimeout(() => child.kill('SIGKILL'), START_WITHIN_MS);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return { ...ended, code: code as number | null, ms: performance.now() - begun };
}
