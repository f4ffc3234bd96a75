import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { ChunkRecord } from '../../../src/ledger/model/chunk-record.ts';
import type { NewSend } from '../../../src/ledger/model/decision-types.ts';
import { createDice } from '../../helpers/dice.ts';
import { asksApproval, type ChildPlan, PERIOD, type POINTS } from './ledger-child.ts';
import type { KillEngine } from './ledger-kill-engines.ts';
import { type Death, planKills } from './ledger-kill-plan.ts';
import { type CountingService, startService } from './ledger-service.ts';

const CHILD = fileURLToPath(new URL('./ledger-child.ts', import.meta.url));
/** Thousands of children share what was compiled once. */
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/ledger-child', import.meta.url));

/** The result of a run. */
export interface KillOutcome {
  kills: number;
  texts: number;
  /** How many numbers were in flight when a process died, and how many ended unknown. */
  inFlight: number;
  unknown: number;
  /** How many posts were repeated. */
  reposts: number;
}

/**
 * Kills a bot at the point, and maybe later processes at other points, until one reaches the end. Then checks the promise:
 * nobody gets two texts, and each number has one outcome, which is true. A number is unknown only if it was in flight at
 * a death or got no answer. The budget counts exactly that.
 */
export async function killAndCheck(
  engine: KillEngine,
  at: (typeof POINTS)[number],
  seed: number,
): Promise<KillOutcome> {
  // Neighbouring seeds must begin differently.
  const dice = createDice(Math.imul(seed + 1, 0x9e3779b9));
  const { sends, deaths } = planKills(at, dice, engine.strikes);
  let textsAsked = 0;
  let onText = (_asked: number) => {};
  const service = await startService(dice, () => {
    textsAsked += 1;
    onText(textsAsked);
  });
  const store = await engine.newStore();
  try {
    const plan = { store: store.place, leaseMs: engine.leaseMs, port: service.port, sends };
    const lost = new Map<string, ChunkRecord>();
    const said: string[] = [];
    let kills = 0;
    for (const [boot, death] of [...deaths, undefined].entries()) {
      textsAsked = 0;
      const bot = startChild({ ...plan, boot }, death);
      onText = (asked) => {
        if (death && 'atRequest' in death && asked === death.atRequest) bot.child.kill('SIGKILL');
      };
      const { code, signal, output, complaints } = await bot.over;
      assert.equal(complaints, '');
      assert.equal(signal ?? code, signal ? 'SIGKILL' : 0);
      said.push(...output.split('\n').filter(Boolean));
      const chunks = await store.read((ledger) => chunksOf(ledger, sends));
      for (const chunk of chunks.filter((each) => wasLost(each, boot))) {
        lost.set(`${chunk.send}.${chunk.index}`, chunk);
      }
      if (!signal) break;
      kills += 1;
    }
    assert(kills > 0, 'no boot was killed');
    return await store.read((ledger) =>
      check(ledger, { sends, service, lost: [...lost.values()], said, kills, engine }),
    );
  } catch (error) {
    throw new Error(`${at}, seed ${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    service.close();
    await store.remove();
  }
}

function startChild(plan: ChildPlan, death: Death | undefined) {
  const whole = death && 'self' in death && death.self ? { ...plan, kill: death.self } : plan;
  const child = spawn(process.execPath, [CHILD, JSON.stringify(whole)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: CACHE },
  });
  let output = '';
  let complaints = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  const timer = death && 'afterMs' in death && setTimeout(() => child.kill('SIGKILL'), death.afterMs);
  async function end() {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (timer) clearTimeout(timer);
    return { code, signal, output, complaints };
  }
  return { child, over: end() };
}

/** In flight when its process died, or a very busy machine delayed its settlement beyond the lease. */
function wasLost({ state, token, settledAt = 0, deadline = 0 }: ChunkRecord, boot: number): boolean {
  const isOverdue = state === 'unknown' && settledAt >= deadline && token?.startsWith(`${boot}.`) === true;
  return state === 'sending' || isOverdue;
}

async function chunksOf(ledger: Ledger, sends: NewSend[]): Promise<ChunkRecord[]> {
  return (await Promise.all(sends.map(({ id }) => ledger.chunks(id)))).flat();
}

interface Evidence {
  engine: KillEngine;
  sends: NewSend[];
  service: CountingService;
  /** Chunks in flight when a process died. */
  lost: ChunkRecord[];
  /** What children printed about chunks in the ledger. */
  said: string[];
  kills: number;
}

async function check(ledger: Ledger, evidence: Evidence): Promise<KillOutcome> {
  const { engine, sends, service, lost, said, kills } = evidence;
  const chunks = await chunksOf(ledger, sends);
  for (const line of said) {
    const [send, index, state] = line.split(' ');
    const chunk = chunks.find((each) => each.send === send && each.index === Number(index));
    assert.equal(chunk?.state, state, `${send}.${index} was settled, and that was forgotten`);
  }
  const outcomes = new Map<string, string>();
  for (const { state, messages } of chunks.filter((chunk) => chunk.state !== 'split')) {
    for (const { phone } of messages) {
      assert(!outcomes.has(phone), `${phone} has two outcomes`);
      outcomes.set(phone, state);
    }
  }
  const phones = sends.flatMap((send) => send.chunks.flat().map(({ phone }) => phone));
  assert.deepEqual([...outcomes.keys()].sort(), phones.toSorted());
  for (const phone of phones) expectTrue(phone, outcomes.get(phone), service.texts.get(phone) ?? 0);
  const unknown = phones.filter((phone) => outcomes.get(phone) === 'unknown');
  const inFlight = lost.flatMap(({ messages }) => messages.map(({ phone }) => phone));
  assert.deepEqual(unknown.toSorted(), [...new Set([...inFlight, ...service.unanswered])].sort());

  const tallies = await Promise.all(sends.map(({ id }) => ledger.tally(id)));
  const charged = tallies.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0);
  assert.equal(charged, phones.filter((phone) => outcomes.get(phone) === 'sent').length);
  const [budget] = await ledger.findPeriods([{ id: PERIOD.id }]);
  assert.deepEqual([budget?.used, budget?.held], [charged, unknown.length], 'what the budget counts');
  let reposts = 0;
  for (const { id, topics } of sends) {
    const posts = service.posts.get(`${topics[0]}:${id}`) ?? 0;
    const lostOfIt = lost.filter(({ send }) => send === id).length;
    // A request without an answer may pause its job, and that is news.
    const most = 1 + kills + engine.moreNews(lostOfIt) + [...service.unanswered].length;
    assert(posts >= 1 && posts <= most, `${id} was posted ${posts} times`);
    reposts += posts - 1;
  }
  for (const send of sends.filter(asksApproval)) await expectApproved(ledger, send.id, { service, kills });
  return { kills, texts: service.texts.size, inFlight: inFlight.length, unknown: unknown.length, reposts };
}

/** One person asked, another person approved, and the request's card says so. */
async function expectApproved(
  ledger: Ledger,
  id: string,
  { service, kills }: Pick<Evidence, 'service' | 'kills'>,
): Promise<void> {
  const send = await ledger.find(id);
  assert.equal(send?.decidedBy, 'U1');
  assert.equal(send.approval?.askedBy, 'U1');
  assert.equal(send.approval?.by, 'U2');
  const posts = service.posts.get(`approval:${id}`) ?? 0;
  assert(posts >= 1 && posts <= 2 + kills, `the request ${id} was posted ${posts} times`);
}

/** The ledger's outcome of a number must be true. */
function expectTrue(phone: string, outcome: string | undefined, arrived: number): void {
  const said = `${phone} is ${outcome}, and was texted ${arrived} times`;
  assert(arrived <= 1, said);
  if (outcome === 'sent') assert.equal(arrived, 1, said);
  // If a very busy machine delays a single text for ten seconds, the bot gives it up.
  else if (outcome === 'rejected' || outcome === 'not_sent') assert.equal(arrived, 0, said);
  else assert.equal(outcome, 'unknown', said);
}
