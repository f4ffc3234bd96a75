import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export interface AppProcess {
  pid: number;
  /** The time from its start to its first answer, in ms. */
  readyMs: number;
  end(): Promise<void>;
}

const START_WITHIN_MS = 30_000;

/**
 * Starts a program with `env` as its whole environment. Resolves when `path` answers with 200, or with any status if the
 * app lacks that path.
 */
export async function startApp(
  [command, ...words]: readonly [string, ...string[]],
  env: Record<string, string>,
  { port, path, anyStatus = false }: { port: number; path: string; anyStatus?: boolean },
): Promise<AppProcess> {
  const begun = performance.now();
  const child = spawn(command, words, { cwd: tmpdir(), env, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr?.on('data', (part) => {
    complaints += part;
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the app ended with ${child.exitCode}:\n${complaints}`);
    const status = await statusOf(port, path);
    if (status === 200 || (anyStatus && status !== undefined)) break;
    if (performance.now() - begun > START_WITHIN_MS) throw new Error(`the app is not ready:\n${complaints}`);
    await sleep(2);
  }
  const readyMs = performance.now() - begun;
  return { pid: child.pid as number, readyMs, end: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** The status of a GET; undefined if nobody listens. */
function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on('error', () => resolve(undefined));
    asked.end();
  });
}
