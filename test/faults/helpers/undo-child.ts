import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { ChildStore, StorePlace } from './ledger-child.ts';

/** A child's orders, as JSON in its only argument. */
export interface UndoPlan {
  store: StorePlace;
  boot: number;
  leaseMs: number;
  /** Texts to draft and decide. Only one of several children does this. */
  sends: string[];
  drafts: boolean;
  /** How long each text waits, and when it is undone, in ms after its decision. */
  undoMs: number;
  undoneAfterMs: number[];
}

/** If a child is not at the end by now, it never will be; ms. */
const AT_MOST_MS = 60_000;
const PAUSE_MS = 5;
const WORKERS = 3;

if (import.meta.main) await run(JSON.parse(process.argv[2] as string) as UndoPlan);

/**
 * A bot reduced to its ledger: it sends each text at its time, and a person undoes the text at about that time. Each
 * line of output is a request or an answer to the person. A kill can't cut a line in two.
 */
async function run(plan: UndoPlan): Promise<void> {
  setTimeout(() => {
    throw new Error('the child did not come to the end');
  }, AT_MOST_MS);
  const { ledgerTelling, takeOver } = await openStore(plan);
  const ledger = ledgerTelling(() => {});
  await takeOver(ledger);
  say('ready');
  const state = { isOver: false };
  await Promise.all([
    watch(ledger, plan, state),
    ...plan.sends.map((id, place) => sendAndUndo(ledger, plan, id, plan.undoneAfterMs[place] ?? 0)),
    ...Array.from({ length: WORKERS }, (_, worker) => work(ledger, plan, `${plan.boot}.${worker}`, state)),
  ]);
  process.exit();
}

/** Loads only one engine, since most of a child's time is its start. */
async function openStore({ store, leaseMs }: UndoPlan): Promise<ChildStore> {
  if ('url' in store) return (await import('./ledger-child-redis.ts')).openForChild(store, leaseMs);
  return (await import('./ledger-child-sqlite.ts')).openForChild(store.dataDir, leaseMs);
}

async function sendAndUndo(ledger: Ledger, plan: UndoPlan, id: string, afterMs: number): Promise<void> {
  if (plan.drafts) await decide(ledger, plan, id);
  let send = await ledger.find(id);
  for (; send?.startsAt === undefined; send = await ledger.find(id)) await sleep(PAUSE_MS);
  await sleep(Math.max(0, (send.decidedAt ?? 0) + afterMs - ledger.now()));
  const { won } = await ledger.undo(id, { by: 'U1', details: {}, keeps: null });
  const { undoneBy } = (await ledger.find(id)) ?? {};
  say(won || undoneBy !== undefined ? `undone ${id}` : `late ${id}`);
}

async function decide(ledger: Ledger, { undoMs }: UndoPlan, id: string): Promise<void> {
  if (!(await ledger.find(id))) {
    await ledger.draft({
      id,
      team: 'T1',
      channelId: 'C1',
      instance: 'i1',
      kind: 'single',
      details: {},
      topics: ['receipt'],
      expiresInMs: 900_000,
      chunks: [[{ phone: '442079460958', text: 'Hello' }]],
    });
  }
  await ledger.decide(id, { to: 'running', by: 'U1', startsInMs: undoMs });
}

async function work(
  ledger: Ledger,
  { leaseMs }: UndoPlan,
  worker: string,
  state: { isOver: boolean },
): Promise<void> {
  for (let turn = 0; !state.isOver; turn += 1) {
    const token = `${worker}.${turn}`;
    const priority = 'interactive';
    const next = await ledger.take({ instance: 'i1', rateLimitKey: 'k1', account: 'a1', priority, token });
    if (next.kind !== 'taken') {
      await sleep(PAUSE_MS);
      continue;
    }
    const { id, startsAt = 0 } = next.send;
    const takenAt = (next.chunk.deadline ?? 0) - leaseMs;
    say(`request ${id}`);
    if (takenAt < startsAt) say(`early ${id}`);
    const receipt = { creditsUsed: 1, creditsRemaining: 1 };
    await ledger.settle({ send: id, index: 0 }, token, {
      to: 'sent',
      request: 'answered',
      receipt,
      result: null,
    });
  }
}

async function watch(ledger: Ledger, { sends }: UndoPlan, state: { isOver: boolean }): Promise<void> {
  while (!state.isOver) {
    await sleep(PAUSE_MS);
    await ledger.recover();
    const found = await Promise.all(sends.map((id) => ledger.find(id)));
    state.isOver = found.every((send) => send?.state === 'finished' || send?.state === 'cancelled');
  }
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
