import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freePort } from '../../local/free-port.ts';
import type { Command } from './start-command.ts';

/** A Redis of the test's own, on loopback, with a folder that it deletes when it closes. */
export interface RedisServer {
  url: string;
  /** The folder of its data. */
  folder: string;
  /** Starts it again with the same data, port and settings, after a kill -9 or an end in order. */
  restart(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Copies its data as an operator does, and returns the copy's folder. */
  copy(): string;
  /** Ends it with a kill -9, and starts it with a copy's data. */
  putBack(copy: string): Promise<void>;
  /** Ends it with a kill -9. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/**
 * Whether to skip the tests that need Redis, since it is missing; then it says why. With REQUIRE_SERVICES=1
 * it skips none: a missing redis-server is an error.
 */
export const withoutRedis = isMissing();

function isMissing(): boolean {
  if (!spawnSync('redis-server', ['--version']).error) return false;
  const said = 'There is no redis-server: apt-get install redis-server.';
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(said);
  process.stderr.write(`Skipped: ${said}\n`);
  return true;
}

const DURABLE = { appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction' };

/**
 * Starts Debian's redis-server, by default with the settings that an operator must set. Its data is in `parent`. `watch`
 * goes before its command.
 */
export async function startRedis(
  settings: { [name: string]: string } = {},
  parent = tmpdir(),
  watch: (command: Command) => Command = (command) => command,
): Promise<RedisServer> {
  const folder = mkdtempSync(join(parent, 'switchboard-redis-'));
  const copies: string[] = [];
  let port = await freePort();
  let child = await start().catch(async () => {
    // Another program took the port between our look and the start.
    port = await freePort();
    return start();
  });

  async function start(): Promise<ChildProcess> {
    const all = { ...DURABLE, ...settings };
    const options = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...options];
    const [program, ...words] = watch(['redis-server', ...own]);
    const started = spawn(program, words, { stdio: 'ignore' });
    await answers(port, folder, started);
    return started;
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill(signal);
    await over;
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    folder,
    async restart(signal = 'SIGKILL') {
      await end(signal);
      child = await start();
    },
    copy() {
      const copy = mkdtempSync(join(parent, 'switchboard-redis-copy-'));
      copies.push(copy);
      cpSync(folder, copy, { recursive: true });
      return copy;
    },
    async putBack(copy) {
      await end('SIGKILL');
      rmSync(folder, { recursive: true });
      cpSync(copy, folder, { recursive: true });
      child = await start();
    },
    kill: () => end('SIGKILL'),
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    async close() {
      await end('SIGKILL');
      for (const each of [folder, ...copies]) rmSync(each, { recursive: true, force: true });
    },
  };
}

/** Waits until the server of this folder says PONG: while Redis loads its file, it answers with an error. */
async function answers(port: number, folder: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`redis-server ended at once (${child.exitCode})`);
    if (await isReady(port, folder)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Another test's server may have taken the port a moment before. Only the folder tells them apart. */
function isReady(port: number, folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('CONFIG GET dir\r\nPING\r\n'));
    let said = '';
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
    socket.on('data', (part) => {
      said += part;
      if (!/\r\n(?:\+PONG|-.*)\r\n$/.test(said)) return;
      // A Sentinel does not know CONFIG.
      const isOurs = said.startsWith('-') || said.includes(basename(folder));
      resolve(isOurs && said.endsWith('+PONG\r\n'));
      socket.destroy();
    });
  });
}
