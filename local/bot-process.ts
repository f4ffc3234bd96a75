import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlaygroundBot } from 'slack-playground';
import { createListeners } from './listeners.ts';

/** How long a stopping bot may finish its work before the playground kills it, ms. */
const STOP_WITHIN_MS = 4000;
/** Wait before the restart of a bot that ended by itself, ms; doubled each time until one lives for `STABLE_AFTER_MS`. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;
const STABLE_AFTER_MS = 10_000;
const CHECK_READY_EVERY_MS = 50;

const MAIN = join(import.meta.dirname, '../src/start.js');
const EXIT_WITH_PARENT = new URL('./exit-with-parent.ts', import.meta.url).href;

export interface BotProcessOptions {
  /** The bot's whole environment. */
  env: Record<string, string>;
  /** The bot's working folder. */
  cwd: string;
  /** The file of its log. An older file becomes `….1`. */
  logFile: string;
  /** The port on which it serves /readyz. */
  port: number;
  /** Called with each part of its log. */
  onLog(part: string): void;
  /** Called when the bot ends by itself; of several times in a row, only the first. */
  onCrash(): void;
}

/** Keeps a bot running in its own process, which ends with this one, however this one ends. */
export function createBotProcess({ env, cwd, logFile, port, onLog, onCrash }: BotProcessOptions) {
  const listeners = createListeners();
  let state: ReturnType<PlaygroundBot['state']> = 'down';
  let child: ChildProcess | undefined;
  let waitMs = FIRST_WAIT_MS;
  let again: NodeJS.Timeout | undefined;
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.1`);

  function setState(now: typeof state): void {
    state = now;
    listeners.tell();
  }

  function log(part: string): void {
    try {
      appendFileSync(logFile, part, { mode: 0o600 });
    } catch {
      // The playground goes on without a log, for example on a full disk.
    }
  }

  function start(): void {
    clearTimeout(again);
    if (child) return;
    const started = spawn(process.execPath, [...process.execArgv, '--import', EXIT_WITH_PARENT, MAIN], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl+C ends a terminal's whole group of processes. The bot is in another group, so that only `stop` ends it.
      detached: true,
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream?.setEncoding('utf8').on('data', (part: string) => {
        log(part);
        onLog(part);
      });
    }
    child = started;
    const startedAt = performance.now();
    const ended = () => {
      if (child !== started) return;
      if (performance.now() - startedAt > STABLE_AFTER_MS) waitMs = FIRST_WAIT_MS;
      child = undefined;
      setState('down');
      if (waitMs === FIRST_WAIT_MS) onCrash();
      again = setTimeout(start, waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    };
    started.once('exit', ended);
    started.once('error', ended);
    setState('starting');
    void untilReady(started);
  }

  async function untilReady(started: ChildProcess): Promise<void> {
    while (child === started) {
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`, {
        signal: AbortSignal.timeout(1000),
      }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (ready && child === started) return setState('running');
      await sleep(CHECK_READY_EVERY_MS);
    }
  }

  async function stop(how?: 'kill'): Promise<void> {
    clearTimeout(again);
    const stopping = child;
    child = undefined;
    if (!stopping) return;
    setState('down');
    if (stopping.exitCode !== null || stopping.signalCode !== null || stopping.pid === undefined) return;
    const exited = once(stopping, 'exit');
    stopping.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
    const timer = setTimeout(() => stopping.kill('SIGKILL'), STOP_WITHIN_MS);
    await exited;
    clearTimeout(timer);
  }

  return {
    state: () => state,
    subscribe: listeners.subscribe,
    /** Starts the bot, and starts it again whenever it ends by itself. */
    start,
    /** Ends the bot and does not start it again; resolves once it is gone. `kill`: with kill -9, without finishing its work. */
    stop,
    /** Ends the bot with kill -9 and starts a new one at once. */
    async restart(): Promise<void> {
      await stop('kill');
      start();
    },
  };
}
