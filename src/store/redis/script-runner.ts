import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { throwIfPast } from '../store.ts';
import { StoreTroubleError } from '../store-error.ts';
import { STEP_MS, withTimeout } from './ask.ts';
import { createRemoteClock } from './clock.ts';
import { expectConfirmed, sendConfirmed } from './confirmed.ts';
import type { RedisClient } from './connect.ts';
import { otherEpochError } from './errors.ts';
import { AS_BYTES } from './reconnecting-client.ts';
import type { Word } from './script-arguments.ts';

/** The answer of `step.lua`. A document is its version and its text, a range its members and their documents. */
export interface ScriptAnswer {
  now: number;
  outcome: 'ok' | 'conflict' | 'late';
  documents: (Buffer | null)[];
  ranges: [members: Buffer[], documents: (Buffer | null)[]][];
}

/** Keys begin with `prefix`; `clock` is a test's own, in place of Redis TIME. */
export interface ScriptRunnerOptions {
  client: RedisClient;
  prefix: string;
  epoch: string;
  stepMs?: number;
  clock?: () => number;
}

const SOURCE = readFileSync(new URL('step.lua', import.meta.url), 'utf8');
const SHA = createHash('sha1').update(SOURCE).digest('hex');

export function createScriptRunner({ client, prefix, epoch, stepMs = STEP_MS, clock }: ScriptRunnerOptions) {
  const remote = createRemoteClock();

  async function learnTime(until: number): Promise<void> {
    const asked = performance.now();
    const answer = await withTimeout(until - asked, 'TIME', client.sendCommand(['TIME']));
    const [seconds, micros] = answer as [string, string];
    remote.observe(Number(seconds) * 1000 + Math.floor(Number(micros) / 1000), asked, performance.now());
  }

  /** The answer, and how many replicas have confirmed. */
  async function evaluate(words: Word[], replicas: number): Promise<[answer: unknown, confirmed: unknown]> {
    const send = (script: string[]) => sendConfirmed(client, [...script, '0', ...words], replicas, AS_BYTES);
    try {
      return await send(['EVALSHA', SHA]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return send(['EVAL', SOURCE]);
    }
  }

  return {
    /** Redis TIME about now, in whole ms. */
    now: clock ?? (() => Math.floor(remote.isKnown() ? remote.now() : Date.now())),

    /**
     * One step, atomic and durable when it resolves, also on `replicas` other servers. Redis itself refuses it from
     * `until` on, ms of `performance.now()`.
     * @throws StoreTroubleError
     */
    async run(step: Word[], until = performance.now() + stepMs, replicas = 0): Promise<ScriptAnswer> {
      throwIfPast(until);
      if (!remote.isKnown()) await learnTime(until);
      for (;;) {
        const asked = performance.now();
        const notAfter = String(Math.floor(remote.earliest(until)));
        const words = [`${prefix}epoch`, epoch, notAfter, clock ? String(clock()) : '', ...step];
        const [answer, confirmed] = await withTimeout(until - asked, 'step', evaluate(words, replicas));
        const [real, now, said, documents = [], ranges = []] = answer as [
          Buffer,
          Buffer,
          Buffer,
          ScriptAnswer['documents']?,
          ScriptAnswer['ranges']?,
        ];
        const outcome = said.toString() as ScriptAnswer['outcome'] | 'given up' | 'other epoch';
        remote.observe(Number(real), asked, performance.now());
        // The epoch that Redis has instead is in the fourth place.
        if (outcome === 'other epoch') throw otherEpochError(epoch, String(documents));
        if (outcome === 'ok') expectConfirmed(confirmed, replicas);
        if (outcome !== 'given up') return { now: Number(now), outcome, documents, ranges };
        // If Redis gave up though there was time left, we did not know its clock well enough. Now we do.
        if (remote.earliest(until) <= Number(real)) {
          throw new StoreTroubleError('late', 'Redis got to the step too late.');
        }
      }
    },
  };
}
