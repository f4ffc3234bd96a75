import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { between, createDice } from '../../helpers/dice.ts';
import type { KillEngine } from './ledger-kill-engines.ts';
import type { UndoPlan } from './undo-child.ts';

const CHILD = fileURLToPath(new URL('./undo-child.ts', import.meta.url));
/** Hundreds of children share what was compiled once. */
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/ledger-child', import.meta.url));
/** How many texts a run has. */
export const TEXTS = 20;
const UNDO_MS = 150;
/** The most ms between an undo and the end of the wait; also the longest life of a child that is killed. */
const AROUND_MS = 25;
const LIVES_MS = 350;

/** The result of a run, in texts. */
export interface UndoOutcome {
  kills: number;
  undone: number;
  sent: number;
  unknown: number;
}

/**
 * Texts wait, and people undo them at about their time, in `bots` processes at once. Twice, a process is killed. Then
 * checks the promise: a text is undone and never requested, or requested once at most and never undone.
 */
export async function undoAndCheck(engine: KillEngine, bots: number, seed: number): Promise<UndoOutcome> {
  // Neighbouring seeds must begin differently.
  const dice = createDice(Math.imul(seed + 1, 0x9e3779b9));
  const sends = Array.from({ length: TEXTS }, (_, place) => `s${place}`);
  const undoneAfterMs = sends.map(() => between(dice, UNDO_MS - AROUND_MS, UNDO_MS + AROUND_MS));
  const store = await engine.newStore();
  let boot = 0;
  const said: string[] = [];
  let kills = 0;

  async function live(drafts: boolean, livesMs?: number): Promise<void> {
    boot += 1;
    const plan: UndoPlan = {
      store: store.place,
      boot,
      leaseMs: engine.leaseMs,
      sends,
      drafts,
      undoMs: UNDO_MS,
      undoneAfterMs,
    };
    const { output, wasKilled } = await runChild(plan, livesMs);
    said.push(...output.split('\n').filter(Boolean));
    if (wasKilled) kills += 1;
  }

  try {
    const others = Array.from({ length: bots - 1 }, () => live(false));
    await live(true, between(dice, 0, LIVES_MS));
    await live(true, between(dice, 0, LIVES_MS));
    await live(true);
    await Promise.all(others);
    return await store.read(async (ledger) => {
      const outcome = { kills, undone: 0, sent: 0, unknown: 0 };
      for (const id of sends) {
        const found = await ledger.findWithFirstChunk(id);
        const state = found?.chunk?.state ?? found?.send.state;
        const count = (word: string) => said.filter((line) => line === `${word} ${id}`).length;
        const facts = `${id} is ${state}; requests: ${count('request')}, told undone: ${count('undone')}, told too late: ${count('late')}`;
        assert(count('request') <= 1 && count('early') === 0, facts);
        if (state === 'cancelled') {
          assert(found?.send.undoneBy === 'U1' && count('request') + count('late') === 0, facts);
          outcome.undone += 1;
          continue;
        }
        assert.equal(count('undone'), 0, facts);
        if (state === 'sent') assert.equal(count('request'), 1, facts);
        else assert.equal(state, 'unknown', facts);
        outcome[state] += 1;
      }
      return outcome;
    });
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    await store.remove();
  }
}

async function runChild(plan: UndoPlan, livesMs: number | undefined) {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: CACHE },
  });
  let output = '';
  let complaints = '';
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on('data', (text) => {
    output += text;
    if (livesMs !== undefined) timer ??= setTimeout(() => child.kill('SIGKILL'), livesMs);
  });
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(timer);
  assert.equal(complaints, '');
  assert.equal(signal ?? code, signal ? 'SIGKILL' : 0);
  return { output, wasKilled: signal !== null };
}
