import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRemoteClock } from './clock.ts';
import type { RedisClient } from './connect.ts';
import { emptied, RedisStepError } from './errors.ts';
import { within } from './within.ts';

/** How long a step may take in all, in ms; a command is acknowledged within three seconds. */
export const STEP_MS = 1000;

/** Redis's own answer types: text, whole numbers, nothing, lists of them. */
export type Reply = string | number | null | Reply[];

/** When a step has to be over, by the steady clock; all of its round trips share it. */
export interface Deadline {
  local: number;
}

/** Runs steps of `lua/*.lua` on one Redis. */
export interface Runner {
  /** Redis TIME about now, in ms: for waits. What is decided is decided by Redis TIME within the step. */
  now(): number;
  /** How long a step may take in all, in ms. */
  stepMs: number;
  deadline(): Deadline;
  /**
   * One step, atomic and durable when it resolves. `texts` are handed over as they are; the input names them by number,
   * from 1.
   * @throws RedisStepError
   */
  run(step: string, input: object, options?: { texts?: string[]; deadline?: Deadline }): Promise<Reply[]>;
}

/** What a runner needs: keys begin with `prefix`; `clock` is a test's own, in place of Redis TIME. */
export interface RunnerOptions {
  client: RedisClient;
  prefix: string;
  epoch: string;
  stepMs?: number;
  clock?: () => number;
}

const FOLDER = new URL('lua/', import.meta.url);
const SOURCE = readdirSync(FOLDER)
  .sort()
  .map((name) => readFileSync(new URL(name, FOLDER), 'utf8'))
  .join('\n');
const SHA = createHash('sha1').update(SOURCE).digest('hex');

/** Steps on this client, each refused by Redis itself once it is given up here. */
export function createRunner({ client, prefix, epoch, stepMs = STEP_MS, clock }: RunnerOptions): Runner {
  const remote = createRemoteClock();

  async function evaluate(args: string[]): Promise<unknown> {
    try {
      return await client.sendCommand(['EVALSHA', SHA, '0', ...args]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return client.sendCommand(['EVAL', SOURCE, '0', ...args]);
    }
  }

  async function learnTime(deadline: Deadline): Promise<void> {
    const asked = performance.now();
    const answer = await within(deadline.local - asked, 'TIME', client.sendCommand(['TIME']));
    const [seconds, micros] = answer as [string, string];
    remote.heard(Number(seconds) * 1000 + Math.floor(Number(micros) / 1000), asked, performance.now());
  }

  return {
    now: clock ?? (() => (remote.isKnown() ? remote.now() : Date.now())),
    stepMs,
    deadline: () => ({ local: performance.now() + stepMs }),

    async run(step, input, { texts = [], deadline = { local: performance.now() + stepMs } } = {}) {
      if (!remote.isKnown()) await learnTime(deadline);
      const json = wellFormedJson(input);
      for (;;) {
        const asked = performance.now();
        const notAfter = String(Math.floor(remote.earliest(deadline.local)));
        const time = clock ? String(clock()) : '';
        const args = [prefix, epoch, notAfter, time, step, json, ...texts];
        const answer = await within(deadline.local - asked, step, evaluate(args));
        const [now, outcome, reply] = answer as [string, string, Reply[]];
        remote.heard(Number(now), asked, performance.now());
        if (outcome === 'epoch') throw emptied();
        if (outcome === 'ok') return reply;
        // Refused though there was time left: Redis's clock was not known well enough, and now it is.
        if (remote.earliest(deadline.local) <= Number(now)) {
          throw new RedisStepError('late', `Redis came to it too late (${step}).`);
        }
      }
    },
  };
}

/** How JSON.stringify writes half a surrogate pair; people may also type it. */
const MAY_BE_HALF = /\\u[dD][89a-fA-F]/;

/** Half a surrogate pair can't be written as UTF-8, and Lua would refuse its escape. */
function wellFormedJson(input: object): string {
  const json = JSON.stringify(input);
  if (!MAY_BE_HALF.test(json)) return json;
  return JSON.stringify(input, (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}
