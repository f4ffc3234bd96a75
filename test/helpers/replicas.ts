import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../local/free-port.ts';
import { START_BUNDLED } from './start-command.ts';
import type { World } from './world.ts';

/** A bot beside others, as a process with a folder of its own. */
export interface Replica {
  url: string;
  output(): string;
  /** Ends the bot by kill -9. */
  kill(): Promise<void>;
  stop(): Promise<number | null>;
  /** SIGSTOP: the bot does nothing until `thaw`. Meanwhile Slack's requests go to the others. */
  freeze(): void;
  thaw(): void;
  /** The answer of /readyz. */
  readiness(): Promise<{ status: number; body: { [part: string]: unknown } }>;
}

/** Bots behind one address that Slack calls. */
export interface Replicas {
  all: Replica[];
  /** The bots' common address. */
  url: string;
  add(env?: Record<string, string>): Promise<Replica>;
  /** From now on Slack calls only this bot; undefined: all in turn again. */
  callOnly(replica: Replica | undefined): void;
  close(): Promise<void>;
}

const START_WITHIN_MS = 50_000;

/** Starts `count` bots in this world. Each request of Slack's goes to the next living bot. */
export async function startReplicas(
  world: World,
  count: number,
  env: Record<string, string>,
): Promise<Replicas> {
  const living = new Map<Replica, ChildProcess>();
  const frozen = new Set<Replica>();
  const folders: string[] = [];
  const all: Replica[] = [];
  let turn = 0;
  let only: Replica | undefined;

  const door = createServer((incoming, outgoing) => {
    const awake = [...living.keys()].filter((replica) => !frozen.has(replica));
    const next = only ?? awake[turn++ % awake.length];
    if (!next) {
      outgoing.destroy();
      return;
    }
    const { method, headers, url: path = '/' } = incoming;
    const onward = request(`${next.url}${path}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  world.slack.setEventsUrl(`${url}/slack/events`);

  /** A bot can't start while Redis is too slow or away, so this starts it again, like any supervisor. */
  async function add(more: Record<string, string> = {}, tries = 5): Promise<Replica> {
    try {
      return await addOnce(more);
    } catch (error) {
      if (tries === 1 || !/Try again once the store works|Redis can't be reached/.test(String(error)))
        throw error;
      return add(more, tries - 1);
    }
  }

  async function addOnce(more: Record<string, string>): Promise<Replica> {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-replica-'));
    folders.push(folder);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const [command, ...words] = START_BUNDLED;
    const child = spawn(command, words, {
      cwd: tmpdir(),
      env: { ...world.environment, ...env, DATA_DIR: folder, PORT: String(port), ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part) => {
        output += part;
      });
    }
    async function end(signal: NodeJS.Signals): Promise<number | null> {
      living.delete(replica);
      if (only === replica) only = undefined;
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exited = once(child, 'close');
      child.kill(signal);
      await exited;
      return child.exitCode;
    }
    const replica: Replica = {
      url,
      output: () => output,
      kill: async () => void (await end('SIGKILL')),
      stop: () => end('SIGTERM'),
      freeze() {
        child.kill('SIGSTOP');
        frozen.add(replica);
      },
      thaw() {
        frozen.delete(replica);
        child.kill('SIGCONT');
      },
      async readiness() {
        const answer = await fetch(`${url}/readyz`);
        return { status: answer.status, body: (await answer.json()) as { [part: string]: unknown } };
      },
    };
    all.push(replica);
    living.set(replica, child);
    for (const until = Date.now() + START_WITHIN_MS; Date.now() < until; await sleep(30)) {
      if (child.exitCode !== null) {
        all.splice(all.indexOf(replica), 1);
        living.delete(replica);
        throw new Error(`the bot ended with ${child.exitCode}:\n${output}`);
      }
      const isReady = await fetch(`${url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      );
      if (isReady) return replica;
    }
    throw new Error(`the bot is not ready:\n${output}`);
  }

  await Promise.all(Array.from({ length: count }, () => add()));
  return {
    all,
    url,
    add: (more) => add(more),
    callOnly(replica) {
      only = replica;
    },
    async close() {
      await Promise.all(all.map((replica) => replica.kill()));
      door.close();
      door.closeAllConnections();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
