import { writeSync } from 'node:fs';
import type { createLedger } from '../../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { NewSend } from '../../../src/ledger/model/decision-types.ts';
import type { Priority } from '../../../src/ledger/model/ledger-limits.ts';
import type { OutboxRow } from '../../../src/ledger/outbox/outbox-types.ts';
import { postMessage, sendTexts } from './ledger-child-calls.ts';
import type { Call } from './telling-engine.ts';

/** The points at which a child is killed: between the ledger's steps, and before, within and after an engine call. */
export const POINTS = [
  'after draft',
  'after ask',
  'after decide',
  'after take',
  'request written',
  'after answer',
  'after settle',
  'row taken',
  'after post',
  'after markPosted',
  'at a read',
  'at a commit of a draft',
  'at a commit',
] as const;

/** More points at which the next process can be killed. */
export const RECOVERY_POINTS = ['before recovery', 'within recovery', 'after recovery'] as const;

export type Point = (typeof POINTS)[number] | (typeof RECOVERY_POINTS)[number];

/** A store for one run: a data folder, or keys under a prefix. */
export type StorePlace = { dataDir: string } | { url: string; prefix: string; epoch: string };

/** A child's orders, as JSON in its only argument. */
export interface ChildPlan {
  store: StorePlace;
  /** The number of this start. Its tokens begin with it. */
  boot: number;
  /** How long others may still think that a dead child's attempt or post is alive; ms. */
  leaseMs: number;
  /** The port of a loopback server with texts at /send and Slack messages at /post. */
  port: number;
  sends: NewSend[];
  /** The child kills itself with SIGKILL when it reaches this point for the nth time. */
  kill?: { at: Point; nth: number };
}

/** The child reached this point, and may die here. */
export type Strike = (point: Point) => void;

/** The ledger calls its engine, and the child may die here. */
export type StrikeCall = (call: Call) => void;

/** A child's store, on either engine. */
export interface ChildStore {
  /** A separate ledger on this store. */
  ledgerTelling(strike: StrikeCall): ReturnType<typeof createLedger>;
  /** What a process does first. */
  takeOver(ledger: ReturnType<typeof createLedger>): Promise<void>;
}

/** The priority that each worker of a child works for. */
export const WORKERS: readonly Priority[] = [
  'interactive',
  'interactive',
  'background',
  'background',
  'background',
];

interface Bot {
  ledger: Ledger;
  plan: ChildPlan;
  strike: Strike;
  newToken(): string;
  /** Rows that this process made due, each taken by its token. */
  handed: { token: string; row: OutboxRow }[];
  /** Every send of the plan has ended, and its rows are posted. */
  isOver: boolean;
}

/** If a child is not at the end by now, it never will be; ms. */
const AT_MOST_MS = 90_000;

/** The budget period that counts all sends of a child. */
export const PERIOD = { id: 'T1/C1/2026-01', renewsAt: Date.UTC(2100, 0, 1), readers: [] };

/** If there was nothing to do, the bot looks again after this time, in ms. */
const PAUSE_MS = 20;

if (import.meta.main) await run(JSON.parse(process.argv[2] as string) as ChildPlan);

/** A bot reduced to its ledger. From any state, it drafts, confirms, sends and reports the whole plan. */
async function run(plan: ChildPlan): Promise<void> {
  setTimeout(() => {
    throw new Error('the child did not come to the end');
  }, AT_MOST_MS);
  const strike = killer(plan.kill);
  const { ledgerTelling, takeOver } = await openStore(plan);
  // Recovery has its own ledger, so that its calls strike at another point.
  const recovering = ledgerTelling(() => strike('within recovery'));
  let commit: Point = 'at a commit of a draft';
  const ledger = ledgerTelling((call) => strike(call === 'read' ? 'at a read' : commit));
  strike('before recovery');
  await takeOver(recovering);
  strike('after recovery');

  for (const send of plan.sends) {
    if (!(await ledger.find(send.id))) {
      await ledger.draft(send);
      strike('after draft');
    }
    if (asksApproval(send)) await ask(ledger, send, strike);
    const budget = { credits: send.chunks.flat().length, perMessage: 1, periods: [PERIOD] };
    const approval = asksApproval(send) ? { by: 'U2', approval: {} } : { by: 'U1' };
    const decided = await ledger.decide(send.id, { to: 'running', budget, ...approval });
    if (decided.won) strike('after decide');
  }
  commit = 'at a commit';
  let tokens = 0;
  const newToken = () => {
    tokens += 1;
    return `${plan.boot}.${tokens}`;
  };
  const bot: Bot = { ledger, plan, strike, newToken, handed: [], isOver: false };
  // The poster gets this process's rows. The bot looks for a dead process's rows itself.
  ledger.postWith({
    leaseMs: plan.leaseMs,
    token: newToken,
    post: (token, row) => row && bot.handed.push({ token, row }),
    lost() {},
    wake() {},
  });
  await Promise.all([
    watch(bot, recovering.recover),
    post(bot),
    ...WORKERS.map((priority) => work(bot, priority)),
  ]);
  process.exit();
}

/** Whether a second person, U2, approves U1's draft. */
export function asksApproval({ id }: Pick<NewSend, 'id'>): boolean {
  return id.endsWith('0');
}

async function ask(ledger: Ledger, { id }: NewSend, strike: Strike): Promise<void> {
  const word = { topic: 'approval' };
  const asked = await ledger.decide(id, { to: 'awaiting_approval', by: 'U1', approval: word });
  if (asked.won) strike('after ask');
}

/** Loads only one engine, since most of a child's time is its start. */
async function openStore({ store, leaseMs }: ChildPlan): Promise<ChildStore> {
  if ('url' in store) return (await import('./ledger-child-redis.ts')).openForChild(store, leaseMs);
  return (await import('./ledger-child-sqlite.ts')).openForChild(store.dataDir, leaseMs);
}

function killer(kill: ChildPlan['kill']): Strike {
  let count = 0;
  return (point) => {
    if (point !== kill?.at) return;
    count += 1;
    if (count === kill.nth) process.kill(process.pid, 'SIGKILL');
  };
}

/** Recovers abandoned work, resumes paused jobs, and notices when everything has ended. */
async function watch(bot: Bot, recover: () => Promise<unknown>): Promise<void> {
  const { ledger, plan } = bot;
  while (!bot.isOver) {
    await pause();
    await recover();
    const sends = await Promise.all(plan.sends.map(({ id }) => ledger.find(id)));
    for (const send of sends) if (send?.state === 'paused') await ledger.resume(send.id);
    const haveEnded = sends.every((send) => send?.state === 'finished');
    bot.isOver = haveEnded && (await ledger.nextDueAt()) === undefined;
  }
}

/** Sends what waits. Prints each outcome once it is in the ledger. */
async function work(bot: Bot, priority: Priority): Promise<void> {
  const { ledger, plan, strike } = bot;
  while (!bot.isOver) {
    const token = bot.newToken();
    const next = await ledger.take({ instance: 'i1', rateLimitKey: 'k1', account: 'a1', priority, token });
    if (next.kind !== 'taken') {
      await pause();
      continue;
    }
    strike('after take');
    const { send, index, messages } = next.chunk;
    const settlement = await sendTexts(plan.port, messages, () => strike('request written'));
    strike('after answer');
    const answer = await ledger.settle({ send, index }, token, settlement);
    if (answer.settled && answer.chunk.state !== 'pending') {
      writeSync(1, `${send} ${index} ${answer.chunk.state}\n`);
    }
    strike('after settle');
  }
}

async function post(bot: Bot): Promise<void> {
  const { ledger, plan, strike } = bot;
  while (!bot.isOver) {
    const next = bot.handed.shift() ?? (await takeDue(bot));
    if (!next) {
      await pause();
      continue;
    }
    const { token, row } = next;
    strike('row taken');
    await postMessage(plan.port, row.id);
    strike('after post');
    await ledger.markPosted(row.id, token, { ts: '1' });
    strike('after markPosted');
  }
}

async function takeDue({ ledger, plan, newToken }: Bot): Promise<Bot['handed'][number] | undefined> {
  const token = newToken();
  const row = await ledger.takeDue(token, plan.leaseMs);
  return row && { token, row };
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
