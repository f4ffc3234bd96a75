import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPILE_CACHE, type Command, START_BUNDLED } from './start-command.ts';

/** The playground as a person starts it in a terminal, with only a port and a folder configured. */
export interface LocalProcess {
  pid: number;
  url: string;
  /** Its output to the terminal so far. */
  output(): string;
  /** The process id of its bot, by the bot's log; undefined until the bot is ready. */
  botPid(): number | undefined;
  /** Resolves to the exit code when it has ended; to null after kill -9. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Ctrl+C: the signal goes to all processes that it started, too. */
  interrupt(): Promise<number | null>;
}

/** Starts it, by default from the bundle. Resolves when it says its address; if it ends instead, rejects with its output. */
export async function startLocalProcess(dataDir: string, start = START_BUNDLED): Promise<LocalProcess> {
  const { child, output } = spawnLocal(dataDir, 0, start);
  let url: string | undefined;
  for (const until = Date.now() + 30_000; Date.now() < until && !url; await sleep(20)) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${output()}`);
    url = /http:\S+/.exec(output())?.[0];
  }
  if (!url) throw new Error(`it does not say where it is: ${output()}`);
  return {
    pid: child.pid as number,
    url,
    output,
    botPid: () => botPid(dataDir),
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
      return child.exitCode;
    },
    async interrupt() {
      const exited = once(child, 'exit');
      process.kill(-(child.pid as number), 'SIGINT');
      await exited;
      return child.exitCode;
    },
  };
}

/** Starts one that ends by itself. Resolves to its output. */
export async function refusedStart(
  dataDir: string,
  port: number,
): Promise<{ code: number | null; output: string }> {
  const { child, output } = spawnLocal(dataDir, port);
  const [code] = await once(child, 'close');
  return { code, output: output() };
}

function spawnLocal(
  dataDir: string,
  port: number,
  [command, ...words]: Command = START_BUNDLED,
): { child: ChildProcess; output: () => string } {
  const env = {
    PATH: process.env.PATH ?? '',
    PORT: String(port),
    DATA_DIR: dataDir,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    // A list that waits for Undo would hold up the tests in a browser.
    LIST_UNDO_SECONDS: '0',
  };
  const child = spawn(command, words, {
    cwd: tmpdir(),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      output += part;
    });
  }
  return { child, output: () => output };
}

function botPid(dataDir: string): number | undefined {
  const file = join(dataDir, 'playground/bot.log');
  const log = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const pid = [...log.matchAll(/"pid":(\d+).*"msg":"Switchboard is ready"/g)].at(-1)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** Whether a process with this id runs. A process that has ended and waits for its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
}
